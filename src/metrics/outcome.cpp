// SPDX-License-Identifier: Apache-2.0
#include "metrics/outcome.h"

#include <algorithm>
#include <map>

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
