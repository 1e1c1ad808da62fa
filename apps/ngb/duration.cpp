// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/text.h"

namespace ngb::app {

Result<Nanoseconds> parse_duration(const std::string& given, const std::string& option) {
  constexpr std::array<std::pair<char, double>, 3> kUnits{{{'s', 1}, {'m', 60}, {'h', 3600}}};
  constexpr double kMost_s = 1e7;
  std::string_view digits = text::trim(given);
  double unit_s = 1;
  for (const auto& [letter, seconds] : kUnits) {
    if (!digits.ends_with(letter)) continue;
    digits = text::trim(digits.substr(0, digits.size() - 1));
    unit_s = seconds;
    break;
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = problem == std::errc{} && end == digits.data() + digits.size();
  if (is_number && number > 0 && number * unit_s <= kMost_s) {
    return Nanoseconds(static_cast<std::int64_t>(number * unit_s * 1e9));
  }
  return fail(fmt::format("\"{}\" is no duration", given), option, "expected a time above 0, for example 90s, 10m, 2h");
}

}  // namespace ngb::app
