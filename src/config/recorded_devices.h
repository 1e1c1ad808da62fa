// SPDX-License-Identifier: Apache-2.0
// The devices of a study that was recorded with a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"

namespace ngb::config {

// As to_json(Study) has written them, whatever the study's models and compilers are. Error: the text is not of that
// form.
Result<std::vector<DeviceEntry>> devices_of_study(const std::string& study_json);

}  // namespace ngb::config
