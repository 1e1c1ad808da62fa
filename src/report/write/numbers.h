// SPDX-License-Identifier: Apache-2.0
// Formats numbers for people.
#pragma once

#include <string>
#include <string_view>

namespace ngb::report {

// Returns how many decimals show a number of this size with four significant digits, at most 3: 1234 -> 0, 123.4 -> 1.
int decimals_of(double value);

// Formats a metric's value by its unit: "1.95" (ratio), "412 ms" (s), "97.8 MB" (bytes), "12.5" (percent), "101.4".
std::string number(double value, std::string_view unit);
// Formats the second number of a pair with as many decimals as the first, `beside`.
std::string number_beside(double value, double beside, std::string_view unit);

// Returns a time as "3.910 ms".
std::string milliseconds(double ns);

}  // namespace ngb::report
