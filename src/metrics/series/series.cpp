// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "metrics/series/curves.h"
#include "metrics/series/domination.h"
#include "metrics/series/group_means.h"
#include "metrics/series/shapes.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::SeriesValue;

constexpr const char* kTableVi = "paper, table VI";
constexpr const char* kTablesViiViii = "paper, tables VII and VIII";
constexpr const char* kOurs = "ours";
constexpr const char* kFigure6 = "paper, figure 6";
constexpr const char* kFigure8 = "paper, figure 8";
constexpr const char* kFigure9 = "paper, figure 9";
constexpr const char* kFigure12 = "paper, figure 12";

// Cases of tests/truth.
constexpr const char* kTruthOfGroupRates = "a_groups_throughput_is_that_of_the_papers_table";
constexpr const char* kTruthOfGroupRatios = "a_groups_ratio_is_the_middle_of_counted_ratios";
constexpr const char* kTruthOfGroupProcessors = "a_groups_processors_are_the_mean_of_its_models";
constexpr const char* kTruthOfBlocks = "each_block_more_costs_what_a_clock_says";

constexpr char kThroughput[] = "throughput_mean_per_s";
constexpr char kThroughputWithin[] = "throughput_std_per_s";
constexpr char kCpuPercent[] = "cpu_percent";
constexpr char kCpuWithinPercent[] = "cpu_std_percent";
constexpr char kGpuPercent[] = "gpu_percent";

// A function of group_means.h with the arguments that it needs beside the part.
template <auto function, auto... arguments>
std::vector<SeriesValue> of_pool(const Analysis& analysis, const Part& part) {
  return function(analysis, part, arguments...);
}

