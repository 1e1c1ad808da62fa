// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/json_text.h"
#include "base/text.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

std::string main_of(const Entry& entry, std::string_view unit) {
  if (entry.is_empty()) return entry.reason.empty() ? "" : "–";
  if (entry.value.is_string()) return entry.value.get<std::string>();
  return unit.empty() ? json_text::dump(entry.value) : number(entry.value.get<double>(), unit);
}

}  // namespace

Column data_column(std::string name) {
  std::string also = name;
  return {.csv = std::move(name), .json = std::move(also)};
}

Column quantity_column(std::string name, std::string unit, bool has_interval) {
  Column column = data_column(std::move(name));
  column.unit = std::move(unit);
  column.has_interval = has_interval;
  column.has_reason = true;
  return column;
}

Column text_column(std::string heading, int rank) {
  return {.heading = std::move(heading), .is_for_people = true, .kind = Kind::text, .rank = rank};
}

Column number_column(std::string heading, int rank, std::string unit) {
  return {.heading = std::move(heading), .unit = std::move(unit), .is_for_people = true, .rank = rank};
}

Column named(std::string name, Column column) {
  column.csv = name;
  column.json = std::move(name);
  return column;
}

void NotListed::add(const Row& row) {
  ++count_;
  const auto known =
      std::find_if(counts_.begin(), counts_.end(), [&](const auto& each) { return each.first == row.counted_as; });
  if (known == counts_.end()) {
    counts_.emplace_back(row.counted_as, 1);
  } else {
    ++known->second;
  }
}

std::string NotListed::words(const Table& table) const {
  std::vector<std::string> parts;
  for (const auto& [words, count] : counts_) parts.push_back(fmt::format("{} {}", count, words));
  return fmt::format("{} more {}{}: {}", count_, table.row_word, count_ == 1 ? "" : "s", text::join(parts, ", "));
}

Shown shown_entry(const Entry& entry, const Column& column) {
  return column.is_brief ? Shown{main_of(entry, column.unit), {}} : shown_entry(entry, column.unit);
}

namespace {

// Returns how many decimals a ratio with an interval that leaves out 1 needs, so that no end of it is written as 1, if
// these are more than the usual two: 1.005 [1.002, 1.007]. A difference below the fourth decimal is nobody's.
std::optional<int> decimals_beside_one(const Entry& entry, std::string_view unit) {
  if (unit != "ratio" || !entry.low || !entry.high || (*entry.low <= 1 && *entry.high >= 1)) return std::nullopt;
  const double distance = std::abs((*entry.low > 1 ? *entry.low : *entry.high) - 1);
  if (distance >= 0.005 || distance < 0.00005) return std::nullopt;
  return distance < 0.0005 ? 4 : 3;
}

}  // namespace

Shown shown_entry(const Entry& entry, std::string_view unit) {
  Shown text{main_of(entry, unit), {}};
  if (!entry.value.is_number()) {
    text.tail = entry.tail;
    return text;
  }
  const auto value = entry.value.get<double>();
  if (const auto decimals = decimals_beside_one(entry, unit)) {
    text.main = fmt::format("{:.{}f}", value, *decimals);
    text.tail = fmt::format(" [{:.{}f}, {:.{}f}]", *entry.low, *decimals, *entry.high, *decimals);
  } else if (entry.deviation) {
    text.tail = " ± " + number_beside(*entry.deviation, value, unit);
  } else if (entry.low && entry.high) {
    text.tail =
        fmt::format(" [{}, {}]", number_beside(*entry.low, value, unit), number_beside(*entry.high, value, unit));
  }
  if (!entry.over.empty()) text.tail += " over " + entry.over;
  text.tail += entry.tail;
  return text;
}

std::optional<double> Entry::number() const {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Entry text_entry(std::string text) { return text.empty() ? Entry{} : Entry{.value = std::move(text)}; }

Entry empty_entry(std::string reason) { return {.reason = std::move(reason)}; }

Entry number_entry(const std::optional<double>& number, std::string reason) {
  if (!number) return empty_entry(std::move(reason));
  if (!std::isfinite(*number)) return empty_entry("not a finite number");
  return {.value = *number};
}

}  // namespace ngb::report
