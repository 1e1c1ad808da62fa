// SPDX-License-Identifier: Apache-2.0
#include "metrics/decoding.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

constexpr const char* kGeneratesNone = "the model generates no tokens";
constexpr const char* kReadsNone = "the model reads no prompt";

// Returns the largest value of the processes that count; nothing if none has such a reading.
std::optional<double> largest_reading(const store::CellData& cell, std::string_view quantity) {
  std::optional<double> largest;
  for (const store::RecordedProcess& process : cell.processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.quantity != quantity || !reading.value.value) continue;
      largest = std::max(largest.value_or(*reading.value.value), *reading.value.value);
    }
  }
  return largest;
}

// Returns another metric of a cell that has such a reading.
Value where_read(const Analysis& analysis, std::size_t cell, std::string_view quantity, const char* metric,
                 const char* why_not) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  if (!largest_reading(analysis.cell(cell), quantity)) return unknown(why_not);
  return find_metric(metric)->compute(analysis, cell);
}

Value of_steps(const Analysis& analysis, std::size_t cell, const char* metric) {
  return where_read(analysis, cell, "new_tokens", metric, kGeneratesNone);
}

Value largest_of_steps(const Analysis& analysis, std::size_t cell, std::string_view quantity) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  const std::optional<double> largest = largest_reading(analysis.cell(cell), quantity);
  return largest ? Value{largest} : unknown(kGeneratesNone);
}

}  // namespace

std::optional<double> first_pass_ratio_of(const store::RecordedProcess& process) {
  const bool has_steps = std::any_of(process.readings.begin(), process.readings.end(),
                                     [](const samples::Reading& reading) { return reading.quantity == "new_tokens"; });
  if (!has_steps || process.latencies_ns.empty() || process.latencies_ns.front().empty()) return std::nullopt;
  std::vector<double> first(process.latencies_ns.front().begin(), process.latencies_ns.front().end());
  std::vector<double> later;
  for (std::size_t i = 1; i < process.latencies_ns.size() && i < process.repetitions.size(); ++i) {
    if (process.repetitions[i].is_warm_up) continue;
    later.insert(later.end(), process.latencies_ns[i].begin(), process.latencies_ns[i].end());
  }
  if (later.empty()) return std::nullopt;
  std::sort(later.begin(), later.end());
  return statistics::mean(first) / statistics::quantile_of_sorted(later, 0.5);
}

Value time_per_token(const Analysis& analysis, std::size_t cell) { return of_steps(analysis, cell, "latency_p50_s"); }
Value time_per_token_p90(const Analysis& analysis, std::size_t cell) {
  return of_steps(analysis, cell, "latency_p90_s");
}
Value time_per_token_p99(const Analysis& analysis, std::size_t cell) {
  return of_steps(analysis, cell, "latency_p99_s");
}
Value decode_tokens(const Analysis& analysis, std::size_t cell) { return of_steps(analysis, cell, "throughput_per_s"); }

Value first_pass_ratio(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  return steady.first_passes.empty() ? unknown(kGeneratesNone) : Value{statistics::mean(steady.first_passes)};
}

Value prefill_tokens(const Analysis& analysis, std::size_t cell) {
  Value value = where_read(analysis, cell, "prompt_tokens", "throughput_per_s", kReadsNone);
  const std::optional<double> tokens = largest_reading(analysis.cell(cell), "prompt_tokens");
  for (std::optional<double>* each : {&value.value, &value.low, &value.high}) {
    if (*each && tokens) **each *= *tokens;
  }
  return value;
}

Value time_to_first_token(const Analysis& analysis, std::size_t cell) {
  return where_read(analysis, cell, "prompt_tokens", "latency_p50_s", kReadsNone);
}

Value bytes_per_token(const Analysis& analysis, std::size_t cell) {
  return largest_of_steps(analysis, cell, "bytes_per_token");
}
Value copied_bytes_per_token(const Analysis& analysis, std::size_t cell) {
  return largest_of_steps(analysis, cell, "copied_bytes_per_token");
}
Value cache_size(const Analysis& analysis, std::size_t cell) { return largest_of_steps(analysis, cell, "cache_bytes"); }

}  // namespace ngb::metrics
