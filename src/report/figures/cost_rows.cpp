// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of what compiling costs, and of speed against cost.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "report/figures/rows.h"
#include "report/figures/workloads.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

constexpr double kNanosecondsPerSecond = 1e9;

// Adds the lowest and the highest compile time of the cell's processes, if its phases were loaded. The phases of a cell
// that was tuned contain its tuning, so such a cell has no range.
void add_range_of_processes(Number& total, const CellData* measured, const Number& tuning) {
  if (measured == nullptr || !total.value || tuning.value.value_or(0) > 0) return;
  for (const store::RecordedProcess& process : measured->processes) {
    for (const samples::PhaseUse& phase : process.phases) {
      if (phase.phase != samples::Phase::compile) continue;
      const double wall_s = static_cast<double>(phase.wall_ns) / kNanosecondsPerSecond;
      total.low = std::min(total.low.value_or(wall_s), wall_s);
      total.high = std::max(total.high.value_or(wall_s), wall_s);
    }
  }
}

// Returns the ids of the cells that other settings of their workload dominate, as the series `dominating_count` says.
std::set<std::string> dominated_cells(const Selection& selection) {
  std::set<std::string> cells;
  for (const store::SeriesValue* value : selection.results().series) {
    if (value->series != "dominating_count" || value->value.value_or(0) == 0) continue;
    cells.insert(value->cell_ids.begin(), value->cell_ids.end());
  }
  return cells;
}

// Returns whether another cell of the workload is certainly faster and keeps the processor no busier.
bool is_dominated(const Selection& selection, const Workloads& workloads, const CellData& cell) {
  const Number speed = number_of(selection, cell, "throughput_per_s");
  const Number cpu = number_of(selection, cell, "cpu_percent");
  const std::vector<const CellData*>& around = workloads.around(cell);
  return std::any_of(around.begin(), around.end(), [&](const CellData* other) {
    const Number other_speed = number_of(selection, *other, "throughput_per_s");
    const Number other_cpu = number_of(selection, *other, "cpu_percent");
    return other_speed.low && speed.high && *other_speed.low > *speed.high && other_cpu.value && cpu.value &&
           *other_cpu.value <= *cpu.value;
  });
}

// Returns a row for each cell with its speed beside that of the fastest, and what it costs. `is_on_front` receives a
// cell.
template <class IsOnFront>
Rows speed_against_cost(const Selection& selection, const Workloads& workloads, const char* cost,
                        const IsOnFront& is_on_front) {
  std::vector<Row> rows;
  bool has_both = false;
  for (const CellData* cell : selection.cells()) {
    Row row = row_of(selection, *cell, fmt::format("batch {}", cell->batch));
    const Number paid = number_of(selection, *cell, cost);
    Number speed = workloads.ratio_to_best(*cell);
    if (!paid.value && speed.value) speed = {.reason = fmt::format("{}: {}", cost, paid.reason)};
    row[cost] = paid.value ? Row(*paid.value) : Row(nullptr);
    add_number(row, "ratio_to_best", speed, state_of(*cell));
    row["on_front"] = speed.value ? Row(is_on_front(*cell) ? "yes" : "no") : Row(nullptr);
    has_both = has_both || speed.value;
    rows.push_back(std::move(row));
  }
  if (!workloads.compare_something()) return {.why_none = "no workload has two cells with a speed"};
  if (!has_both) return {.why_none = fmt::format("no cell has both a speed and {}", cost)};
  return {.rows = std::move(rows)};
}

}  // namespace

Rows compile_time(const Selection& selection) {
  constexpr const char* kMetric = "compile_total_s";
  std::vector<Row> rows;
  for (const CellData* cell : selection.cells()) {
    Row row = row_of(selection, *cell, fmt::format("batch {}", cell->batch));
    Number total = number_of(selection, *cell, kMetric);
    const Number tuning = number_of(selection, *cell, "tuning_s");
    add_range_of_processes(total, selection.find_measured(*cell), tuning);
    row["tuning_s"] = tuning.value ? Row(*tuning.value) : Row(nullptr);
    add_number(row, kMetric, total, state_of(*cell));
    rows.push_back(std::move(row));
  }
  return rows_with(std::move(rows), kMetric, "no cell has a compile time");
}

Rows pareto_compile(const Selection& selection) {
  const Workloads workloads(selection);
  const auto dominated = dominated_cells(selection);
  return speed_against_cost(selection, workloads, "compile_total_s",
                            [&](const CellData& cell) { return !dominated.contains(cell.cell_id); });
}

Rows pareto_cpu(const Selection& selection) {
  const Workloads workloads(selection);
  return speed_against_cost(selection, workloads, "cpu_percent",
                            [&](const CellData& cell) { return !is_dominated(selection, workloads, cell); });
}

}  // namespace ngb::report::figures
