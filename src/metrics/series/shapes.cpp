// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "metrics/ratios.h"
#include "metrics/series/cell_groups.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::SeriesValue;

// Fills a row for each cell and shape.
template <class ValueOf>
std::vector<SeriesValue> of_shapes(const Analysis& analysis, const Part& part, const ValueOf& value_of) {
  std::vector<SeriesValue> rows;
  for (const std::size_t cell : part.cells) {
    for (const ShapeVisits& shape : analysis.steady(cell).shapes) {
      const std::string subject = fmt::format("{}, {}", analysis.cell(cell).of.model.label, shape.name);
      series::set_value(rows.emplace_back(row_of_group(analysis, {cell}, subject)), value_of(cell, shape));
    }
  }
  return rows;
}

Value mean_of(const Analysis& analysis, const std::vector<OfRound>& values) {
  if (values.empty() || !are_above_zero(values)) return unknown("no process has visited it twice");
  return geometric_mean(values, analysis.error_rate());
}

}  // namespace

std::vector<SeriesValue> first_visit(const Analysis& analysis, const Part& part) {
  return of_shapes(analysis, part,
                   [&](std::size_t /*cell*/, const ShapeVisits& shape) { return mean_of(analysis, shape.first_s); });
}

std::vector<SeriesValue> second_visit(const Analysis& analysis, const Part& part) {
  return of_shapes(analysis, part,
                   [&](std::size_t /*cell*/, const ShapeVisits& shape) { return mean_of(analysis, shape.second_s); });
}

std::vector<SeriesValue> later_visits(const Analysis& analysis, const Part& part) {
  return of_shapes(analysis, part,
                   [&](std::size_t /*cell*/, const ShapeVisits& shape) { return mean_of(analysis, shape.later_s); });
}

std::vector<SeriesValue> visit_memory(const Analysis& analysis, const Part& part) {
  return of_shapes(analysis, part, [&](std::size_t /*cell*/, const ShapeVisits& shape) {
    if (shape.gained_bytes.empty()) return unknown("memory was not read");
    std::vector<double> bytes;
    for (const OfRound& each : shape.gained_bytes) bytes.push_back(each.value);
    const statistics::Contrast found =
        statistics::contrast(std::vector{statistics::Part{bytes, 1}}, analysis.error_rate());
    Value value{found.estimate};
    if (found.interval) std::tie(value.low, value.high) = std::pair(found.interval->low, found.interval->high);
    return value;
  });
}

std::vector<SeriesValue> visit_speed_up(const Analysis& analysis, const Part& part) {
  return of_shapes(analysis, part, [&](std::size_t cell, const ShapeVisits& shape) {
    const auto baseline = analysis.baseline_of(cell);
    if (!baseline) return unknown(analysis.why_no_baseline(cell));
    const Steady& over = analysis.steady(*baseline);
    for (const Steady* const each : {&analysis.steady(cell), &over}) {
      if (!each->no_verdict.empty()) return unknown(each->no_verdict);
    }
    const auto there = std::ranges::find(over.shapes, shape.name, &ShapeVisits::name);
    if (there == over.shapes.end() || there->later_s.empty()) return unknown("the baseline has no visits of it");
    if (shape.later_s.empty() || !are_above_zero(shape.later_s) || !are_above_zero(there->later_s))
      return unknown("no process has visited it twice");
    std::vector<statistics::Part> parts;
    add_log_ratio(parts, there->later_s, shape.later_s, share_rounds(analysis.cell(*baseline), analysis.cell(cell)), 1);
    return ratio_of(statistics::contrast(parts, analysis.error_rate()));
  });
}

std::vector<SeriesValue> compiled_shapes(const Analysis& analysis, const Part& part) {
  const auto key = [&](std::size_t i, const std::string& label) {
    const store::CellData& cell = analysis.cell(i);
    return fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), cell.of.model.key.batch, label);
  };
  std::map<std::string, std::size_t> by_key;
  for (const std::size_t i : part.cells) by_key.emplace(key(i, analysis.cell(i).of.model.label), i);
  std::vector<SeriesValue> rows;
  for (const std::size_t i : part.cells) {
    const std::string& label = analysis.cell(i).of.model.label;
    const std::string own = label_of_own_shape(label);
    const auto of_own = own == label ? by_key.end() : by_key.find(key(i, own));
    if (of_own == by_key.end()) continue;
    SeriesValue row = row_of_group(analysis, {of_own->second, i}, label);
    set_value(row, ratio_value(analysis, log_ratio(analysis, i, of_own->second)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ngb::metrics::series
