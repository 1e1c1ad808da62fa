// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/family_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"
#include "statistics/statistics.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesValue;
using Cells = std::vector<std::size_t>;

// Groups cells by a key and keeps the groups in the order of their first cells.
template <class KeyOf>
std::vector<Cells> grouped(const Analysis& analysis, const Part& part, const KeyOf& key_of) {
  std::map<std::string, std::size_t> known;
  std::vector<Cells> groups;
  for (const std::size_t i : part.cells) {
    const auto [place, is_new] = known.emplace(key_of(analysis.cell(i)), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

std::vector<Cells> cells_of_settings(const Analysis& analysis, const Part& part) {
  return grouped(analysis, part, [](const CellData& cell) {
    return fmt::format("{}\n{}\n{}", place_of(cell), setting_of(cell), first_of_batch_group(cell.of.model.key.batch));
  });
}

SeriesValue row_of_group(const Analysis& analysis, const Cells& cells) {
  const CellData& first = analysis.cell(cells.front());
  const auto [least, most] = std::minmax_element(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
    return analysis.cell(a).of.model.key.batch < analysis.cell(b).of.model.key.batch;
  });
  const int low = analysis.cell(*least).of.model.key.batch;
  const int high = analysis.cell(*most).of.model.key.batch;
  SeriesValue row{.device = name_of_place(first), .compiler = compiler_of(first), .subject = model_group_of(first)};
  row.batch_sizes = low == high ? std::to_string(low) : fmt::format("{}-{}", low, high);
  for (const std::size_t i : cells) row.cell_ids.push_back(analysis.cell(i).cell_id);
  return row;
}

// Fills the row with a function of the cells' values of a metric.
template <class Combine>
std::vector<SeriesValue> of_metric(const Analysis& analysis, const Part& part, const char* metric,
                                   const Combine& combine) {
  std::vector<SeriesValue> rows;
  for (const Cells& cells : cells_of_settings(analysis, part)) {
    SeriesValue row = row_of_group(analysis, cells);
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

std::vector<SeriesValue> mean_of_metric(const Analysis& analysis, const Part& part, const char* metric) {
  return of_metric(analysis, part, metric,
                   [](const std::vector<double>& values, SeriesValue& row) { row.value = statistics::mean(values); });
}

// Fills the row with the geometric mean of a ratio of each cell to its baseline.
template <class RatioOf>
std::vector<SeriesValue> of_ratio(const Analysis& analysis, const Part& part, const RatioOf& ratio_of) {
  std::vector<SeriesValue> rows;
  for (const Cells& cells : cells_of_settings(analysis, part)) {
    if (analysis.baseline_of(cells.front()) == cells.front()) continue;
    SeriesValue row = row_of_group(analysis, cells);
    std::vector<Relation> relations;
    for (const std::size_t i : cells) relations.push_back(ratio_of(i, 1.0 / static_cast<double>(cells.size())));
    Value value = ratio_value(analysis, sum_of(std::move(relations)));
    row.value = value.value;
    row.low = value.low;
    row.high = value.high;
    row.reason = std::move(value.reason);
    rows.push_back(std::move(row));
  }
  return rows;
}

bool is_no_more(const Value& a, const Value& b) { return a.value && b.value && *a.value <= *b.value; }

// Returns whether `other` is told faster than `cell`, and takes no longer to compile and no more memory.
bool dominates(const Analysis& analysis, std::size_t other, std::size_t cell) {
  const Value faster = ratio_value(analysis, log_ratio(analysis, other, cell));
  if (!faster.low || *faster.low <= 1) return false;
  for (const char* const cost : {"compile_total_s", "timed_peak_bytes"}) {
    const Metric* const metric = find_metric(cost);
    if (!is_no_more(metric->compute(analysis, other), metric->compute(analysis, cell))) return false;
  }
  return true;
}

}  // namespace

std::vector<SeriesValue> family_throughput(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, part, "throughput_mean_per_s");
}
std::vector<SeriesValue> family_throughput_within(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, part, "throughput_std_per_s");
}
std::vector<SeriesValue> family_throughput_between(const Analysis& analysis, const Part& part) {
  return of_metric(analysis, part, "throughput_mean_per_s", [](const std::vector<double>& values, SeriesValue& row) {
    row.value = statistics::standard_deviation(values);
    if (!row.value) row.reason = "needs 2 cells";
  });
}
std::vector<SeriesValue> family_speed_up(const Analysis& analysis, const Part& part) {
  return of_ratio(analysis, part, [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); });
}
std::vector<SeriesValue> family_cpu(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, part, "cpu_percent");
}
std::vector<SeriesValue> family_cpu_within(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, part, "cpu_std_percent");
}
std::vector<SeriesValue> family_gpu(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, part, "gpu_percent");
}
std::vector<SeriesValue> family_cpu_reduction(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows =
      of_ratio(analysis, part, [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); });
  for (SeriesValue& row : rows) {
    if (!row.value) continue;
    row.value = 1 - *row.value;
    if (!row.low || !row.high) continue;
    const double high = 1 - *row.low;
    row.low = 1 - *row.high;
    row.high = high;
  }
  return rows;
}

std::vector<SeriesValue> dominating(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows;
  const auto workload = [](const CellData& cell) {
    return fmt::format("{}\n{}\n{}\n{}", cell.of.device, cell.of.model.key.hash, cell.of.model.key.batch, cell.of.load);
  };
  for (const Cells& cells : grouped(analysis, part, workload)) {
    if (cells.size() < 2) continue;
    for (const std::size_t i : cells) {
      const CellData& cell = analysis.cell(i);
      SeriesValue row{.device = name_of_place(cell),
                      .compiler = compiler_of(cell),
                      .subject = cell.of.model.label,
                      .batch_sizes = std::to_string(cell.of.model.key.batch),
                      .reason = analysis.steady(i).reason};
      row.cell_ids = {cell.cell_id};
      if (row.reason.empty()) {
        row.value = static_cast<double>(std::count_if(cells.begin(), cells.end(), [&](std::size_t other) {
          return other != i && dominates(analysis, other, i);
        }));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace ngb::metrics::series
