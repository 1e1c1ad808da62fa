// SPDX-License-Identifier: Apache-2.0
#include "metrics/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "metrics/outcome.h"
#include "samples/process_numbers.h"
#include "samples/process_result.h"
#include "statistics/statistics.h"

namespace ngb::metrics {

namespace {

using samples::Phase;

// Returns why no process of a cell that has a speed counts.
std::string why_none_counts(Phase phase) {
  if (phase == Phase::compile) return "its processes loaded what another one had compiled";
  if (phase == Phase::load) return "each of its processes compiled";
  return fmt::format("no {} phase", name(phase));
}

// Returns the number of each completed process that has one; unknown if it is unknown of one, or if none counts.
Known<std::vector<double>> numbers_of_processes(const Analysis& analysis, std::size_t cell,
                                                samples::ProcessNumber& number, Phase phase) {
  using Values = Known<std::vector<double>>;
  const Steady& steady = analysis.steady(cell);
  if (steady.has_failed) return Values::unknown(steady.reason);
  std::vector<double> values;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    const std::optional<Known<double>> value = number(process);
    if (!value) continue;
    if (!value->value) return Values::unknown(value->reason);
    values.push_back(*value->value);
  }
  if (!values.empty()) return Values::of(std::move(values));
  return Values::unknown(steady.reason.empty() ? why_none_counts(phase) : steady.reason);
}

// Returns the number of each process of a cell that has a speed, or why there is none.
Known<std::vector<double>> of_steady_processes(const Analysis& analysis, std::size_t cell,
                                               samples::ProcessNumber& number, const char* why_none) {
  using Values = Known<std::vector<double>>;
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return Values::unknown(reason);
  Values values = numbers_of_processes(analysis, cell, number, Phase::warm_up);
  return values.value ? values : Values::unknown(why_none);
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

// Several processes may work on one tuning; each reports the totals so far, so the highest value is the whole.
Value told_of_tuning(const Analysis& analysis, std::size_t cell, const char* fact) {
  if (const Steady& steady = analysis.steady(cell); steady.has_failed) return unknown(steady.reason);
  std::optional<double> highest;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    if (process.facts.contains("tuning_seconds")) highest = std::max(highest, samples::told_number(process, fact));
  }
  return highest ? Value{highest} : unknown("not tuned");
}

}  // namespace

Value tuning_time(const Analysis& analysis, std::size_t cell) {
  return told_of_tuning(analysis, cell, "tuning_seconds");
}
Value tuning_trials(const Analysis& analysis, std::size_t cell) { return told_of_tuning(analysis, cell, "trials"); }

Value compile_time(const Analysis& analysis, std::size_t cell) {
  return median_of(numbers_of_processes(analysis, cell, samples::compile_s, Phase::compile));
}
Value compile_count(const Analysis& analysis, std::size_t cell) {
  const Known<std::vector<double>> seconds = numbers_of_processes(analysis, cell, samples::compile_s, Phase::compile);
  return seconds.value ? Value{static_cast<double>(seconds.value->size())} : unknown(seconds.reason);
}
Value compile_cpu(const Analysis& analysis, std::size_t cell) {
  return median_of(numbers_of_processes(analysis, cell, samples::compile_cpu_s, Phase::compile));
}
Value compile_peak(const Analysis& analysis, std::size_t cell) {
  return highest_of(numbers_of_processes(analysis, cell, samples::compile_peak_bytes, Phase::compile));
}
Value timed_peak(const Analysis& analysis, std::size_t cell) {
  return highest_of(numbers_of_processes(analysis, cell, samples::timed_peak_bytes, Phase::timed));
}
Value load_time(const Analysis& analysis, std::size_t cell) {
  return median_of(numbers_of_processes(analysis, cell, samples::load_s, Phase::load));
}
Value cold_start(const Analysis& analysis, std::size_t cell) {
  return median_of(of_steady_processes(analysis, cell, samples::cold_start_s, "no process recorded its phases"));
}
Value warm_start(const Analysis& analysis, std::size_t cell) {
  return median_of(of_steady_processes(analysis, cell, samples::warm_start_s, "each of its processes compiled"));
}
Value first_inference(const Analysis& analysis, std::size_t cell) {
  return median_of(
      of_steady_processes(analysis, cell, samples::first_inference_s, "no process kept its first inference"));
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
    const std::optional<double> count = samples::told_number(process, "delegated");
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
