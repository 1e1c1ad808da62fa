// SPDX-License-Identifier: Apache-2.0
// Numbers for people.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// Decimals that show a number of this size to four significant digits, at most 3: 1234 -> 0, 123.4 -> 1.
int decimals_of(double value);

// A value of a metric with this unit: "1.95" (ratio), "412 ms" (s), "97.8 MB" (bytes), "12.5" (percent), "101.4".
std::string number(double value, std::string_view unit);
// With as many decimals as `beside` gets: the second number of a pair.
std::string number_beside(double value, double beside, std::string_view unit);

}  // namespace ngb::report
