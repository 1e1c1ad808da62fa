// SPDX-License-Identifier: Apache-2.0
#include "metrics/service_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "metrics/families.h"

namespace ngb::metrics {

namespace {

constexpr double kSecondsOfNs = 1e-9;

struct CountedTime {
  double seconds = 0;  // of one inference
  double inferences = 0;
};

// Adds the counted repetitions of a process, and the latencies of its inferences: those that were measured one by one,
// or else t / k of each repetition.
void add_times(const store::RecordedProcess& process, std::vector<CountedTime>& times, ServiceTimes& found) {
  const std::size_t before = found.latencies_s.size();
  for (std::size_t i = 0; i < process.repetitions.size(); ++i) {
    const samples::Repetition& repetition = process.repetitions[i];
    if (repetition.is_warm_up || repetition.wall_ns <= 0 || repetition.inferences == 0) continue;
    const double inferences = repetition.inferences;
    times.push_back({static_cast<double>(repetition.wall_ns) * kSecondsOfNs / inferences, inferences});
    if (process.latencies_ns.empty()) found.latencies_s.push_back(times.back().seconds);
    if (i >= process.latencies_ns.size()) continue;
    for (const std::int64_t latency_ns : process.latencies_ns[i]) {
      found.latencies_s.push_back(static_cast<double>(latency_ns) * kSecondsOfNs);
    }
  }
  if (found.latencies_s.size() > before) found.by_process.push_back(found.latencies_s.size() - before);
}

}  // namespace

statistics::Worth ServiceTimes::worth(double q, double error_rate) const {
  return statistics::worth_of(latencies_s, {.processes = by_process}, q, error_rate);
}

statistics::PercentileInterval ServiceTimes::percentile_s(double q, double error_rate) const {
  std::vector<double> sorted = latencies_s;
  std::sort(sorted.begin(), sorted.end());
  return statistics::percentile_interval(sorted, q, worth(q, error_rate).independent, error_rate);
}

std::optional<ServiceTimes> service_times(const store::CellData& cell) {
  ServiceTimes found;
  std::vector<CountedTime> times;
  for (const store::RecordedProcess& process : cell.processes) add_times(process, times, found);
  if (times.size() < 2 || found.latencies_s.empty()) return std::nullopt;
  double inferences = 0;
  double seconds = 0;
  for (const CountedTime& each : times) {
    inferences += each.inferences;
    seconds += each.seconds * each.inferences;
  }
  const double mean_s = seconds / inferences;
  double squares = 0;
  for (const CountedTime& each : times) squares += each.inferences * std::pow(each.seconds - mean_s, 2);
  found.variation = std::sqrt(squares / static_cast<double>(times.size() - 1)) / mean_s;
  return found;
}

Result<std::map<std::string, ServiceTimes>> read_service_times(
    const std::vector<store::Source>& sources, const std::function<bool(const std::string& cell_id)>& is_wanted) {
  auto reader = FamilyReader::open(sources);
  if (!reader) return error_of(reader);
  std::map<std::string, ServiceTimes> found;
  const auto add = [&](const store::ValueFamily& /*family*/, const std::vector<store::CellData>& cells) {
    for (const store::CellData& cell : cells) {
      if (!is_wanted(cell.cell_id)) continue;
      if (auto times = service_times(cell)) found.emplace(cell.cell_id, *std::move(times));
    }
  };
  constexpr int kThreads = 1;  // they share the map
  const Status done = reader->each(reader->families(), kThreads, add);
  if (!done) return error_of(done);
  return found;
}

}  // namespace ngb::metrics
