// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "base/hash.h"
#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {
namespace {

using store::CellData;
using store::DerivedValue;

// Raise this when a formula's code changes but its text does not.
constexpr int kRevision = 3;

std::map<std::string, double> highest_frequencies_hz(const std::vector<CellData>& cells) {
  std::map<std::string, double> highest;
  for (const CellData& cell : cells) {
    for (const samples::ProcessResult& process : cell.processes) {
      for (const samples::Reading& reading : process.readings) {
        if (reading.quantity != "frequency" || !reading.value.value) continue;
        double& device = highest[cell.device];
        device = std::max(device, *reading.value.value);
      }
    }
  }
  return highest;
}

void add_flags(const CellData& cell, const CellData* baseline, std::optional<double> highest_hz,
               std::vector<DerivedValue>& values) {
  if (cell.processes.empty() || decisive_failure(cell) != nullptr) return;
  const auto spread = std::find_if(values.begin(), values.end(),
                                   [](const DerivedValue& value) { return value.metric == "spread_ratio"; });
  const Evidence evidence{cell, spread == values.end() ? std::nullopt : spread->value, baseline, highest_hz};
  for (const Flag& flag : flag_table()) {
    const std::optional<double> raised = flag.raised_by(evidence);
    if (raised) values.push_back({cell.cell_id, fmt::format("flag_{}", flag.name), raised, {}, {}, {}});
  }
}

}  // namespace

std::vector<DerivedValue> compute_all(const std::vector<CellData>& cells, int threads, const Baseline& baseline) {
  const auto groups = families(cells);
  const std::map<std::string, double> highest_hz = highest_frequencies_hz(cells);
  std::vector<std::vector<DerivedValue>> by_cell(cells.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t group = next++; group < groups.size(); group = next++) {
      std::vector<const CellData*> members;
      for (const std::size_t index : groups[group]) members.push_back(&cells[index]);
      const Analysis analysis(std::move(members), baseline);
      for (std::size_t i = 0; i < analysis.size(); ++i) {
        const CellData& cell = analysis.cell(i);
        std::vector<DerivedValue>& values = by_cell[groups[group][i]];
        for (const Metric& metric : metrics()) {
          Value value = metric.compute(analysis, i);
          values.push_back({cell.cell_id, metric.name, value.value, value.low, value.high, std::move(value.reason)});
        }
        const auto highest = highest_hz.find(cell.device);
        const std::optional<std::size_t> base = analysis.baseline_of(i);
        add_flags(cell, base ? &analysis.cell(*base) : nullptr,
                  highest == highest_hz.end() ? std::nullopt : std::optional(highest->second), values);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(work);
    work();
  }
  std::vector<DerivedValue> all;
  for (std::vector<DerivedValue>& values : by_cell) std::move(values.begin(), values.end(), std::back_inserter(all));
  return all;
}

std::string formulas_version() {
  std::string text = std::to_string(kRevision);
  for (const Metric& metric : metrics()) text += fmt::format("\n{}: {}", metric.name, metric.formula);
  for (const Flag& flag : flag_table()) text += fmt::format("\n{}: {}", flag.name, flag.threshold);
  return hash::sha256(text).substr(0, 16);
}

}  // namespace ngb::metrics
