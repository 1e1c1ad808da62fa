// SPDX-License-Identifier: Apache-2.0
// Makes cells by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/families.h"
#include "metrics/metric.h"

namespace ngb::made_up {

inline store::CellData cell(const std::string& compiler, int batch) {
  store::CellData made;
  made.cell_id = compiler + "-" + std::to_string(batch);
  made.of.device = "local";
  made.of.model.label = "resnet18";
  made.of.model.key.hash = "feedface";
  made.of.model.key.batch = batch;
  made.of.compiler.name = made.of.compiler.label = compiler;
  made.of.compiler.version = "1.0";
  made.of.threads = 2;
  made.of.compiler.precision = "f32";
  made.device_cpus = 8;
  return made;
}

// Returns a completed process: compiled in 2 s with 3 s of processor time, one warm-up repetition of 50 ms, then
// repetitions of these times, with `busy_cpus` busy processors in the timed phase.
inline store::RecordedProcess process(int index, const std::vector<double>& times_ms, std::uint32_t inferences = 1,
                                      double busy_cpus = 1.5) {
  store::RecordedProcess made;
  made.process_index = index;
  made.environment_hash = "here";
  constexpr std::int64_t kWarmUp_ns = 50'000'000;
  made.repetitions.push_back({kWarmUp_ns, inferences, true, 0});
  std::int64_t timed_ns = 0;
  for (const double time_ms : times_ms) {
    made.repetitions.push_back({std::llround(time_ms * 1e6), inferences, false, kWarmUp_ns + timed_ns});
    timed_ns += made.repetitions.back().wall_ns;
  }
  made.phases = {{samples::Phase::compile, 2'000'000'000, Known<std::int64_t>::of(3'000'000'000),
                  Known<std::uint64_t>::of(70'000'000)},
                 {samples::Phase::timed, timed_ns,
                  Known<std::int64_t>::of(std::llround(busy_cpus * static_cast<double>(timed_ns))),
                  Known<std::uint64_t>::of(90'000'000), kWarmUp_ns}};
  made.check = samples::Check{"identity 2.15.0", 1000, Known<double>::of(1e-6), Known<double>::of(1e-5)};
  return made;
}

inline store::CellData cell_of(const std::string& compiler, int batch,
                               const std::vector<store::RecordedProcess>& processes) {
  store::CellData made = cell(compiler, batch);
  made.processes = processes;
  made.planned_processes = static_cast<int>(processes.size());
  return made;
}

inline void add_reading(store::CellData& cell, std::size_t process, const char* quantity, double value) {
  cell.processes[process].readings.push_back({quantity, "", "", Known<double>::of(value)});
}

inline store::CellData on(const std::string& compute_device, store::CellData cell) {
  cell.of.compute_device = Known<std::string>::of(compute_device);
  return cell;
}

inline store::RecordedProcess failure(int index, samples::FailureKind kind) {
  store::RecordedProcess made;
  made.process_index = index;
  made.failure = samples::Failure{kind, samples::Phase::check, "", "", std::nullopt, std::nullopt};
  return made;
}

// Groups the cells (as indices) by device and model, with its variants; metrics relate only cells of one such family.
// Families are in the order of their first cells.
inline std::vector<std::vector<std::size_t>> families(const std::vector<store::CellData>& cells) {
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [place, is_new] =
        known.emplace(cells[i].of.device + '\n' + cells[i].of.model.workload_hash(), families.size());
    if (is_new) families.emplace_back();
    families[place->second].push_back(i);
  }
  return families;
}

// Returns the values of all cells, cell by cell: those of every metric, then the raised flags.
inline std::vector<store::DerivedValue> values_of(const std::vector<store::CellData>& cells,
                                                  const metrics::Baseline& baseline = {}) {
  std::map<std::string, double> highest_hz;
  for (const store::CellData& each : cells) {
    for (const samples::ProcessResult& process : each.processes) {
      for (const samples::Reading& reading : process.readings) {
        if (reading.quantity == "frequency" && reading.value.value)
          highest_hz[each.of.device] = std::max(highest_hz[each.of.device], *reading.value.value);
      }
    }
  }
  std::vector<std::vector<store::DerivedValue>> by_cell(cells.size());
  for (const std::vector<std::size_t>& family : families(cells)) {
    std::vector<const store::CellData*> members;
    for (const std::size_t index : family) members.push_back(&cells[index]);
    const metrics::Analysis analysis(std::move(members), baseline);
    auto values = metrics::compute_family(analysis, metrics::all_metrics(), highest_hz);
    for (std::size_t i = 0; i < values.size(); ++i) by_cell[family[i]] = std::move(values[i]);
  }
  std::vector<store::DerivedValue> all;
  for (auto& values : by_cell) std::move(values.begin(), values.end(), std::back_inserter(all));
  return all;
}

// Returns the value of a metric of a cell, both found by name.
inline store::DerivedValue value_of(const std::vector<store::CellData>& cells, const std::string& cell_id,
                                    const std::string& metric) {
  for (const store::DerivedValue& value : values_of(cells)) {
    if (value.cell_id == cell_id && value.metric == metric) return value;
  }
  return {cell_id, metric, {}, {}, {}, "no such row"};
}

// Returns the names of the flags that the cell raises, in a study of its own.
inline std::vector<std::string> flags(const store::CellData& cell) {
  constexpr std::string_view kPrefix = "flag_";
  std::vector<std::string> raised;
  for (const store::DerivedValue& value : values_of({cell})) {
    const std::string& name = value.metric;
    if (name.starts_with(kPrefix)) raised.push_back(name.substr(kPrefix.size()));
  }
  return raised;
}

}  // namespace ngb::made_up
