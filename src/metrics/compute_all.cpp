// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

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

std::map<std::string, double> highest_frequencies_hz(const std::vector<CellData>& cells) {
  std::map<std::string, double> highest;
  for (const CellData& cell : cells) {
    for (const samples::ProcessResult& process : cell.processes) {
      for (const samples::Reading& reading : process.readings) {
        if (reading.quantity != "frequency" || !reading.value.value) continue;
        double& device = highest[cell.of.device];
        device = std::max(device, *reading.value.value);
      }
    }
  }
  return highest;
}

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

std::vector<DerivedValue> compute_all(const std::vector<CellData>& cells, int threads, const Baseline& baseline) {
  const auto groups = families(cells);
  const std::map<std::string, double> highest_hz = highest_frequencies_hz(cells);
  const std::vector<const Metric*> all_of_them = all_metrics();
  std::vector<std::vector<DerivedValue>> by_cell(cells.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t group = next++; group < groups.size(); group = next++) {
      std::vector<const CellData*> members;
      for (const std::size_t index : groups[group]) members.push_back(&cells[index]);
      const Analysis analysis(std::move(members), baseline);
      auto values = compute_family(analysis, all_of_them, highest_hz);
      for (std::size_t i = 0; i < values.size(); ++i) by_cell[groups[group][i]] = std::move(values[i]);
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
