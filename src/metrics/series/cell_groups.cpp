// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/cell_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "metrics/series/workload.h"

namespace ngb::metrics::series {

using store::CellData;
using store::SeriesValue;

std::vector<Cells> grouped(const Analysis& analysis, const Part& part,
                           const std::function<std::string(const CellData&)>& key_of) {
  std::map<std::string, std::size_t> known;
  std::vector<Cells> groups;
  for (const std::size_t i : part.cells) {
    const std::string key = key_of(analysis.cell(i));
    if (key.empty()) continue;
    const auto [place, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

SeriesValue row_of_group(const Analysis& analysis, const Cells& cells, std::string subject) {
  const CellData& first = analysis.cell(cells.front());
  const auto [least, most] = std::minmax_element(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
    return analysis.cell(a).of.model.key.batch < analysis.cell(b).of.model.key.batch;
  });
  const int low = analysis.cell(*least).of.model.key.batch;
  const int high = analysis.cell(*most).of.model.key.batch;
  SeriesValue row{.device = name_of_place(first), .compiler = compiler_of(first), .subject = std::move(subject)};
  row.batch_sizes = low == high ? std::to_string(low) : fmt::format("{}-{}", low, high);
  for (const std::size_t i : cells) row.cell_ids.push_back(analysis.cell(i).cell_id);
  return row;
}

void set_value(SeriesValue& row, Value value) {
  row.value = value.value;
  row.low = value.low;
  row.high = value.high;
  row.reason = std::move(value.reason);
}

std::vector<SeriesValue> of_metric(const Analysis& analysis, const std::vector<Cells>& groups, const NameOf& name_of,
                                   const char* metric,
                                   const std::function<void(const std::vector<double>&, SeriesValue&)>& combine) {
  std::vector<SeriesValue> rows;
  for (const Cells& cells : groups) {
    SeriesValue row = row_of_group(analysis, cells, name_of(analysis.cell(cells.front())));
    std::vector<double> values;
    for (const std::size_t i : cells) {
      const Value value = find_metric(metric)->compute(analysis, i);
      if (value.value)
        values.push_back(*value.value);
      else if (row.reason.empty()) {
        row.reason = fmt::format("{}, batch {}: {}", analysis.cell(i).of.model.label,
                                 analysis.cell(i).of.model.key.batch, value.reason);
      }
    }
    if (row.reason.empty()) combine(values, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<SeriesValue> geometric_mean(const Analysis& analysis, const std::vector<Cells>& groups,
                                        const NameOf& name_of, const LogOf& log_of) {
  std::vector<SeriesValue> rows;
  for (const Cells& cells : groups) {
    SeriesValue row = row_of_group(analysis, cells, name_of(analysis.cell(cells.front())));
    std::vector<Relation> relations;
    for (const std::size_t i : cells) relations.push_back(log_of(i, 1.0 / static_cast<double>(cells.size())));
    set_value(row, ratio_value(analysis, sum_of(std::move(relations))));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Cells> without_baselines(const Analysis& analysis, std::vector<Cells> groups) {
  std::erase_if(groups, [&](const Cells& cells) { return analysis.baseline_of(cells.front()) == cells.front(); });
  return groups;
}

}  // namespace ngb::metrics::series
