// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace ngb::app {

// Parses the value of a command's option: "90s", "10m", "1.5h", or "90" for seconds. `option` is named in the error.
Result<Nanoseconds> parse_duration(const std::string& given, const std::string& option);

}  // namespace ngb::app
