// SPDX-License-Identifier: Apache-2.0
#include "metrics/outcome.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "metrics/baseline.h"
#include "metrics/decoding.h"
#include "metrics/metric.h"
#include "metrics/service_times.h"
#include "metrics/shape_visits.h"
#include "samples/steady_rates.h"
#include "statistics/sequential.h"
#include "statistics/statistics.h"

namespace ngb::metrics {

namespace {

bool was_overcome(const samples::ProcessResult& failed, const store::CellData& cell) {
  return std::any_of(cell.processes.begin(), cell.processes.end(), [&](const samples::ProcessResult& completed) {
    return completed.process_index == failed.process_index;
  });
}

}  // namespace

bool is_of_process(const OfRound& number, const store::RecordedProcess& process) {
  return number.run_key == process.run_key && number.round == process.process_index &&
         number.environment_hash == process.environment_hash;
}

std::vector<const samples::ProcessResult*> lost_processes(const store::CellData& cell) {
  std::map<int, const samples::ProcessResult*> lost;
  for (const samples::ProcessResult& failed : cell.failed) {
    const bool counts = failed.failure && failed.failure->kind != samples::FailureKind::disturbed;
    if (counts && !was_overcome(failed, cell)) lost[failed.process_index] = &failed;
  }
  std::vector<const samples::ProcessResult*> found;
  for (const auto& [index, failed] : lost) found.push_back(failed);
  return found;
}

const samples::ProcessResult* decisive_failure(const store::CellData& cell) {
  for (const samples::ProcessResult& failed : cell.failed) {
    if (!was_overcome(failed, cell) && failed.failure && !samples::is_worth_retrying(failed.failure->kind)) {
      return &failed;
    }
  }
  return cell.processes.empty() && !cell.failed.empty() ? &cell.failed.back() : nullptr;
}

bool is_disturbed(const store::CellData& cell) {
  const samples::ProcessResult* const failed = decisive_failure(cell);
  return failed != nullptr && failed->failure->kind == samples::FailureKind::disturbed;
}

namespace {

// Returns the speeds of the processes in their first repetitions, or in a few fewer (next_like_count).
std::vector<OfRound> speeds_of_first(const Steady& steady, std::size_t repetitions) {
  std::size_t kept = 1;
  for (std::size_t count = 1; next_like_count(count) <= repetitions; count = next_like_count(count)) ++kept;
  std::vector<OfRound> speeds = steady.throughput_by_process;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::vector<double>& of_first = steady.speeds_of_first[i];
    speeds[i].value = of_first[std::min(kept, of_first.size()) - 1];
  }
  return speeds;
}

}  // namespace

LikeSpeeds like_speeds(const Steady& a, const Steady& b) {
  if (!a.fewest_repetitions || !b.fewest_repetitions || a.fewest_repetitions == b.fewest_repetitions) {
    return {a.throughput_by_process, b.throughput_by_process};
  }
  const std::size_t fewest = std::min(*a.fewest_repetitions, *b.fewest_repetitions);
  return {speeds_of_first(a, fewest), speeds_of_first(b, fewest)};
}

double interval_error_rate(const store::CellData& cell) {
  return cell.rounds ? statistics::nominal_error_rate(cell.rounds->max) : statistics::kErrorRate;
}

namespace {

// Returns the speed of the first repetition, of the first two, … for each number of next_like_count.
std::vector<double> kept_speeds(std::span<const double> speeds) {
  std::vector<double> kept;
  for (std::size_t count = 1; count <= speeds.size(); count = next_like_count(count)) kept.push_back(speeds[count - 1]);
  kept.shrink_to_fit();  // a large report has some for each of a hundred thousand processes
  return kept;
}

// Adds a process's speeds. `rates` are those of its steady repetitions; there is at least one.
void add_speeds(const store::RecordedProcess& process, int batch, std::vector<double> rates, Steady& found) {
  const std::vector<double> speeds = samples::speeds_by_time(process.repetitions, batch);
  found.throughput_by_process.push_back(
      {process.run_key, process.process_index, speeds.back(), process.environment_hash});
  found.speeds_of_first.push_back(kept_speeds(speeds));
  found.timed_inferences.push_back(samples::inferences_of_phase(process, samples::Phase::timed));
  found.alone_inferences.push_back(samples::inferences_of_phase(process, samples::Phase::alone));
  std::sort(rates.begin(), rates.end());
  found.median_by_process.push_back(
      {process.run_key, process.process_index, statistics::quantile_of_sorted(rates, 0.5), process.environment_hash});
}

void summarize(std::vector<double> rates, Steady& found) {
  found.repetitions = rates.size();
  if (rates.empty()) found.reason = "no steady repetition";
  std::sort(rates.begin(), rates.end());
  if (!rates.empty()) {
    found.throughput_mean = statistics::mean(rates);
    found.throughput_deviation = statistics::standard_deviation(rates);
  }
  constexpr std::size_t kLeastForSpread = 4;
  if (rates.size() >= kLeastForSpread) {
    found.spread_ratio = (statistics::quantile_of_sorted(rates, 0.75) - statistics::quantile_of_sorted(rates, 0.25)) /
                         statistics::quantile_of_sorted(rates, 0.5);
  }
}

// Keeps the percentiles that are told, if there are latencies: of means over several inferences only the median.
void keep_percentiles(const Latencies& latencies, double error_rate, Steady& found) {
  found.latencies = latencies.seconds.size();
  found.is_grouped = latencies.is_grouped;
  if (latencies.seconds.empty()) return;
  std::vector<double> sorted = latencies.seconds;
  std::sort(sorted.begin(), sorted.end());
  found.latency_percentiles_s.front().value = statistics::quantile_of_sorted(sorted, 0.5);
  if (found.is_grouped) return;
  for (std::size_t i = 1; i < kLatencyPercentiles.size() && found.latencies >= needed_latencies(i); ++i) {
    const double q = kLatencyPercentiles.at(i) / 100.0;
    found.latency_percentiles_s.at(i) =
        statistics::percentile_interval(sorted, q, latencies.worth(q, error_rate).independent, error_rate);
  }
}

}  // namespace

