// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "base/hash.h"
#include "metrics/analysis.h"
#include "metrics/compute_family.h"
#include "metrics/metric.h"

namespace ngb::metrics {
namespace {

using store::CellData;
using store::DerivedValue;

// Raise this when a formula's code changes but its text does not.
constexpr int kRevision = 3;

void add_flags(const Analysis& analysis, std::size_t index, const std::map<std::string, double>& highest_hz,
               std::vector<DerivedValue>& values) {
  const CellData& cell = analysis.cell(index);
  if (cell.processes.empty() || decisive_failure(cell) != nullptr) return;
  const std::optional<std::size_t> baseline = analysis.baseline_of(index);
  const auto highest = highest_hz.find(cell.of.device);
  const Evidence evidence{cell, analysis.steady(index).spread_ratio, baseline ? &analysis.cell(*baseline) : nullptr,
                          highest == highest_hz.end() ? std::nullopt : std::optional(highest->second)};
  for (const Flag& flag : flag_table()) {
    const std::optional<double> raised = flag.raised_by(evidence);
    if (raised) values.push_back({cell.cell_id, fmt::format("flag_{}", flag.name), raised, {}, {}, {}});
  }
}

}  // namespace

std::vector<const Metric*> all_metrics() {
  std::vector<const Metric*> all;
  for (const Metric& metric : metrics()) all.push_back(&metric);
  return all;
}

std::vector<std::vector<DerivedValue>> compute_family(const Analysis& analysis, std::span<const Metric* const> metrics,
                                                      const std::map<std::string, double>& highest_hz) {
  std::vector<std::vector<DerivedValue>> by_cell(analysis.size());
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    by_cell[i].reserve(metrics.size());
    for (const Metric* metric : metrics) {
      Value value = metric->compute(analysis, i);
      by_cell[i].push_back(
          {analysis.cell(i).cell_id, metric->name, value.value, value.low, value.high, std::move(value.reason)});
    }
    add_flags(analysis, i, highest_hz, by_cell[i]);
  }
  return by_cell;
}

std::string formulas_version() {
  std::string text = std::to_string(kRevision);
  for (const Metric& metric : metrics()) text += fmt::format("\n{}: {}", metric.name, metric.formula);
  for (const Flag& flag : flag_table()) text += fmt::format("\n{}: {}", flag.name, flag.threshold);
  return hash::sha256(text).substr(0, 16);
}

}  // namespace ngb::metrics
