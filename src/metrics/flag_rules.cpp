// SPDX-License-Identifier: Apache-2.0
#include "metrics/flag_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "metrics/outcome.h"
#include "samples/agreement.h"
#include "samples/disturbance.h"
#include "samples/process_result.h"
#include "statistics/statistics.h"

namespace ngb::metrics::flag_rules {
namespace {

// Returns the known values of all readings of completed processes whose quantity begins with `prefix`.
std::vector<double> readings(const store::CellData& cell, std::string_view prefix, std::string_view when) {
  std::vector<double> values;
  for (const samples::ProcessResult& process : cell.processes) {
    for (const samples::Reading& reading : process.readings) {
      const bool is_meant = reading.quantity.starts_with(prefix) && (when.empty() || reading.moment == when);
      if (is_meant && reading.value.value) values.push_back(*reading.value.value);
    }
  }
  return values;
}

std::optional<double> highest_above(const std::vector<double>& values, double threshold) {
  const auto highest = std::max_element(values.begin(), values.end());
  return highest != values.end() && *highest > threshold ? std::optional(*highest) : std::nullopt;
}

std::optional<double> count(std::ptrdiff_t found) {
  return found > 0 ? std::optional(static_cast<double>(found)) : std::nullopt;
}

}  // namespace

std::optional<double> not_steady(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(
      std::count_if(processes.begin(), processes.end(), [](const auto& process) { return !process.is_steady; }));
}

// Returns how many times as long an inference takes as one in which the processor takes subnormal numbers as 0.
std::optional<double> subnormal(const Evidence& evidence) {
  const std::vector<double> usual = readings(evidence.cell, "later_inference", "after");
  const std::vector<double> flushed = readings(evidence.cell, "flushed_inference", "after");
  if (usual.empty() || flushed.empty() || flushed.front() <= 0) return std::nullopt;
  const double times = usual.front() / flushed.front();
  return times > samples::kSubnormalCost ? std::optional(times) : std::nullopt;
}

namespace {

// Returns the speed that the process had after its counted repetitions, as a share of the median of theirs, if it is
// outside of all of theirs and differs by more than 10 %.
std::optional<double> change_of_speed(const samples::ProcessResult& process) {
  std::vector<double> seconds;
  for (const samples::Repetition& repetition : process.repetitions) {
    if (!repetition.is_warm_up)
      seconds.push_back(static_cast<double>(repetition.wall_ns) / 1e9 / repetition.inferences);
  }
  const auto reading = [&](const char* quantity) {
    const auto found = std::find_if(process.readings.begin(), process.readings.end(),
                                    [&](const auto& each) { return each.quantity == quantity; });
    return found == process.readings.end() ? std::nullopt : found->value.value;
  };
  const std::optional<double> later_s = reading("later_inference");
  if (!later_s || *later_s <= 0 || seconds.empty()) return std::nullopt;
  std::sort(seconds.begin(), seconds.end());
  if (*later_s >= seconds.front() && *later_s <= seconds.back()) return std::nullopt;
  const double before_s = reading("alone_inference").value_or(statistics::quantile_of_sorted(seconds, 0.5));
  const double share = before_s / *later_s;
  return std::fabs(share - 1) > 0.10 ? std::optional(share) : std::nullopt;
}

}  // namespace

std::optional<double> speed_changes(const Evidence& evidence) {
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    if (const std::optional<double> share = change_of_speed(process)) return share;
  }
  return std::nullopt;
}

std::optional<double> wide_spread(const Evidence& evidence) {
  return evidence.steady.spread_ratio.value_or(0) > 0.10 ? evidence.steady.spread_ratio : std::nullopt;
}

std::optional<double> unstable(const Evidence& evidence) {
  return evidence.steady.spread_ratio.value_or(0) > 0.25 ? evidence.steady.spread_ratio : std::nullopt;
}

// Returns the mean of the repetitions' rates as a share of the speed by time.
std::optional<double> uneven(const Evidence& evidence) {
  double sum = 0;
  for (const OfRound& process : evidence.steady.throughput_by_process) sum += process.value;
  const double share =
      evidence.steady.throughput_mean * static_cast<double>(evidence.steady.throughput_by_process.size()) / sum;
  return share > 1.01 ? std::optional(share) : std::nullopt;
}

std::optional<double> steal(const Evidence& evidence) {
  return highest_above(readings(evidence.cell, "steal", "timed"), 1);
}

