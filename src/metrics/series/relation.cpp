// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "metrics/ratios.h"
#include "metrics/series/workload.h"
#include "statistics/sequential.h"

namespace ngb::metrics::series {
namespace {

// Names the cells of the parts that were added to `found` as the logarithm of a ratio of two cells.
void name_cells(Relation& found, std::size_t cell, std::size_t other) {
  if (found.parts.size() == 2)
    found.cells = {{cell}, {other}};
  else
    found.cells.push_back(cell == other ? std::vector{cell} : std::vector{cell, other});
}

// Adds the part to another one of the same cells: both lists are of the same processes or rounds, in the same order.
void add_to_part(statistics::Part& sum, const statistics::Part& part) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) {
    sum.values[i] = sum.weight * sum.values[i] + part.weight * part.values[i];
  }
  sum.weight = 1;
}

bool is_a_cell_in_two_parts(const Relation& sum) {
  std::set<std::size_t> seen;
  for (const auto& cells : sum.cells) {
    for (const std::size_t cell : cells) {
      if (!seen.insert(cell).second) return true;
    }
  }
  return false;
}

}  // namespace

std::string why_no_speed(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  const std::string& reason = steady.reason.empty() ? steady.no_verdict : steady.reason;
  if (reason.empty()) return {};
  const store::CellData& data = analysis.cell(cell);
  return fmt::format("{}, batch {}, {}: {}", data.of.model.label, data.of.model.key.batch, data.of.compiler.label,
                     reason);
}

Relation log_ratio(const Analysis& analysis, std::size_t cell, std::size_t other, double weight) {
  Relation found;
  for (const std::size_t each : {cell, other}) {
    if (found.reason.empty()) found.reason = why_no_speed(analysis, each);
  }
  if (!found.reason.empty()) return found;
  add_speed_ratio(found.parts, analysis.steady(cell), analysis.steady(other),
                  share_rounds(analysis.cell(cell), analysis.cell(other)), weight);
  name_cells(found, cell, other);
  return found;
}

Relation contrast_by(const Judged& by, const Analysis& analysis, std::size_t cell, std::size_t other) {
  if (by.metric == nullptr) return log_ratio(analysis, cell, other);
  Relation found;
  for (const std::size_t each : {cell, other}) {
    const auto& judged = analysis.steady(each).judged;
    if (found.reason.empty()) found.reason = why_no_speed(analysis, each);
    if (found.reason.empty()) found.reason = judged ? judged->reason : fmt::format("{} was not read", by.name());
  }
  if (!found.reason.empty()) return found;
  found.parts = question_by(by, *analysis.steady(cell).judged->value, *analysis.steady(other).judged->value,
                            share_rounds(analysis.cell(cell), analysis.cell(other)));
  name_cells(found, cell, other);
  return found;
}

Relation log_speed_up(const Analysis& analysis, std::size_t cell, double weight) {
  const std::optional<std::size_t> baseline = analysis.baseline_of(cell);
  if (!baseline) return {{}, analysis.why_no_baseline(cell)};
  return log_ratio(analysis, cell, *baseline, weight);
}

Relation log_rtr(const Analysis& analysis, std::size_t cell, double weight) {
  const std::optional<std::size_t> single = analysis.single_of(cell);
  if (!single) return {{}, "batch 1 was not measured here"};
  return log_ratio(analysis, cell, *single, weight);
}

Relation log_cpu_ratio(const Analysis& analysis, std::size_t cell, double weight) {
  const std::optional<std::size_t> baseline = analysis.baseline_of(cell);
  if (!baseline) return {{}, analysis.why_no_baseline(cell)};
  for (const std::size_t each : {cell, *baseline}) {
    const auto& busy = analysis.busy_cpus(each);
    if (!busy.value) return {{}, busy.reason};
    if (!are_above_zero(*busy.value)) return {{}, "a process used less processor time than the clock resolves"};
  }
  Relation found;
  add_log_ratio(found.parts, *analysis.busy_cpus(cell).value, *analysis.busy_cpus(*baseline).value,
                share_rounds(analysis.cell(cell), analysis.cell(*baseline)), weight);
  name_cells(found, cell, *baseline);
  return found;
}

Relation log_speed(const Analysis& analysis, std::size_t cell, double weight) {
  Relation found{{}, why_no_speed(analysis, cell)};
  if (!found.reason.empty()) return found;
  statistics::Part part{{}, weight};
  for (const OfRound& each : analysis.steady(cell).throughput_by_process) part.values.push_back(std::log(each.value));
  found.parts.push_back(std::move(part));
  found.cells = {{cell}};
  return found;
}

Relation sum_of(std::vector<Relation> relations) {
  Relation sum;
  for (Relation& each : relations) {
    if (!each.reason.empty()) return {{}, std::move(each.reason)};
    for (std::size_t i = 0; i < each.parts.size(); ++i) {
      const auto same = std::find(sum.cells.begin(), sum.cells.end(), each.cells[i]);
      if (same != sum.cells.end()) {
        add_to_part(sum.parts[static_cast<std::size_t>(same - sum.cells.begin())], each.parts[i]);
        continue;
      }
      sum.parts.push_back(std::move(each.parts[i]));
      sum.cells.push_back(std::move(each.cells[i]));
    }
  }
  if (is_a_cell_in_two_parts(sum)) return {{}, "a cell would count in two parts that are taken as independent"};
  return sum;
}

bool has_enough_processes(const Relation& relation) {
  return std::all_of(relation.parts.begin(), relation.parts.end(),
                     [](const statistics::Part& part) { return part.values.size() >= statistics::kLeastRounds; });
}

statistics::Context context_of(const Analysis& analysis, std::size_t cell, std::optional<std::size_t> other) {
  const auto& rounds = analysis.cell(cell).rounds;
  statistics::Context context;
  if (rounds) context.looked_at = std::clamp(rounds->max, statistics::kFirstLook, statistics::kMostLookedAt);
  const std::string one = analysis.settings().of(analysis.cell(cell));
  const std::string two = other ? analysis.settings().of(analysis.cell(*other)) : std::string();
  context.sides = place_of(analysis.cell(cell)) + '\n' + std::min(one, two) + '\n' + std::max(one, two);
  return context;
}

Value ratio_value(const Analysis& analysis, const Relation& relation, std::size_t intervals) {
  if (!relation.reason.empty()) return {.reason = relation.reason};
  const double error_rate = analysis.error_rate() / static_cast<double>(intervals);
  return ratio_of(statistics::contrast(relation.parts, error_rate));
}

}  // namespace ngb::metrics::series
