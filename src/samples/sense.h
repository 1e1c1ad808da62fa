// SPDX-License-Identifier: Apache-2.0
// Whether what a device sent can be true. Its form was checked when it was decoded; here its values are.
#pragma once

#include "base/result.h"
#include "samples/message.h"

namespace ngb::samples {

// What the study asks of one cell.
struct Asked {
  int planned_processes = 1;
  int attempts = 1;
};

// Each Error names the field, its value and what was expected: "process_index is -5, expected 0 to 2". Durations are
// not negative, and of what completed more than 0; indices and attempts are within what was planned; words belong to
// their lists; texts and lists have a sane length; the log lies below the agent's work folder.
Status check_sense(const ProcessResult& result, const Asked& asked);
Status check_sense(const ModelWritten& model);
Status check_sense(const Environment& environment);

}  // namespace ngb::samples
