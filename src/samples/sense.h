// SPDX-License-Identifier: Apache-2.0
// Checks whether the values that a device sent can be true. Their form was checked when they were decoded.
#pragma once

#include "base/result.h"
#include "samples/message.h"

namespace ngb::samples {

// The processes and attempts that the study asks for in one cell.
struct Asked {
  int planned_processes = 1;
  int attempts = 1;
};

// Each returns an error that names the field, its value and what was expected: "process_index is -5, expected 0 to 2".
// Durations must not be negative, and those of a completed process must be above 0. Indices and attempts must be
// planned, words must be in their lists, and texts and lists must not be too long. The log must be below the agent's
// work folder.
Status check_sense(const ProcessResult& result, const Asked& asked);
Status check_sense(const ModelWritten& model);
Status check_sense(const Environment& environment);

}  // namespace ngb::samples
