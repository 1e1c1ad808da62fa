// SPDX-License-Identifier: Apache-2.0
// The rows of the figures of what compiling costs, and of speed against cost.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/figures/rows.h"
#include "report/figures/workloads.h"

namespace ngb::report::figures {
namespace {

using store::CellData;

constexpr double kNanosecondsPerSecond = 1e9;

// Adds the lowest and the highest compile time of the cell's processes. The phases of a cell that was tuned contain its
// tuning, so such a cell has no range.
void add_range_of_processes(Number& total, const CellData& cell, const Number& tuning) {
  if (!total.value || tuning.value.value_or(0) > 0) return;
  for (const store::RecordedProcess& process : cell.processes) {
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

// Returns the cells of which another cell of the workload is faster, by the interval of their ratio, and keeps the
// processor no busier.
std::set<const CellData*> dominated_by_cpu(const Selection& selection, const Workloads& workloads) {
  std::set<const CellData*> dominated;
  for (const std::vector<const CellData*>* cells : workloads.all()) {
    std::vector<Number> used;
    for (const CellData* cell : *cells) {
      Number cpu = number_of(selection, *cell, "cpu_percent");
      if (cpu.value) used.push_back(std::move(cpu));
    }
    for (const Number& own : used) {
      const bool is_dominated = std::any_of(used.begin(), used.end(), [&](const Number& other) {
        return *other.value <= *own.value && selection.results().numbers.ratio(*other.of, *own.of).is_above_one();
      });
      if (is_dominated) dominated.insert(own.of);
    }
  }
  return dominated;
}

// Returns a row for each cell with its speed beside that of the fastest, and what it costs. `is_on_front` receives a
// cell.
template <class IsOnFront>
Rows speed_against_cost(const Selection& selection, const Workloads& workloads, const char* cost,
                        const IsOnFront& is_on_front) {
  std::vector<Row> rows;
  bool has_both = false;
  for (const CellData* cell : selection.cells()) {
    Row row = row_of(selection, *cell, fmt::format("batch {}", cell->of.model.key.batch));
    const Number paid = number_of(selection, *cell, cost);
    Number speed = workloads.ratio_to_best(*cell);
    if (!paid.value && speed.value) {
      speed = {.reason = fmt::format("{}: {}", cost, paid.reason), .quantity = speed.quantity, .of = cell};
    }
    row[cost] = or_null(paid.value);
    add_number(row, speed);
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
    Row row = row_of(selection, *cell, fmt::format("batch {}", cell->of.model.key.batch));
    Number total = number_of(selection, *cell, kMetric);
    const Number tuning = number_of(selection, *cell, "tuning_s");
    add_range_of_processes(total, *cell, tuning);
    row["tuning_s"] = or_null(tuning.value);
    add_number(row, total);
    rows.push_back(std::move(row));
  }
  selection.add_published(kMetric, rows);
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
  const auto dominated = dominated_by_cpu(selection, workloads);
  return speed_against_cost(selection, workloads, "cpu_percent",
                            [&](const CellData& cell) { return !dominated.contains(&cell); });
}

}  // namespace ngb::report::figures
