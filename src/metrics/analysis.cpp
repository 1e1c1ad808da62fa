// SPDX-License-Identifier: Apache-2.0
#include "metrics/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "work/property.h"

namespace ngb::metrics {
namespace {

using store::CellData;
using work::Role;

// Identifies a cell's family and setting, whatever its batch size, its load and its number of instances are.
std::string family_and_setting_of(const work::Configuration& of, const std::string& label_among_equals) {
  return work::key_of(of, {Role::device, Role::model, Role::precision, Role::threads, Role::compiler, Role::version,
                           Role::options}) +
         label_among_equals;
}

// Returns the same of the cell of a variant's exact model that differs in nothing else.
std::string exact_setting_of(const CellData& cell, const std::string& label_among_equals) {
  work::Configuration exact = cell.of;
  exact.model.key.hash = cell.of.model.workload_hash();
  return family_and_setting_of(exact, label_among_equals);
}

std::string choice_of(const CellData& cell) {
  return work::key_of(cell.of, {Role::device, Role::model, Role::precision, Role::batch, Role::compiler,
                                Role::compute_device, Role::load});
}

// The logarithm of T in docs/metrics.md. Precondition: the cell has a speed.
double log_speed_of(const Steady& steady) {
  double sum = 0;
  for (const OfRound& process : steady.throughput_by_process) sum += std::log(process.value);
  return sum / static_cast<double>(steady.throughput_by_process.size());
}

Known<std::vector<OfRound>> find_busy_cpus(const CellData& cell, const Steady& steady) {
  using Cpus = Known<std::vector<OfRound>>;
  if (!steady.reason.empty()) return Cpus::unknown(steady.reason);
  std::vector<OfRound> busy;
  for (const store::RecordedProcess& process : cell.processes) {
    for (const samples::PhaseUse& use : process.phases) {
      if (use.phase != samples::Phase::timed) continue;
      if (!use.cpu_ns.value) return Cpus::unknown(use.cpu_ns.reason);
      if (use.wall_ns <= 0) continue;
      busy.push_back({process.run_key, process.process_index,
                      static_cast<double>(*use.cpu_ns.value) / static_cast<double>(use.wall_ns),
                      process.environment_hash});
    }
  }
  if (busy.empty()) return Cpus::unknown("no process recorded its use of the processor");
  return Cpus::of(std::move(busy));
}

}  // namespace

Analysis::Analysis(std::vector<const CellData*> cells, Baseline baseline, std::vector<const Steady*> given)
    : cells_(std::move(cells)),
      baseline_(std::move(baseline)),
      baselines_(cells_, baseline_),
      identities_(baseline_.is_identity() ? baselines_ : BaselineCells(cells_, Baseline())),
      without_python_(cells_, Baseline::of_compiler(kWithoutPython)),
      settings_(cells_),
      steady_(std::move(given)),
      related_(cells_.size()) {
  if (steady_.empty()) {
    for (const CellData* cell : cells_) own_.push_back(metrics::steady(*cell));
    for (const Steady& each : own_) steady_.push_back(&each);
  }
  const auto key_of = [](const std::string& setting, int batch, const std::string& load, int instances) {
    return fmt::format("{}{}\n{}\n{}", setting, batch, load, instances);
  };
  std::unordered_map<std::string, std::size_t> first;
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    settings.push_back(family_and_setting_of(cells_[i]->of, settings_.label_among_equals(*cells_[i])));
    first.emplace(
        key_of(settings[i], cells_[i]->of.model.key.batch, cells_[i]->of.load, cells_[i]->of.compiler.instances), i);
  }
  const auto find_setting = [&](std::size_t cell, const std::string& setting, int batch, const std::string& load,
                                int instances) -> std::optional<std::size_t> {
    const auto found = first.find(key_of(setting, batch, load, instances));
    const bool is_found = found != first.end() && may_share_compute_device(*cells_[cell], *cells_[found->second]);
    return is_found ? std::optional(found->second) : std::nullopt;
  };
  const auto find = [&](std::size_t cell, int batch, const std::string& load, int instances) {
    return find_setting(cell, settings[cell], batch, load, instances);
  };
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellData& cell = *cells_[i];
    RelatedCells& related = related_[i];
    related.busy_cpus = find_busy_cpus(cell, steady(i));
    related.single = find(i, 1, cell.of.load, cell.of.compiler.instances);
    related.without_load = find(i, cell.of.model.key.batch, work::kNoLoad, cell.of.compiler.instances);
    related.one_instance = find(i, cell.of.model.key.batch, cell.of.load, 1);
    if (cell.of.model.is_variant()) {
      related.exact = find_setting(i, exact_setting_of(cell, settings_.label_among_equals(cell)),
                                   cell.of.model.key.batch, cell.of.load, cell.of.compiler.instances);
    }
  }
  find_best_others();
}

void Analysis::find_best_others() {
  std::unordered_map<std::string, std::vector<std::size_t>> choices;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (steady(i).reason.empty()) choices[choice_of(*cells_[i])].push_back(i);
  }
  const auto speed = [this](std::size_t i) { return log_speed_of(steady(i)); };
  for (auto& [name, choice] : choices) {
    std::sort(choice.begin(), choice.end(), [&](std::size_t a, std::size_t b) { return speed(a) > speed(b); });
    for (const std::size_t i : choice) {
      if (i != choice.front()) related_[i].best_other = choice.front();
    }
    if (choice.size() > 1) related_[choice.front()].best_other = choice[1];
  }
}

}  // namespace ngb::metrics