// name, heading, unit, formula, source, has_interval, compute, truth, deviation, spans_groups
constexpr std::array kSeries{
    Series{"model_group_throughput_per_s", "throughput of a group", "samples/s",
           "mean over the group's models and batch sizes of throughput_mean_per_s", kTableVi, false,
           of_pool<pooled_mean, Pool::group, kThroughput>, kTruthOfGroupRates, "model_group_throughput_std_per_s"},
    Series{"model_group_throughput_std_per_s", "± within cells", "samples/s",
           "mean over the same cells of throughput_std_per_s", kTableVi, false,
           of_pool<pooled_mean, Pool::group, kThroughputWithin>, kTruthOfGroupRates},
    Series{"model_group_throughput_between_std_per_s", "± between cells", "samples/s",
           "sample standard deviation (n - 1) over the same cells of throughput_mean_per_s", kOurs, false,
           of_pool<pooled_deviation, Pool::group, kThroughput>, kTruthOfGroupRates},
    Series{"model_group_speed_up_ratio", "speed-up of a group", "ratio",
           "geometric mean over the group's models and batch sizes of speed_up_ratio", kTableVi, true,
           of_pool<pooled_speed_up, Pool::group>, kTruthOfGroupRatios},
    Series{"model_group_cpu_percent", "CPU % of a group", "percent", "mean over the same cells of cpu_percent",
           kTableVi, false, of_pool<pooled_mean, Pool::group, kCpuPercent>, kTruthOfGroupProcessors,
           "model_group_cpu_std_percent"},
    Series{"model_group_cpu_std_percent", "± within cells", "percent", "mean over the same cells of cpu_std_percent",
           kTableVi, false, of_pool<pooled_mean, Pool::group, kCpuWithinPercent>, kTruthOfGroupProcessors},
    Series{"model_group_cpu_reduction_ratio", "CPU reduction of a group", "ratio",
           "1 - geometric mean over the same cells of cpu_c / cpu_baseline", "paper, V-F", true,
           of_pool<pooled_cpu_reduction, Pool::group>, kTruthOfGroupProcessors},
    Series{"model_group_gpu_percent", "GPU % of a group", "percent", "mean over the same cells of gpu_percent",
           kTableVi, false, of_pool<pooled_mean, Pool::group, kGpuPercent>, kTruthOfGroupProcessors},
    Series{"model_group_batch_speed_up_ratio", "speed-up of a group at a batch size", "ratio",
           "geometric mean over the group's models at this batch size of speed_up_ratio", kFigure6, true,
           of_pool<pooled_speed_up, Pool::group_batch>, kTruthOfGroupRatios},
    Series{"model_group_batch_ase_ratio", "ASE of a group at a batch size", "ratio",
           "geometric mean over the same cells of ase_ratio", kFigure8, true, of_pool<pooled_ase, Pool::group_batch>,
           kTruthOfGroupRatios},
    Series{"model_group_batch_bsr_ratio", "BSR of a group at a batch size", "ratio",
           "geometric mean over the same cells of bsr_ratio", kFigure9, true, of_pool<pooled_bsr, Pool::group_batch>,
           kTruthOfGroupRatios},
    Series{"model_group_batch_cpu_percent", "CPU % of a group at a batch size", "percent",
           "mean over the same cells of cpu_percent", kFigure12, false,
           of_pool<pooled_mean, Pool::group_batch, kCpuPercent>, kTruthOfGroupProcessors,
           "model_group_batch_cpu_std_percent"},
    Series{"model_group_batch_cpu_std_percent", "± within cells", "percent",
           "mean over the same cells of cpu_std_percent", kFigure12, false,
           of_pool<pooled_mean, Pool::group_batch, kCpuWithinPercent>, kTruthOfGroupProcessors},
    Series{"model_group_batch_cpu_reduction_ratio", "CPU reduction of a group at a batch size", "ratio",
           "1 - geometric mean over the same cells of cpu_c / cpu_baseline", kFigure12, true,
           of_pool<pooled_cpu_reduction, Pool::group_batch>, kTruthOfGroupProcessors},
    Series{"style_batch_speed_up_ratio", "speed-up of a style at a batch size", "ratio",
           "geometric mean over the style's models at this batch size of speed_up_ratio, without stacks of blocks",
           kFigure6, true, of_pool<pooled_speed_up, Pool::style_batch>, kTruthOfGroupRatios, nullptr, true},
    Series{"style_batch_ase_ratio", "ASE of a style at a batch size", "ratio",
           "geometric mean over the same cells of ase_ratio", kFigure8, true, of_pool<pooled_ase, Pool::style_batch>,
           kTruthOfGroupRatios, nullptr, true},
    Series{"style_batch_bsr_ratio", "BSR of a style at a batch size", "ratio",
           "geometric mean over the same cells of bsr_ratio", kFigure9, true, of_pool<pooled_bsr, Pool::style_batch>,
           kTruthOfGroupRatios, nullptr, true},
    Series{
        "depth_slope_per_block", "depth slope", "1",
        "slope of least squares of speed_up_ratio (the geometric mean over rounds that is printed and drawn) against "
        "depth k: sum of w_k · speed_up_ratio at depth k, w_k = (k - k̄) / Σ(k - k̄)²; standard error from the rounds' "
        "logarithms, times the speed-up, and degrees of freedom by Satterthwaite",
        kTablesViiViii, true, depth_slope, kTruthOfBlocks},
    Series{"depth_retention_ratio", "retention", "ratio",
           "speed_up_ratio at the largest depth / speed_up_ratio at depth 1", kTablesViiViii, true, depth_retention,
           kTruthOfBlocks},
    Series{"depth_cost_s_per_block", "cost of a block", "s",
           "slope of least squares of the time of an inference, b / T of each process, against depth", kOurs, true,
           depth_cost, kTruthOfBlocks},
    Series{"batch_width_friction_ratio", "batch-width friction", "ratio",
           "RTR_c(b) at each larger width / RTR_c(b) at the smallest; below 1: batching gains less in wider blocks",
           "ours; the paper names the effect and has no formula", true, batch_width_friction,
           "batching_gains_less_in_wider_blocks_by_count"},
    Series{"capacity_ratio", "capacity", "ratio",
           "T at each larger capacity of the cache / T at the smallest one, of one decoder, context and form", kOurs,
           true, capacity, "a_larger_cache_costs_what_a_clock_says"},
    Series{
        "best_cache_ratio", "best form of the cache", "ratio",
        "T with the fastest form of the cache / T with the next fastest, of one decoder, context and capacity (growing "
        "has none); which is the best is partly chance",
        kOurs, true, best_cache_form, "the_best_form_of_a_cache_is_the_one_of_most_tokens"},
    Series{"dynamic_shapes_ratio", "dynamic shapes", "ratio",
           "T with dynamic_batch / T with the static shapes of the cell", kOurs, true, dynamic_shapes,
           "dynamic_shapes_cost_what_a_clock_says", nullptr, true},
    Series{
        "compiled_shapes_ratio", "compiled for any shape, or padded", "ratio",
        "T compiled for any size (`dynamic`), or padded (`pad_to`) / T of the same model compiled for its own; samples "
        "count without padding",
        kOurs, true, compiled_shapes, "dynamic_shapes_cost_what_a_clock_says"},
    Series{"shape_first_visit_s", "first visit of a shape", "s",
           "geometric mean over processes of the time of the shape's first visit: its inputs are handed over, and one "
           "inference runs",
           kOurs, true, first_visit, "visits_of_shapes_take_what_a_clock_says"},
    Series{"shape_second_visit_s", "second visit of a shape", "s", "likewise of its second visit", kOurs, true,
           second_visit, "visits_of_shapes_take_what_a_clock_says"},
    Series{"shape_later_visits_s", "later visits of a shape", "s",
           "geometric mean over processes of the median of the shape's steady visits", kOurs, true, later_visits,
           "visits_of_shapes_take_what_a_clock_says"},
    Series{"shape_memory_bytes", "memory of a shape", "bytes",
           "mean over processes of the resident memory gained in the shape's first visit", kOurs, true, visit_memory,
           "a_shapes_memory_is_what_its_first_visit_gains"},
    Series{"shape_speed_up_ratio", "speed-up at a shape", "ratio",
           "shape_later_visits_s of the baseline / shape_later_visits_s, by the processes of the same rounds", kOurs,
           true, visit_speed_up, "visits_of_shapes_take_what_a_clock_says"},
    Series{
        "dominating_count", "dominating settings", "1",
        "settings of the same workload whose speed is told to be higher (Holm's procedure over all pairs of the "
        "workload), whose compile_total_s is no longer and whose timed_peak_bytes is no larger; 0: on the Pareto front",
        kOurs, false, dominating, "a_setting_is_dominated_by_what_is_better_in_all_three"},
};

}  // namespace

