// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/batch_means.h"

#include <fmt/format.h>

#include "metrics/series/cell_groups.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesValue;

std::string style_name(const CellData& cell) {
  return is_of_blocks(cell) || !style_of(cell) ? std::string() : cell.of.model.style;
}

// Returns the cells of each setting, batch size and name that have at least this batch size.
std::vector<Cells> at_each_batch(const Analysis& analysis, const Part& part, const NameOf& name_of, int least) {
  return grouped(analysis, part, [&](const CellData& cell) {
    const std::string name = name_of(cell);
    return name.empty() || cell.of.model.key.batch < least
               ? std::string()
               : fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), cell.of.model.key.batch,
                             name);
  });
}

std::vector<SeriesValue> mean_speed_up(const Analysis& analysis, const Part& part, const NameOf& name_of) {
  return geometric_mean(analysis, without_baselines(analysis, at_each_batch(analysis, part, name_of, 1)), name_of,
                        [&](std::size_t i, double weight) { return log_speed_up(analysis, i, weight); });
}

// All models of a row have one batch size b, so the mean of RTR / b is that of RTR, divided by b.
std::vector<SeriesValue> mean_ase(const Analysis& analysis, const Part& part, const NameOf& name_of) {
  auto rows = geometric_mean(analysis, at_each_batch(analysis, part, name_of, 2), name_of,
                             [&](std::size_t i, double weight) { return log_rtr(analysis, i, weight); });
  for (SeriesValue& row : rows) {
    const double batch = std::stoi(row.batch_sizes);
    for (auto* const number : {&row.value, &row.low, &row.high}) {
      if (*number) *number = **number / batch;
    }
  }
  return rows;
}

std::vector<SeriesValue> mean_bsr(const Analysis& analysis, const Part& part, const NameOf& name_of) {
  const auto log_bsr = [&](std::size_t i, double weight) -> Relation {
    const auto single = analysis.single_of(i);
    if (!single) return {{}, "batch 1 was not measured here"};
    return sum_of({log_speed_up(analysis, i, weight), log_speed_up(analysis, *single, -weight)});
  };
  return geometric_mean(analysis, without_baselines(analysis, at_each_batch(analysis, part, name_of, 2)), name_of,
                        log_bsr);
}

}  // namespace

std::vector<SeriesValue> family_batch_speed_up(const Analysis& analysis, const Part& part) {
  return mean_speed_up(analysis, part, model_group_of);
}
std::vector<SeriesValue> family_batch_ase(const Analysis& analysis, const Part& part) {
  return mean_ase(analysis, part, model_group_of);
}
std::vector<SeriesValue> family_batch_bsr(const Analysis& analysis, const Part& part) {
  return mean_bsr(analysis, part, model_group_of);
}
std::vector<SeriesValue> family_batch_cpu(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, at_each_batch(analysis, part, model_group_of, 1), model_group_of, "cpu_percent");
}
std::vector<SeriesValue> family_batch_cpu_within(const Analysis& analysis, const Part& part) {
  return mean_of_metric(analysis, at_each_batch(analysis, part, model_group_of, 1), model_group_of, "cpu_std_percent");
}
std::vector<SeriesValue> family_batch_cpu_reduction(const Analysis& analysis, const Part& part) {
  return reductions(
      geometric_mean(analysis, without_baselines(analysis, at_each_batch(analysis, part, model_group_of, 1)),
                     model_group_of, [&](std::size_t i, double weight) { return log_cpu_ratio(analysis, i, weight); }));
}

std::vector<SeriesValue> style_batch_speed_up(const Analysis& analysis, const Part& part) {
  return mean_speed_up(analysis, part, style_name);
}
std::vector<SeriesValue> style_batch_ase(const Analysis& analysis, const Part& part) {
  return mean_ase(analysis, part, style_name);
}
std::vector<SeriesValue> style_batch_bsr(const Analysis& analysis, const Part& part) {
  return mean_bsr(analysis, part, style_name);
}

}  // namespace ngb::metrics::series
