// SPDX-License-Identifier: Apache-2.0
// Reads shares that people type.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb {

// Parses "3%" or "3", the value of an option, and returns 3. Returns an error unless it is from 0 to 1000.
Result<double> parse_percent(std::string_view given, const std::string& option);

}  // namespace ngb