std::optional<double> pressure(const Evidence& evidence) {
  if (evidence.cell.of.load != work::kNoLoad) return std::nullopt;  // the load causes it
  return highest_above(readings(evidence.cell, "pressure_cpu_some", "timed"), 5);
}

// A page fault costs the kernel about a microsecond, so 10,000 faults cost about 1 % of a second.
std::optional<double> page_faults(const Evidence& evidence) {
  return highest_above(readings(evidence.cell, "page_faults", "timed"), 10'000);
}

namespace {

// Returns whether the process, or its load, caused the waits of its timed phase, as far as that was looked for or can
// be told from its readings: one that may wait for as long as it likes is not looked at.
bool causes_its_waits(const samples::ProcessResult& process, const work::Configuration& of) {
  if (of.load != work::kNoLoad || process.facts.contains(std::string(samples::kWaitsForItself))) return true;
  std::vector<samples::Reading> timed;
  std::ranges::copy_if(process.readings, std::back_inserter(timed),
                       [](const auto& each) { return each.moment == "timed"; });
  const auto cpus = static_cast<std::size_t>(of.threads.value_or(1) * of.compiler.instances);
  return samples::own_wait_percent(timed, cpus, work::Disturbance{}.max_wait_ratio).has_value();
}

}  // namespace

// Returns the longest wait, in percent, of those that the usual limit refuses and the study's lets through.
std::optional<double> waited(const Evidence& evidence) {
  std::vector<double> percents;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    percents.push_back(samples::disturbed_percent(process, causes_its_waits(process, evidence.cell.of)));
  }
  return highest_above(percents, 100 * work::Disturbance{}.max_wait_ratio);
}

namespace {

// Returns a number that is noted as a fact, and ends there or before a comma.
std::optional<double> number_of_fact(const samples::ProcessResult& process, const char* fact) {
  const auto found = process.facts.find(fact);
  if (found == process.facts.end()) return std::nullopt;
  double number = 0;
  const std::string& text = found->second;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

// Returns the turns that were run again as a share of all turns.
std::optional<double> turns_again(const Evidence& evidence) {
  double again = 0;
  double counted = 0;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    again += number_of_fact(process, "turns_again").value_or(0);
    const auto repetitions = std::ranges::count(process.repetitions, false, &samples::Repetition::is_warm_up);
    counted += std::min(number_of_fact(process, "turns").value_or(0), static_cast<double>(repetitions));
  }
  return again > 0 && counted > 0 ? highest_above({again / (again + counted)}, 0.05) : std::nullopt;
}

// Returns the fewest repetitions of a process if they are too few to judge a warm-up by their spread, and nobody looked
// longer.
std::optional<double> few_repetitions(const Evidence& evidence) {
  constexpr double kEnough = 6;
  const bool is_looked_at = !readings(evidence.cell, "later_inference", "after").empty();
  if (is_looked_at || evidence.cell.is_profile) return std::nullopt;
  double fewest = kEnough;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    fewest = std::min(
        fewest, static_cast<double>(std::ranges::count(process.repetitions, false, &samples::Repetition::is_warm_up)));
  }
  return fewest < kEnough ? std::optional(fewest) : std::nullopt;
}

// Returns the lowest clock frequency as a share of the highest if it is below 75 %.
std::optional<double> throttled(const Evidence& evidence) {
  const std::vector<double> clocks = readings(evidence.cell, "frequency", "");
  if (clocks.empty() || evidence.highest_frequency_hz.value_or(0) <= 0) return std::nullopt;
  const double share = *std::min_element(clocks.begin(), clocks.end()) / *evidence.highest_frequency_hz;
  return share < 0.75 ? std::optional(share) : std::nullopt;
}

// Returns the GPU's lowest clock frequency at the end of a timed phase, as a share of its highest possible one, if it
// is below 75 %. On a cell of the CPU, an idle GPU says nothing.
std::optional<double> gpu_throttled(const Evidence& evidence) {
  if (evidence.cell.of.compute_device.value != "gpu") return std::nullopt;
  const std::vector<double> clocks = readings(evidence.cell, "gpu_frequency", "end");
  const std::vector<double> highest = readings(evidence.cell, "gpu_max_frequency", "end");
  if (clocks.empty() || highest.empty()) return std::nullopt;
  const double possible = *std::max_element(highest.begin(), highest.end());
  const double share = possible > 0 ? *std::min_element(clocks.begin(), clocks.end()) / possible : 1;
  return share < 0.75 ? std::optional(share) : std::nullopt;
}

