// SPDX-License-Identifier: Apache-2.0
#include "report/write/numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace ngb::report {

int decimals_of(double value) {
  const double size = std::abs(value);
  return size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
}

std::string number(double value, std::string_view unit) { return number_beside(value, value, unit); }

std::string number_beside(double value, double beside, std::string_view unit) {
  if (unit == "s") return text::human_duration(value);
  if (unit == "bytes") return text::human_bytes(static_cast<std::uint64_t>(std::llround(std::max(0.0, value))));
  if (unit == "bytes/inference") return (value < 0 ? "-" : "") + number_beside(std::abs(value), beside, "bytes");
  if (unit == "bytes/s") return number_beside(value, beside, "bytes") + "/s";
  if (unit == "percent") return fmt::format("{:.1f}", value);
  if (unit == "ratio") return fmt::format("{:.{}f}", value, std::abs(beside) < 9.995 ? 2 : 1);
  if (unit == "1" || unit == "joule") return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, decimals_of(beside));
}

std::string milliseconds(double ns) { return number(ns / 1e6, "ms") + " ms"; }

}  // namespace ngb::report
