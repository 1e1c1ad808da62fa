// SPDX-License-Identifier: Apache-2.0
#include "metrics/outcome.h"

#include <algorithm>
#include <map>

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

// Returns the smallest number of steady repetitions of a process that has any; nothing if a process did not stop after
// a number of repetitions.
std::optional<std::size_t> fewest_repetitions(const store::CellData& cell) {
  std::optional<std::size_t> fewest;
  for (const store::RecordedProcess& process : cell.processes) {
    if (process.stop_reason != "repetitions") return std::nullopt;
    const std::size_t count = samples::steady_rates(process.repetitions).size();
    if (count > 0) fewest = std::min(fewest.value_or(count), count);
  }
  return fewest;
}

std::vector<OfRound> speeds_of_first(const store::CellData& cell, std::size_t repetitions) {
  std::vector<OfRound> speeds;
  for (const store::RecordedProcess& process : cell.processes) {
    const std::vector<double> rates = samples::steady_rates(process.repetitions, cell.batch);
    if (rates.empty()) continue;
    const std::span<const double> first = std::span(rates).first(std::min(repetitions, rates.size()));
    speeds.push_back({process.run_key, process.process_index, statistics::mean(first), process.environment_hash});
  }
  return speeds;
}

}  // namespace

LikeSpeeds like_speeds(const store::CellData& a, const Steady& of_a, const store::CellData& b, const Steady& of_b) {
  const std::optional<std::size_t> fewest_a = fewest_repetitions(a);
  const std::optional<std::size_t> fewest_b = fewest_repetitions(b);
  if (!fewest_a || !fewest_b || fewest_a == fewest_b) return {of_a.throughput_by_process, of_b.throughput_by_process};
  const std::size_t fewest = std::min(*fewest_a, *fewest_b);
  return {speeds_of_first(a, fewest), speeds_of_first(b, fewest)};
}

double interval_error_rate(const store::CellData& cell) {
  return cell.rounds ? statistics::nominal_error_rate(cell.rounds->max) : statistics::kErrorRate;
}

Steady steady(const store::CellData& cell) {
  Steady found;
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
  for (const store::RecordedProcess& process : cell.processes) {
    std::vector<double> throughput = samples::steady_rates(process.repetitions, cell.batch);
    for (const samples::Repetition& repetition : process.repetitions) {
      if (repetition.is_warm_up || repetition.wall_ns <= 0) continue;
      const double wall_s = static_cast<double>(repetition.wall_ns) * 1e-9;
      found.inferences += repetition.inferences;
      found.wall_s += wall_s;
      if (!process.latencies_ns.empty()) continue;
      found.latency_sorted_s.push_back(wall_s / repetition.inferences);
      found.is_grouped = found.is_grouped || repetition.inferences > 1;
    }
    for (std::size_t i = 0; i < process.latencies_ns.size(); ++i) {
      if (i >= process.repetitions.size() || process.repetitions[i].is_warm_up) continue;
      for (const std::int64_t latency_ns : process.latencies_ns[i]) {
        found.latency_sorted_s.push_back(static_cast<double>(latency_ns) * 1e-9);
      }
    }
    found.throughput_sorted.insert(found.throughput_sorted.end(), throughput.begin(), throughput.end());
    if (!throughput.empty()) {
      found.throughput_by_process.push_back(
          {process.run_key, process.process_index, statistics::mean(throughput), process.environment_hash});
      std::sort(throughput.begin(), throughput.end());
      found.median_by_process.push_back({process.run_key, process.process_index,
                                         statistics::quantile_of_sorted(throughput, 0.5), process.environment_hash});
    }
  }
  if (found.throughput_sorted.empty()) found.reason = "no steady repetition";
  std::sort(found.throughput_sorted.begin(), found.throughput_sorted.end());
  std::sort(found.latency_sorted_s.begin(), found.latency_sorted_s.end());
  return found;
}

}  // namespace ngb::metrics
