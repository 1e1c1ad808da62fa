// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace ngb::app {

// Returns the estimated number of seconds that a run still takes, or nothing if it is not known.
using SecondsLeft = std::function<std::optional<double>()>;

// Returns how many seconds of system_clock() have passed since `time`.
double seconds_since(Nanoseconds time);

// Parses the value of a command's option: "90s", "10m", "1.5h", or "90" for seconds. `option` is named in the error.
Result<Nanoseconds> parse_duration(const std::string& given, const std::string& option);

}  // namespace ngb::app
