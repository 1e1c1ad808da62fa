// SPDX-License-Identifier: Apache-2.0
#include "samples/process_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "samples/steady_rates.h"
#include "statistics/binomial_intervals.h"
#include "statistics/growth.h"
#include "statistics/statistics.h"

namespace ngb::samples {

namespace {

using Number = std::optional<Known<double>>;

constexpr double kSecondsOfNs = 1e-9;
constexpr std::size_t kMostMarks = 400;  // all pairs of them have a slope

const PhaseUse* use_of(const ProcessResult& process, Phase phase) {
  const auto found = std::ranges::find(process.phases, phase, &PhaseUse::phase);
  return found == process.phases.end() ? nullptr : &*found;
}

template <class Count>
Known<double> scaled_count(const Known<Count>& count, double factor) {
  if (!count.value) return Known<double>::unknown(count.reason);
  return Known<double>::of(static_cast<double>(*count.value) * factor);
}

Number wall_s(const ProcessResult& process, Phase phase) {
  const PhaseUse* const use = use_of(process, phase);
  return use == nullptr ? Number() : Known<double>::of(static_cast<double>(use->wall_ns) * kSecondsOfNs);
}
Number peak_bytes(const ProcessResult& process, Phase phase) {
  const PhaseUse* const use = use_of(process, phase);
  return use == nullptr ? Number() : scaled_count(use->peak_rss_bytes, 1);
}

}  // namespace

std::optional<double> told_number(const ProcessResult& process, const char* fact) {
  const auto found = process.facts.find(fact);
  if (found == process.facts.end()) return std::nullopt;
  double number = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

Number compile_s(const ProcessResult& process) {
  Number seconds = wall_s(process, Phase::compile);
  if (seconds) *seconds->value -= told_number(process, "tuning_seconds_here").value_or(0);
  return seconds;
}
Number compile_total_s(const ProcessResult& process) {
  Number seconds = compile_s(process);
  if (seconds) *seconds->value += told_number(process, "tuning_seconds").value_or(0);
  return seconds;
}
Number load_s(const ProcessResult& process) { return wall_s(process, Phase::load); }
Number compile_cpu_s(const ProcessResult& process) {
  const PhaseUse* const use = use_of(process, Phase::compile);
  return use == nullptr ? Number() : scaled_count(use->cpu_ns, kSecondsOfNs);
}
Number compile_peak_bytes(const ProcessResult& process) { return peak_bytes(process, Phase::compile); }
Number timed_peak_bytes(const ProcessResult& process) { return peak_bytes(process, Phase::timed); }

namespace {

// Returns what the phases before the warm-up took.
Number start_s(const ProcessResult& process) {
  double sum_s = 0;
  for (const PhaseUse& use : process.phases) {
    if (use.phase < Phase::warm_up) sum_s += static_cast<double>(use.wall_ns) * kSecondsOfNs;
  }
  return sum_s > 0 ? Number(Known<double>::of(sum_s)) : Number();
}

}  // namespace

Number cold_start_s(const ProcessResult& process) {
  return has_phase(process, Phase::load) ? Number() : start_s(process);
}
Number warm_start_s(const ProcessResult& process) {
  return has_phase(process, Phase::load) ? start_s(process) : Number();
}

// A process's first inference is the first repetition of its warm-up. Where requests arrive, these replace it.
Number first_inference_s(const ProcessResult& process) {
  if (process.repetitions.empty()) return std::nullopt;
  const Repetition& first = process.repetitions.front();
  if (!first.is_warm_up || first.inferences != 1) return std::nullopt;
  return Known<double>::of(static_cast<double>(first.wall_ns) * kSecondsOfNs);
}

Number cpu_per_inference_s(const ProcessResult& process) {
  const PhaseUse* const use = use_of(process, Phase::timed);
  if (use == nullptr) return Known<double>::unknown("a process did not record its use of the processor");
  const Known<double> inferences = inferences_of_phase(process, Phase::timed);
  if (!use->cpu_ns.value) return Known<double>::unknown(use->cpu_ns.reason);
  return inferences.value ? scaled_count(use->cpu_ns, kSecondsOfNs / *inferences.value) : inferences;
}

std::vector<MemoryMark> memory_marks(const ProcessResult& process, std::size_t most, MarksOf of) {
  const std::string_view moment = of == MarksOf::inferences ? kInferenceMark : kSessionMark;
  const std::string_view counted = of == MarksOf::inferences ? "inferences" : "sessions";
  std::map<std::int64_t, std::pair<std::optional<double>, std::optional<double>>> by_time;  // count, bytes
  for (const Reading& reading : process.readings) {
    if (reading.moment != moment || !reading.at_ns || !reading.value.value) continue;
    auto& [count, bytes] = by_time[*reading.at_ns];
    if (reading.quantity == counted) count = reading.value.value;
    if (reading.quantity == "memory") bytes = reading.value.value;
  }
  std::vector<MemoryMark> all;
  for (const auto& [at_ns, mark] : by_time) {
    if (mark.first && mark.second) all.push_back({*mark.first, *mark.second, at_ns});
  }
  std::ranges::stable_sort(all, {}, &MemoryMark::count);
  if (all.size() <= most) return all;
  std::vector<MemoryMark> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(all[i * all.size() / most]);
  return chosen;
}

namespace {

// Returns the slope of memory against what the marks count; `key` is the study's that asks for them.
Number growth_by_marks(const ProcessResult& process, MarksOf of, std::string_view key) {
  std::vector<statistics::Point> points;
  for (const MemoryMark& mark : memory_marks(process, kMostMarks, of)) points.push_back({mark.count, mark.bytes});
  if (const auto growth = statistics::slope_after_knees(points)) return Known<double>::of(*growth);
  return Known<double>::unknown(
      fmt::format("its memory was read {} times while it ran, and {} are needed: `{}` in the "
                  "study",
                  points.size(), statistics::kLeastPoints, key));
}

}  // namespace

Number memory_growth_bytes_per_inference(const ProcessResult& process) {
  return growth_by_marks(process, MarksOf::inferences, "leak: true");
}
Number session_memory_bytes(const ProcessResult& process) {
  return growth_by_marks(process, MarksOf::sessions, "sessions: 50");
}

ProcessLatencies latencies_of(const ProcessResult& process) {
  ProcessLatencies found;
  for (std::size_t i = 0; i < process.repetitions.size(); ++i) {
    const Repetition& repetition = process.repetitions[i];
    if (repetition.is_warm_up || repetition.wall_ns <= 0 || repetition.inferences == 0) continue;
    if (process.latencies_ns.empty()) {
      found.seconds.push_back(static_cast<double>(repetition.wall_ns) * kSecondsOfNs / repetition.inferences);
      found.is_grouped = found.is_grouped || repetition.inferences > 1;
    }
    if (i >= process.latencies_ns.size()) continue;
    for (const std::int64_t latency_ns : process.latencies_ns[i]) {
      found.seconds.push_back(static_cast<double>(latency_ns) * kSecondsOfNs);
    }
  }
  return found;
}

namespace {

template <int kPercent>
Number percentile_s(const ProcessResult& process) {
  ProcessLatencies all = latencies_of(process);
  if (all.seconds.empty()) return std::nullopt;
  std::ranges::sort(all.seconds);
  if (kPercent > 50 && all.is_grouped) return Known<double>::unknown("a repetition holds several inferences");
  const std::size_t least = kPercent > 50 ? statistics::fewest_for_percentile(kPercent) : 1;
  if (all.seconds.size() < least) {
    return Known<double>::unknown(fmt::format("needs {} repetitions in each process", least));
  }
  return Known<double>::of(statistics::quantile_of_sorted(all.seconds, kPercent / 100.0));
}

struct NamedNumber {
  std::string_view metric;
  ProcessNumber* of_process;
};
constexpr std::array kNumbers{NamedNumber{"latency_p50_s", percentile_s<50>},
                              NamedNumber{"latency_p90_s", percentile_s<90>},
                              NamedNumber{"latency_p95_s", percentile_s<95>},
                              NamedNumber{"latency_p99_s", percentile_s<99>},
                              NamedNumber{"compile_s", compile_s},
                              NamedNumber{"compile_total_s", compile_total_s},
                              NamedNumber{"load_s", load_s},
                              NamedNumber{"cold_start_s", cold_start_s},
                              NamedNumber{"warm_start_s", warm_start_s},
                              NamedNumber{"first_inference_s", first_inference_s},
                              NamedNumber{"compile_cpu_s", compile_cpu_s},
                              NamedNumber{"compile_peak_bytes", compile_peak_bytes},
                              NamedNumber{"timed_peak_bytes", timed_peak_bytes},
                              NamedNumber{"memory_growth_bytes_per_inference", memory_growth_bytes_per_inference},
                              NamedNumber{"session_memory_bytes", session_memory_bytes},
                              NamedNumber{"cpu_per_inference_s", cpu_per_inference_s},
                              NamedNumber{"time_per_token_s", percentile_s<50>},
                              NamedNumber{"time_per_token_p90_s", percentile_s<90>},
                              NamedNumber{"time_per_token_p99_s", percentile_s<99>}};

}  // namespace

ProcessNumber* process_number(std::string_view metric) {
  const auto* const found = std::ranges::find(kNumbers, metric, &NamedNumber::metric);
  return found == kNumbers.end() ? nullptr : found->of_process;
}

bool can_decide(std::string_view metric) {
  return metric == work::kSpeed || metric == work::kSavedBits || metric == work::kSamplesInWindow ||
         process_number(metric) != nullptr;
}

std::optional<double> count_in_window(const ProcessResult& process, double per_s, double window_s) {
  Number start = cold_start_s(process);
  if (!start) start = warm_start_s(process);
  if (!start || !start->value) return std::nullopt;
  return per_s * std::max(0.0, window_s - *start->value);
}

namespace {

Number number_that_decides(const ProcessResult& process, std::string_view metric, double window_s) {
  if (ProcessNumber* const number_of = process_number(metric)) return number_of(process);
  const std::vector<double> speeds = speeds_by_time(process.repetitions);
  if (speeds.empty()) return std::nullopt;
  if (metric != work::kSamplesInWindow) return Known<double>::of(speeds.back());
  const auto count = count_in_window(process, speeds.back(), window_s);
  return count ? Known<double>::of(*count) : Number();
}

double kept_ratio(const ProcessResult& process, const work::DecidingBound& bound, double window_s) {
  const Number number = number_that_decides(process, bound.metric, window_s);
  if (!number || !number->value || !std::isfinite(*number->value)) return 0;
  const double kept = bound.is_least ? *number->value / bound.value : bound.value / *number->value;
  const bool is_far_below = !bound.is_least && *number->value <= 0;
  return is_far_below ? kKeptByFar : std::clamp(kept, 0.0, kKeptByFar);
}

}  // namespace

std::vector<double> deciding_numbers(const ProcessResult& process, const std::optional<work::DecidedBy>& decided_by) {
  if (!decided_by) return speeds_by_time(process.repetitions);
  std::vector<double> all;
  for (const work::DecidingBound& bound : decided_by->bounds) {
    all.push_back(kept_ratio(process, bound, decided_by->window_s));
  }
  if (decided_by->is_by_speed()) {
    const std::vector<double> speeds = speeds_by_time(process.repetitions);
    all.insert(all.end(), speeds.begin(), speeds.end());
    return all;
  }
  const Number number = number_that_decides(process, decided_by->metric, decided_by->window_s);
  const bool is_known = number && number->value && std::isfinite(*number->value);
  if (is_known && (*number->value > 0 || decided_by->is_difference)) all.push_back(*number->value);
  return all;
}

std::vector<std::string_view> process_numbers() {
  std::vector<std::string_view> names;
  for (const NamedNumber& each : kNumbers) names.push_back(each.metric);
  return names;
}

}  // namespace ngb::samples
