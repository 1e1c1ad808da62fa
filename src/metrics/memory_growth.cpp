// SPDX-License-Identifier: Apache-2.0
#include "metrics/memory_growth.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "metrics/flag_rules.h"
#include "samples/process_numbers.h"
#include "statistics/contrast.h"
#include "statistics/statistics.h"

namespace ngb::metrics {

namespace {

// Returns the mean of a growth of each process, with its interval.
Value mean_growth(const Analysis& analysis, std::size_t cell, samples::ProcessNumber* growth_of) {
  if (const Steady& steady = analysis.steady(cell); !steady.reason.empty()) return unknown(steady.reason);
  statistics::Part growths;
  std::string why;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    const Known<double> growth = *growth_of(process);
    if (growth.value) growths.values.push_back(*growth.value);
    if (why.empty()) why = growth.reason;
  }
  if (growths.values.empty()) return unknown(why);
  const statistics::Contrast found = statistics::contrast({&growths, 1}, analysis.error_rate());
  Value value{found.estimate};
  if (found.interval) {
    value.low = found.interval->low;
    value.high = found.interval->high;
  }
  return value;
}

}  // namespace

Value memory_growth(const Analysis& analysis, std::size_t cell) {
  return mean_growth(analysis, cell, samples::memory_growth_bytes_per_inference);
}

Value session_memory(const Analysis& analysis, std::size_t cell) {
  return mean_growth(analysis, cell, samples::session_memory_bytes);
}

Value session_time(const Analysis& analysis, std::size_t cell) {
  if (const Steady& steady = analysis.steady(cell); !steady.reason.empty()) return unknown(steady.reason);
  std::vector<double> seconds;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.moment != samples::kSessionMark || reading.quantity != samples::kSessionTime) continue;
      if (!reading.value.value) return unknown(reading.value.reason);
      seconds.push_back(*reading.value.value);
    }
  }
  if (seconds.empty()) return unknown("it made no further sessions: `sessions: 50` in the study");
  std::ranges::sort(seconds);
  return {statistics::quantile_of_sorted(seconds, 0.5)};
}

namespace flag_rules {

namespace {

constexpr double kLeastGrowth = 16 << 20U;

// Returns by how much the memory of a process grew if it grew from each of its values to the next, by more than 5 % and
// 16 MiB altogether.
std::optional<double> growth_throughout(std::span<const double> bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const bool is_growing = std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
  const double growth = bytes.back() - bytes.front();
  return is_growing && growth > std::max(kLeastGrowth, 0.05 * bytes.front()) ? std::optional(growth) : std::nullopt;
}

// Returns the bytes that a process gained with each inference, by the memory in the quarters of its timed phase. A
// process of fewer than eight readings is too short.
std::optional<double> growth_by_readings(const samples::ProcessResult& process, double inferences) {
  std::vector<double> bytes;
  for (const samples::Reading& reading : process.readings) {
    if (reading.quantity == "memory" && reading.moment == "during" && reading.value.value) {
      bytes.push_back(*reading.value.value);
    }
  }
  if (bytes.size() < 8) return std::nullopt;
  std::array<double, 4> means{};
  for (std::size_t i = 0; i < means.size(); ++i) {
    const std::size_t begin = i * bytes.size() / means.size();
    const std::size_t end = (i + 1) * bytes.size() / means.size();
    means.at(i) = statistics::mean(std::span(bytes).subspan(begin, end - begin));
  }
  const std::optional<double> growth = growth_throughout(means);
  return growth ? std::optional(*growth / (0.75 * inferences)) : std::nullopt;
}

// Returns the bytes that a process gained with each inference, by its highest memory in the phases of the first
// inference, the warm-up and the timed one. All of these grow, and the last step alone by more than 5 % and 16 MiB,
// because a library may still request memory in its first inferences.
std::optional<double> growth_by_phases(const samples::ProcessResult& process, double inferences) {
  std::vector<double> peaks;
  for (const samples::PhaseUse& use : process.phases) {
    const bool has_inferences = use.phase == samples::Phase::check || use.phase == samples::Phase::warm_up ||
                                use.phase == samples::Phase::timed;
    if (!has_inferences) continue;
    if (!use.peak_rss_bytes.value) return std::nullopt;
    peaks.push_back(static_cast<double>(*use.peak_rss_bytes.value));
  }
  if (peaks.size() != 3 || !growth_throughout(peaks)) return std::nullopt;
  const std::optional<double> growth = growth_throughout(std::span(peaks).last(2));
  return growth ? std::optional(*growth / inferences) : std::nullopt;
}

bool has_marks(const samples::ProcessResult& process) {
  return std::ranges::any_of(process.readings, [](const auto& reading) { return reading.moment == "mark"; });
}

// Returns the bytes that a process gained with each inference, if it kept something of all of them.
std::optional<double> growth_of_memory(const samples::ProcessResult& process) {
  const Known<double> inferences = samples::inferences_of_phase(process, samples::Phase::timed);
  if (!inferences.value || *inferences.value <= 0) return std::nullopt;
  const std::optional<double> growth = growth_by_readings(process, *inferences.value);
  return growth ? growth : growth_by_phases(process, *inferences.value);
}

}  // namespace

std::optional<double> growing_memory(const Evidence& evidence) {
  // Where marks tell a leak from memory that is reserved once, they decide.
  if (std::ranges::any_of(evidence.cell.processes, has_marks)) {
    const Value growth = memory_growth(Analysis({&evidence.cell}, {}, {&evidence.steady}), 0);
    const bool is_leak = growth.low > 0 && growth.value >= kLeastGrowthBytes;
    if (growth.low) return is_leak ? growth.value : std::nullopt;
  }
  std::optional<double> most;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    const std::optional<double> growth = growth_of_memory(process);
    if (growth && growth > most) most = growth;
  }
  return most;
}

}  // namespace flag_rules

}  // namespace ngb::metrics
