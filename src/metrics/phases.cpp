// SPDX-License-Identifier: Apache-2.0
#include "metrics/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "metrics/outcome.h"
#include "samples/process_result.h"
#include "statistics/statistics.h"

namespace ngb::metrics {

namespace {

using samples::Phase;
using samples::PhaseUse;

// Returns one value of each completed process's use in a phase; `get` selects it.
template <class Get>
Known<std::vector<double>> of_phase(const Analysis& analysis, std::size_t cell, Phase phase, const Get& get) {
  using Values = Known<std::vector<double>>;
  const Steady& steady = analysis.steady(cell);
  if (steady.has_failed) return Values::unknown(steady.reason);
  std::vector<double> values;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    for (const PhaseUse& use : process.phases) {
      if (use.phase != phase) continue;
      const Known<double> value = get(use);
      if (!value.value) return Values::unknown(value.reason);
      values.push_back(*value.value);
    }
  }
  if (values.empty() && phase == Phase::compile && steady.reason.empty()) {
    return Values::unknown("its processes loaded what another one had compiled");
  }
  if (values.empty() && phase == Phase::load && steady.reason.empty()) {
    return Values::unknown("each of its processes compiled");
  }
  if (values.empty()) {
    return Values::unknown(steady.reason.empty() ? fmt::format("no {} phase", name(phase)) : steady.reason);
  }
  return Values::of(std::move(values));
}

Value median_of(Known<std::vector<double>> values) {
  if (!values.value) return unknown(values.reason);
  std::sort(values.value->begin(), values.value->end());
  return {statistics::quantile_of_sorted(*values.value, 0.5)};
}

Value highest_of(const Known<std::vector<double>>& values) {
  if (!values.value) return unknown(values.reason);
  return {*std::max_element(values.value->begin(), values.value->end())};
}

Known<double> wall_s(const PhaseUse& use) { return Known<double>::of(static_cast<double>(use.wall_ns) * 1e-9); }

Known<double> cpu_s(const PhaseUse& use) {
  if (!use.cpu_ns.value) return Known<double>::unknown(use.cpu_ns.reason);
  return Known<double>::of(static_cast<double>(*use.cpu_ns.value) * 1e-9);
}

Known<double> peak_bytes(const PhaseUse& use) {
  if (!use.peak_rss_bytes.value) return Known<double>::unknown(use.peak_rss_bytes.reason);
  return Known<double>::of(static_cast<double>(*use.peak_rss_bytes.value));
}

// Returns a number that the compiler reported as a fact.
std::optional<double> told(const samples::ProcessResult& process, const char* fact) {
  const auto found = process.facts.find(fact);
  if (found == process.facts.end()) return std::nullopt;
  double number = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Several processes may work on one tuning; each reports the totals so far, so the highest value is the whole.
Value told_of_tuning(const Analysis& analysis, std::size_t cell, const char* fact) {
  if (const Steady& steady = analysis.steady(cell); steady.has_failed) return unknown(steady.reason);
  std::optional<double> highest;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    if (process.facts.contains("tuning_seconds")) highest = std::max(highest, told(process, fact));
  }
  return highest ? Value{highest} : unknown("not tuned");
}

}  // namespace

Value tuning_time(const Analysis& analysis, std::size_t cell) {
  return told_of_tuning(analysis, cell, "tuning_seconds");
}
Value tuning_trials(const Analysis& analysis, std::size_t cell) { return told_of_tuning(analysis, cell, "trials"); }

Value compile_time(const Analysis& analysis, std::size_t cell) {
  Known<std::vector<double>> seconds = of_phase(analysis, cell, Phase::compile, wall_s);
  std::size_t at = 0;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    if (!seconds.value || !samples::has_phase(process, Phase::compile)) continue;
    (*seconds.value)[at++] -= told(process, "tuning_seconds_here").value_or(0);
  }
  return median_of(std::move(seconds));
}
Value compile_count(const Analysis& analysis, std::size_t cell) {
  const Known<std::vector<double>> seconds = of_phase(analysis, cell, Phase::compile, wall_s);
  return seconds.value ? Value{static_cast<double>(seconds.value->size())} : unknown(seconds.reason);
}
Value compile_cpu(const Analysis& analysis, std::size_t cell) {
  return median_of(of_phase(analysis, cell, Phase::compile, cpu_s));
}
Value compile_peak(const Analysis& analysis, std::size_t cell) {
  return highest_of(of_phase(analysis, cell, Phase::compile, peak_bytes));
}
Value timed_peak(const Analysis& analysis, std::size_t cell) {
  return highest_of(of_phase(analysis, cell, Phase::timed, peak_bytes));
}