std::optional<double> extra_threads(const Evidence& evidence) {
  std::vector<double> threads;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    if (process.threads_used.value) threads.push_back(*process.threads_used.value);
  }
  if (!evidence.cell.of.threads) return std::nullopt;
  return highest_above(threads, *evidence.cell.of.threads);
}

namespace {

// Counts the processes that are set aside because of another build, or because of another environment.
std::ptrdiff_t set_aside(const store::CellData& cell, bool has_other_build) {
  if (cell.processes.empty() || cell.set_aside.empty()) return 0;  // most cells: an origin takes long to hash
  const samples::Origin counted = samples::origin_of(cell.processes.front());
  return std::count_if(cell.set_aside.begin(), cell.set_aside.end(), [&](const samples::ProcessResult& process) {
    const samples::Origin origin = samples::origin_of(process);
    return has_other_build ==
           (origin.build_sha256 != counted.build_sha256 || origin.model_sha256 != counted.model_sha256);
  });
}

}  // namespace

std::optional<double> mixed_build(const Evidence& evidence) { return count(set_aside(evidence.cell, true)); }

std::optional<double> mixed_environment(const Evidence& evidence) { return count(set_aside(evidence.cell, false)); }

std::optional<double> unlike_baseline(const Evidence& evidence) {
  const store::CellData* const baseline = evidence.baseline;
  if (baseline == nullptr || baseline->processes.empty() || evidence.cell.processes.empty()) return std::nullopt;
  return count(baseline->processes.front().environment_hash == evidence.cell.processes.front().environment_hash ? 0
                                                                                                                : 1);
}

// Counts the processes with finite numbers in at most half of the compared outputs, or with an input without any.
std::optional<double> not_finite(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(), [](const samples::ProcessResult& process) {
    const auto& check = process.check;
    if (samples::overall_agreement(process.agreement).not_finite > 0) return true;
    if (!check || check->reference == "none") return false;
    if (check->finite_elements) return *check->finite_elements * 2 <= check->compared_elements;
    return !check->max_absolute_error.value;  // schema 1 counted no finite elements
  }));
}

std::optional<double> unchecked(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(),
                             [](const auto& process) { return !process.check || process.check->reference == "none"; }));
}

// Counts the processes in which at least 90 % of the compared numbers could be guessed
// (samples::Check::small_elements).
std::optional<double> weak_check(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(), [](const samples::ProcessResult& process) {
    const auto& check = process.check;
    if (!check || check->compared_elements == 0 || !check->small_elements) return false;
    return static_cast<double>(*check->small_elements) >= 0.9 * static_cast<double>(check->compared_elements);
  }));
}

// Counts the processes of a cell whose compiler emulates operators.
std::optional<double> emulated(const Evidence& evidence) {
  const bool is_emulated = !why_emulation(evidence.cell).empty();
  return count(is_emulated ? static_cast<std::ptrdiff_t>(evidence.cell.processes.size()) : 0);
}

// Counts the processes whose compiler has made up their times.
std::optional<double> made_up(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(),
                             [](const auto& process) { return process.facts.contains("made_up_ns"); }));
}

std::optional<double> outputs_change(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(), [](const auto& process) {
    return process.check && !process.check->output_change.empty();
  }));
}

// Counts the processes that were not compared with the study's reference, or with one that is doubtful.
std::optional<double> other_reference(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(), [](const auto& process) {
    return process.check && process.check->reference != "none" && !process.check->reference_reason.empty();
  }));
}

// Counts the processes that loaded what another one had compiled.
std::optional<double> shared_compilation(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(), [](const samples::ProcessResult& process) {
    return samples::has_phase(process, samples::Phase::load);
  }));
}

std::optional<double> incomplete(const Evidence& evidence) {
  return count(evidence.cell.needed_processes() - static_cast<std::ptrdiff_t>(evidence.cell.processes.size()));
}

namespace {

std::ptrdiff_t disturbed_attempts(const store::CellData& cell) {
  return std::count_if(cell.failed.begin(), cell.failed.end(), [](const samples::ProcessResult& process) {
    return process.failure && process.failure->kind == samples::FailureKind::disturbed;
  });
}

}  // namespace

std::optional<double> disturbed(const Evidence& evidence) { return count(disturbed_attempts(evidence.cell)); }

std::optional<double> retried(const Evidence& evidence) {
  return count(static_cast<std::ptrdiff_t>(evidence.cell.failed.size()) - disturbed_attempts(evidence.cell));
}

}  // namespace ngb::metrics::flag_rules
