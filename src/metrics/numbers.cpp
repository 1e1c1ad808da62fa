// SPDX-License-Identifier: Apache-2.0
#include "metrics/numbers.h"

#include <utility>

#include "metrics/ratios.h"
#include "statistics/contrast.h"

namespace ngb::metrics {

Numbers::Numbers(const std::vector<store::DerivedValue>& derived) {
  for (const store::DerivedValue& value : derived) {
    by_cell_[value.cell_id.str()].push_back(&value);
    if (const auto raised = raised_flag(value)) flags_[value.cell_id.str()].push_back(*raised);
  }
}

void Numbers::add_speeds(std::span<const store::CellData> cells, std::span<const Steady> steady) {
  cells_ = cells;
  steady_ = steady;
}

Number Numbers::of(const store::CellData& cell, std::string_view metric) const {
  if (const auto found = by_cell_.find(cell.cell_id); found != by_cell_.end()) {
    for (const store::DerivedValue* each : found->second) {
      if (each->metric == metric)
        return {each->value,         each->low, each->high, each->reason.str(),
                std::string(metric), &cell,     nullptr,    flags(cell)};
    }
  }
  return {.reason = "not measured yet", .quantity = std::string(metric), .of = &cell, .flags = flags(cell)};
}

const Steady& Numbers::steady_of(const store::CellData& cell) const {
  return steady_[static_cast<std::size_t>(&cell - cells_.data())];
}

const std::string& Numbers::why_no_ratio(const store::CellData& cell) const {
  static const std::string kNotAdded = "the repetitions were not read";
  if (steady_.empty()) return kNotAdded;
  const Steady& steady = steady_of(cell);
  return steady.reason.empty() ? steady.no_verdict : steady.reason;
}

Number Numbers::ratio(const store::CellData& cell, const store::CellData& over) const {
  Number number{
      .quantity = kSpeedRatio, .of = &cell, .over = &over, .flags = flags(cell), .flags_of_over = flags(over)};
  for (const store::CellData* each : {&cell, &over}) {
    if (const std::string& why = why_no_ratio(*each); !why.empty()) {
      number.reason = why;
      return number;
    }
  }
  std::vector<statistics::Part> parts;
  add_speed_ratio(parts, steady_of(cell), steady_of(over), share_rounds(cell, over), 1);
  const Value ratio = ratio_of(statistics::contrast(parts, interval_error_rate(cell)));
  number.value = ratio.value;
  number.low = ratio.low;
  number.high = ratio.high;
  return number;
}

std::span<const RaisedFlag> Numbers::flags(const store::CellData& cell) const {
  const auto found = flags_.find(cell.cell_id);
  return found == flags_.end() ? std::span<const RaisedFlag>() : std::span<const RaisedFlag>(found->second);
}

}  // namespace ngb::metrics
