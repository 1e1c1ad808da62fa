// SPDX-License-Identifier: Apache-2.0
#include "metrics/service_times.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "metrics/families.h"
#include "samples/process_numbers.h"

namespace ngb::metrics {

namespace {

constexpr double kSecondsOfNs = 1e-9;

bool counts(const samples::Repetition& repetition) {
  return !repetition.is_warm_up && repetition.wall_ns > 0 && repetition.inferences > 0;
}

double inference_s(const samples::Repetition& repetition) {
  return static_cast<double>(repetition.wall_ns) * kSecondsOfNs / repetition.inferences;
}

}  // namespace

Latencies latencies_of(const store::CellData& cell) {
  Latencies found;
  for (const store::RecordedProcess& process : cell.processes) {
    const samples::ProcessLatencies own = samples::latencies_of(process);
    found.seconds.insert(found.seconds.end(), own.seconds.begin(), own.seconds.end());
    found.is_grouped = found.is_grouped || own.is_grouped;
    if (!own.seconds.empty()) found.by_process.push_back(own.seconds.size());
  }
  return found;
}

statistics::Worth Latencies::worth(double q, double error_rate) const {
  return statistics::worth_of(seconds, {.processes = by_process}, q, error_rate);
}

statistics::PercentileInterval Latencies::percentile_s(double q, double error_rate) const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return statistics::percentile_interval(sorted, q, worth(q, error_rate).independent, error_rate);
}

std::optional<ServiceTimes> service_times(const store::CellData& cell) {
  std::vector<samples::Repetition> counted;
  for (const store::RecordedProcess& process : cell.processes) {
    std::copy_if(process.repetitions.begin(), process.repetitions.end(), std::back_inserter(counted), counts);
  }
  ServiceTimes found{.latencies = latencies_of(cell)};
  if (counted.size() < 2 || found.latencies.seconds.empty()) return std::nullopt;
  double inferences = 0;
  double seconds = 0;
  for (const samples::Repetition& each : counted) {
    inferences += each.inferences;
    seconds += inference_s(each) * each.inferences;
  }
  const double mean_s = seconds / inferences;
  double squares = 0;
  for (const samples::Repetition& each : counted) squares += each.inferences * std::pow(inference_s(each) - mean_s, 2);
  found.variation = std::sqrt(squares / static_cast<double>(counted.size() - 1)) / mean_s;
  return found;
}

Result<std::map<std::string, ServiceTimes>> read_service_times(
    const std::vector<store::Source>& sources, const std::function<bool(const std::string& cell_id)>& is_wanted) {
  auto reader = FamilyReader::open(sources);
  if (!reader) return error_of(reader);
  std::map<std::string, ServiceTimes> found;
  for (const store::ValueFamily& family : reader->families()) {
    const auto cells = reader->results().load_family(family);
    if (!cells) return error_of(cells);
    for (const store::CellData& cell : *cells) {
      if (!is_wanted(cell.cell_id)) continue;
      if (auto times = service_times(cell)) found.emplace(cell.cell_id, *std::move(times));
    }
  }
  return found;
}

}  // namespace ngb::metrics