Value load_time(const Analysis& analysis, std::size_t cell) {
  return median_of(of_phase(analysis, cell, Phase::load, wall_s));
}

namespace {

// Returns the median of what the phases before the warm-up took in the processes that loaded, or in those that did not.
Value time_of_start(const Analysis& analysis, std::size_t cell, bool is_loading) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  std::vector<double> seconds;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    if (samples::has_phase(process, Phase::load) != is_loading) continue;
    double sum_s = 0;
    for (const PhaseUse& use : process.phases) {
      if (use.phase < Phase::warm_up) sum_s += *wall_s(use).value;
    }
    if (sum_s > 0) seconds.push_back(sum_s);
  }
  if (!seconds.empty()) return median_of(Known<std::vector<double>>::of(std::move(seconds)));
  return unknown(is_loading ? "each of its processes compiled" : "no process recorded its phases");
}

}  // namespace

Value cold_start(const Analysis& analysis, std::size_t cell) { return time_of_start(analysis, cell, false); }
Value warm_start(const Analysis& analysis, std::size_t cell) { return time_of_start(analysis, cell, true); }

// A process's first inference is the first repetition of its warm-up. Where requests arrive, these replace it.
Value first_inference(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  std::vector<double> seconds;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    if (process.repetitions.empty()) continue;
    const samples::Repetition& first = process.repetitions.front();
    if (first.is_warm_up && first.inferences == 1) seconds.push_back(static_cast<double>(first.wall_ns) * 1e-9);
  }
  if (seconds.empty()) return unknown("no process kept its first inference");
  return median_of(Known<std::vector<double>>::of(std::move(seconds)));
}

Value largest_reading(const Analysis& analysis, std::size_t cell, std::string_view quantity) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return {.reason = reason};
  std::optional<double> found;
  std::string why;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.quantity != quantity) continue;
      if (reading.value.value)
        found = std::max(found, reading.value.value);
      else
        why = reading.value.reason;
    }
  }
  if (found) return {found};
  return {.reason = why.empty() ? "no process recorded its " + std::string(quantity) : why};
}

Value model_size(const Analysis& analysis, std::size_t cell) { return largest_reading(analysis, cell, "model_size"); }
Value artifact_size(const Analysis& analysis, std::size_t cell) {
  return largest_reading(analysis, cell, "artifact_size");
}
Value runtime_size(const Analysis& analysis, std::size_t cell) {
  return largest_reading(analysis, cell, "runtime_size");
}

namespace {

// Returns how many operators a list such as "GATHER 1, RESHAPE 2" has; 0 of "none".
double count_in(const std::string& list) {
  double sum = 0;
  for (const std::string& each : text::split(list, ',')) {
    sum += std::strtod(each.substr(each.rfind(' ') + 1).c_str(), nullptr);
  }
  return sum;
}

// Applies `count` to the cell's first process, or returns why it cannot.
template <class Count>
Value of_delegate(const Analysis& analysis, std::size_t cell, const Count& count) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  if (!has_delegate(analysis.cell(cell))) return unknown("it has no delegate, or does not tell of it");
  return count(analysis.cell(cell).processes.front());
}

}  // namespace

Value delegated(const Analysis& analysis, std::size_t cell) {
  return of_delegate(analysis, cell, [](const auto& process) -> Value {
    const std::optional<double> count = told(process, "delegated");
    return count ? Value{count} : unknown("the compiled file does not say what is in its delegates");
  });
}

Value not_delegated(const Analysis& analysis, std::size_t cell) {
  return of_delegate(analysis, cell, [](const auto& process) -> Value {
    const auto list = process.facts.find("not_delegated");
    if (list != process.facts.end()) return {count_in(list->second)};
    if (process.facts.at("is_fully_delegated") == "true") return {0.0};
    return unknown("the library says that no delegate computes all of the file, and not what is left");
  });
}

Value shipped_size(const Analysis& analysis, std::size_t cell) {
  const Value artifact = artifact_size(analysis, cell);
  return artifact.value ? artifact : model_size(analysis, cell);
}

Value disk_size(const Analysis& analysis, std::size_t cell) {
  const Value shipped = shipped_size(analysis, cell);
  const Value runtime = runtime_size(analysis, cell);
  if (!shipped.value || !runtime.value) return {.reason = shipped.value ? runtime.reason : shipped.reason};
  return {*shipped.value + *runtime.value};
}

}  // namespace ngb::metrics
