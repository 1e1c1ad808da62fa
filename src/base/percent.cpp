// SPDX-License-Identifier: Apache-2.0
#include "base/percent.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace ngb {

Result<double> parse_percent(std::string_view given, const std::string& option) {
  std::string_view digits = text::trim(given);
  if (digits.ends_with('%')) digits = text::trim(digits.substr(0, digits.size() - 1));
  double percent = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  constexpr double kMostPercent = 1000;
  const bool is_number = problem == std::errc{} && end == digits.data() + digits.size();
  if (is_number && percent >= 0 && percent <= kMostPercent) return percent;
  return fail(fmt::format("\"{}\" is no share", given), option, "expected 0% to 1000%, for example 3%");
}

}  // namespace ngb