std::span<const Series> all_series() { return kSeries; }

const Series* find_series(std::string_view name) {
  const auto* found =
      std::find_if(kSeries.begin(), kSeries.end(), [name](const Series& series) { return series.name == name; });
  return found == kSeries.end() ? nullptr : found;
}

std::vector<const store::CellData*> of_exact_models(const std::vector<store::CellData>& cells) {
  std::vector<const store::CellData*> exact;
  for (const store::CellData& cell : cells) {
    if (!cell.of.model.is_variant()) exact.push_back(&cell);
  }
  return exact;
}

std::vector<Part> parts_of(const std::vector<const store::CellData*>& cells) {
  std::map<std::string, std::size_t> known;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string name = fmt::format("{}: {}", cells[i]->of.device, model_group_of(*cells[i]));
    const auto [place, is_new] = known.emplace(name, parts.size());
    if (is_new) parts.push_back({std::move(name), {}});
    parts[place->second].cells.push_back(i);
  }
  return parts;
}

std::vector<SeriesValue> values_of(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> all;
  for (const Series& series : kSeries) {
    if (series.spans_groups != part.name.empty()) continue;
    for (SeriesValue& value : series.compute(analysis, part)) {
      value.series = series.name;
      all.push_back(std::move(value));
    }
  }
  return all;
}

}  // namespace ngb::metrics::series
