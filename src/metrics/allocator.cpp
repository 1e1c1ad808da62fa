// SPDX-License-Identifier: Apache-2.0
#include "metrics/allocator.h"

#include <algorithm>
#include <cmath>

namespace ngb::metrics {
namespace {

constexpr const char* kPageFaults = "page_faults";
constexpr const char* kKeeping = "keeping_memory";
constexpr const char* kReturning = "returning_memory";

constexpr double kMostSecondsOfAFault = 10e-6;

std::optional<double> reading_of(const samples::ProcessResult& process, const char* quantity) {
  const auto found = std::find_if(process.readings.begin(), process.readings.end(),
                                  [&](const samples::Reading& each) { return each.quantity == quantity; });
  return found == process.readings.end() ? std::nullopt : found->value.value;
}

SpeedWithFaults means_of(std::span<const SpeedWithFaults> processes) {
  SpeedWithFaults sum;
  for (const SpeedWithFaults& each : processes) {
    sum.per_s += std::log(each.per_s);
    sum.page_faults += each.page_faults;
  }
  const auto count = static_cast<double>(processes.size());
  return {std::exp(sum.per_s / count), sum.page_faults / count};
}

}  // namespace

bool is_about_allocator(const samples::Reading& reading) {
  return reading.quantity == kPageFaults || reading.quantity == kKeeping || reading.quantity == kReturning;
}

std::vector<SpeedWithFaults> with_page_faults(const store::CellData& cell, const Steady& steady) {
  std::vector<SpeedWithFaults> found;
  for (std::size_t i = 0; i < steady.throughput_by_process.size(); ++i) {
    const OfRound& speed = steady.throughput_by_process[i];
    const auto process = std::find_if(cell.processes.begin(), cell.processes.end(),
                                      [&](const auto& each) { return is_of_process(speed, each); });
    if (process == cell.processes.end()) continue;
    const auto timed = std::find_if(process->phases.begin(), process->phases.end(),
                                    [](const auto& each) { return each.phase == samples::Phase::timed; });
    const std::optional<double> per_s = reading_of(*process, kPageFaults);
    const std::optional<double> inferences = steady.timed_inferences[i].value;
    if (timed == process->phases.end() || !per_s || inferences.value_or(0) <= 0 || speed.value <= 0) continue;
    found.push_back({speed.value, *per_s * static_cast<double>(timed->wall_ns) * 1e-9 / *inferences});
  }
  return found;
}

std::optional<FaultStates> differ_by_page_faults(std::span<const SpeedWithFaults> a, std::span<const SpeedWithFaults> b,
                                                 int batch) {
  if (a.empty() || b.empty()) return std::nullopt;
  if (means_of(a).per_s > means_of(b).per_s) std::swap(a, b);
  const SpeedWithFaults slower = means_of(a);
  const SpeedWithFaults faster = means_of(b);
  const double times = faster.per_s / slower.per_s;
  const double more_seconds = batch / slower.per_s - batch / faster.per_s;
  const double more_faults = slower.page_faults - faster.page_faults;
  if (times <= 1 + kLeastAllocatorShare || more_faults < faster.page_faults) return std::nullopt;
  if (more_faults * kMostSecondsOfAFault < more_seconds) return std::nullopt;
  return FaultStates{a.size(), b.size(), slower.page_faults, faster.page_faults, times};
}

std::optional<FaultStates> states_of(std::vector<SpeedWithFaults> processes, int batch) {
  if (processes.size() < 2) return std::nullopt;
  std::sort(processes.begin(), processes.end(),
            [](const SpeedWithFaults& a, const SpeedWithFaults& b) { return a.page_faults < b.page_faults; });
  std::size_t split = 1;
  const auto gap = [&](std::size_t i) { return processes[i].page_faults - processes[i - 1].page_faults; };
  for (std::size_t i = 2; i < processes.size(); ++i) split = gap(i) > gap(split) ? i : split;
  const auto by_speed = [](const SpeedWithFaults& a, const SpeedWithFaults& b) { return a.per_s < b.per_s; };
  const std::span<const SpeedWithFaults> few(processes.data(), split);
  const std::span<const SpeedWithFaults> many = std::span<const SpeedWithFaults>(processes).subspan(split);
  const bool are_apart = std::max_element(many.begin(), many.end(), by_speed)->per_s <
                         std::min_element(few.begin(), few.end(), by_speed)->per_s;
  return are_apart ? differ_by_page_faults(few, many, batch) : std::nullopt;
}

std::optional<OtherAllocator> other_allocator_of(const store::CellData& cell) {
  for (const store::RecordedProcess& process : cell.processes) {
    if (const auto keeping = reading_of(process, kKeeping)) return OtherAllocator{*keeping, true};
    if (const auto returning = reading_of(process, kReturning)) return OtherAllocator{*returning, false};
  }
  return std::nullopt;
}

}  // namespace ngb::metrics
