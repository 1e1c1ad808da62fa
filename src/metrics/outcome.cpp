// SPDX-License-Identifier: Apache-2.0
#include "metrics/outcome.h"

#include <algorithm>

#include "metrics/statistics.h"

namespace ngb::metrics {

const samples::ProcessResult* decisive_failure(const store::CellData& cell) {
  for (const samples::ProcessResult& failed : cell.failed) {
    const bool was_overcome = std::any_of(
        cell.processes.begin(), cell.processes.end(),
        [&](const samples::ProcessResult& completed) { return completed.process_index == failed.process_index; });
    if (!was_overcome && failed.failure && !samples::is_worth_retrying(failed.failure->kind)) return &failed;
  }
  return cell.processes.empty() && !cell.failed.empty() ? &cell.failed.back() : nullptr;
}

bool is_disturbed(const store::CellData& cell) {
  const samples::ProcessResult* const failed = decisive_failure(cell);
  return failed != nullptr && failed->failure->kind == samples::FailureKind::disturbed;
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
    std::vector<double> throughput;
    for (const samples::Repetition& repetition : process.repetitions) {
      if (repetition.is_warm_up || repetition.wall_ns <= 0) continue;
      const double wall_s = static_cast<double>(repetition.wall_ns) * 1e-9;
      throughput.push_back(cell.batch * static_cast<double>(repetition.inferences) / wall_s);
      found.latency_sorted_s.push_back(wall_s / repetition.inferences);
      found.inferences += repetition.inferences;
      found.wall_s += wall_s;
      found.is_grouped = found.is_grouped || repetition.inferences > 1;
    }
    found.throughput_sorted.insert(found.throughput_sorted.end(), throughput.begin(), throughput.end());
    if (!throughput.empty()) {
      found.throughput_by_process.push_back(
          {process.run_key, process.process_index, mean(throughput), process.environment_hash});
      std::sort(throughput.begin(), throughput.end());
      found.median_by_process.push_back(
          {process.run_key, process.process_index, quantile_of_sorted(throughput, 0.5), process.environment_hash});
    }
  }
  if (found.throughput_sorted.empty()) found.reason = "no steady repetition";
  std::sort(found.throughput_sorted.begin(), found.throughput_sorted.end());
  std::sort(found.latency_sorted_s.begin(), found.latency_sorted_s.end());
  return found;
}

}  // namespace ngb::metrics
