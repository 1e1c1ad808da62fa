// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/group_means.h"

#include <fmt/format.h>

#include "metrics/series/cell_groups.h"
#include "metrics/series/workload.h"
#include "statistics/statistics.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesValue;

std::string style_name(const CellData& cell) {
  return is_of_blocks(cell) || !style_of(cell) ? std::string() : cell.of.model.style;
}

NameOf names_in(Pool pool) { return pool == Pool::style_batch ? style_name : model_group_of; }

// Returns the cells of each row that have at least this batch size.
std::vector<Cells> cells_of_pools(const Analysis& analysis, const Part& part, Pool pool, int least = 1) {
  return grouped(analysis, part, [&](const CellData& cell) {
    const std::string name = names_in(pool)(cell);
    const int batch = cell.of.model.key.batch;
    return name.empty() || batch < least ? std::string()
                                         : fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell),
                                                       pool == Pool::group ? first_of_batch_group(batch) : batch, name);
  });
}

}  // namespace

std::vector<SeriesValue> pooled_mean(const Analysis& analysis, const Part& part, Pool pool, const char* metric) {
  return of_metric(analysis, cells_of_pools(analysis, part, pool), names_in(pool), metric,
                   [](const std::vector<double>& values, SeriesValue& row) { row.value = statistics::mean(values); });
}

std::vector<SeriesValue> pooled_deviation(const Analysis& analysis, const Part& part, Pool pool, const char* metric) {
  return of_metric(analysis, cells_of_pools(analysis, part, pool), names_in(pool), metric,
                   [](const std::vector<double>& values, SeriesValue& row) {
                     row.value = statistics::standard_deviation(values);
                     if (!row.value) row.reason = "needs 2 cells";
                   });
}

std::vector<SeriesValue> pooled_speed_up(const Analysis& analysis, const Part& part, Pool pool) {
  return geometric_mean(analysis, without_baselines(analysis, cells_of_pools(analysis, part, pool)), names_in(pool),
                        [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); });
}

// All models of a row have one batch size b, so the mean of RTR / b is that of RTR, divided by b.
std::vector<SeriesValue> pooled_ase(const Analysis& analysis, const Part& part, Pool pool) {
  auto rows = geometric_mean(analysis, cells_of_pools(analysis, part, pool, 2), names_in(pool),
                             [&](std::size_t i, double weight) { return log_rtr(analysis, i, weight); });
  for (SeriesValue& row : rows) {
    const double batch = std::stoi(row.batch_sizes);
    for (auto* const number : {&row.value, &row.low, &row.high}) {
      if (*number) *number = **number / batch;
    }
  }
  return rows;
}

std::vector<SeriesValue> pooled_bsr(const Analysis& analysis, const Part& part, Pool pool) {
  const auto log_bsr = [&](std::size_t i, double weight) -> Relation {
    const auto single = analysis.single_of(i);
    if (!single) return {{}, "batch 1 was not measured here"};
    return sum_of({log_speed_up(analysis, i, weight), log_speed_up(analysis, *single, -weight)});
  };
  return geometric_mean(analysis, without_baselines(analysis, cells_of_pools(analysis, part, pool, 2)), names_in(pool),
                        log_bsr);
}

std::vector<SeriesValue> pooled_cpu_reduction(const Analysis& analysis, const Part& part, Pool pool) {
  auto rows =
      geometric_mean(analysis, without_baselines(analysis, cells_of_pools(analysis, part, pool)), names_in(pool),
                     [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); });
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

}  // namespace ngb::metrics::series
