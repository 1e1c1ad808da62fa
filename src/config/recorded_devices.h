// SPDX-License-Identifier: Apache-2.0
// Reads the devices of a study that was recorded with a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"

namespace ngb::config {

// Returns the devices of a study that to_json(Study) has written. Does not read its models and compilers, which this
// release may not know. Returns an error if the text does not have that form.
Result<std::vector<DeviceEntry>> devices_of_study(const std::string& study_json);

}  // namespace ngb::config