bool has_delegate(const store::CellData& cell) {
  if (cell.processes.empty()) return false;
  const auto& facts = cell.processes.front().facts;
  const auto delegate = facts.find("delegate");
  return delegate != facts.end() && delegate->second != "none" &&
         (facts.contains("not_delegated") || facts.contains("is_fully_delegated"));
}

std::string why_no_verdict(const store::CellData& cell) {
  for (const store::RecordedProcess& process : cell.processes) {
    if (!process.check) continue;
    if (process.check->is_lacking()) return "unchecked: " + process.check->reference_reason;
    if (!process.check->output_change.empty()) return "outputs change from one inference to the next";
  }
  return why_emulation(cell);
}

Steady steady(const store::CellData& cell) {
  Steady found{.processes = cell.processes.size()};
  for (const store::RecordedProcess& process : cell.processes) {
    found.process_s += static_cast<double>(process.wall_ns) * 1e-9 / static_cast<double>(found.processes);
  }
  if (const samples::ProcessResult* failed = decisive_failure(cell)) {
    found.has_failed = true;
    const std::string kind(name(failed->failure->kind));
    found.reason = is_disturbed(cell) ? kind : "failed: " + kind;
    return found;
  }
  if (cell.processes.empty()) {
    found.reason = "not measured yet";
    return found;
  }
  if (cell.is_profile) {
    found.reason = "profiled: it has no speed, and `ngb explain` says where its time goes";
    return found;
  }
  found.no_verdict = why_no_verdict(cell);
  std::vector<double> all_rates;
  bool stopped_after_a_number = cell.of.compiler.instances == 1;  // several go on until all have enough
  for (const store::RecordedProcess& process : cell.processes) {
    stopped_after_a_number = stopped_after_a_number && process.stop_reason == "repetitions";
    std::vector<double> rates = samples::steady_rates(process.repetitions, cell.of.model.key.batch);
    if (rates.empty()) continue;
    found.fewest_repetitions = std::min(found.fewest_repetitions.value_or(rates.size()), rates.size());
    all_rates.insert(all_rates.end(), rates.begin(), rates.end());
    add_speeds(process, cell.of.model.key.batch, std::move(rates), found);
    if (const std::optional<double> ratio = first_pass_ratio_of(process)) found.first_passes.push_back(*ratio);
    add_visits(process, found.shapes);
  }
  if (!stopped_after_a_number) found.fewest_repetitions.reset();
  summarize(std::move(all_rates), found);
  keep_percentiles(latencies_of(cell), interval_error_rate(cell), found);
  found.doubt = flag_against_factors({.cell = cell, .steady = found});
  return found;
}

void keep_outcome(store::CellData& cell) {
  std::erase_if(cell.failed, [&cell](const auto& each) { return was_overcome(each, cell); });
  if (cell.processes.size() > 1) {
    cell.processes.erase(std::remove_if(cell.processes.begin() + 1, cell.processes.end(),
                                        [](const auto& each) { return each.agreement.empty(); }),
                         cell.processes.end());
  }
  for (auto* const list : {&cell.processes, &cell.failed}) {
    list->shrink_to_fit();
    for (store::RecordedProcess& each : *list) {
      release(each.phases);
      release(each.repetitions);
      release(each.latencies_ns);
      release(each.readings);
    }
  }
  release(cell.set_aside);
}

}  // namespace ngb::metrics
