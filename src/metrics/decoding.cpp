// SPDX-License-Identifier: Apache-2.0
#include "metrics/decoding.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "metrics/phases.h"
#include "metrics/ratios.h"
#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

constexpr const char* kGeneratesNone = "the model generates no tokens";
constexpr const char* kReadsNone = "the model reads no prompt";

// Returns the reading, or why the cell has none: it was not measured, or is of another kind of model.
Value known_reading(const Analysis& analysis, std::size_t cell, std::string_view quantity, const char* why_not) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  Value reading = largest_reading(analysis, cell, quantity);
  return reading.value ? reading : unknown(why_not);
}

// Returns another metric of a cell that has such a reading.
Value where_read(const Analysis& analysis, std::size_t cell, std::string_view quantity, const char* metric,
                 const char* why_not) {
  const Value reading = known_reading(analysis, cell, quantity, why_not);
  return reading.value ? find_metric(metric)->compute(analysis, cell) : reading;
}

Value of_steps(const Analysis& analysis, std::size_t cell, const char* metric) {
  return where_read(analysis, cell, "new_tokens", metric, kGeneratesNone);
}

Value largest_of_steps(const Analysis& analysis, std::size_t cell, std::string_view quantity) {
  const Value reading = known_reading(analysis, cell, quantity, kGeneratesNone);
  const bool generates = known_reading(analysis, cell, "new_tokens", kGeneratesNone).value.has_value();
  return reading.value || !generates ? reading : unknown("the model does not tell it");
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

Value energy_per_token(const Analysis& analysis, std::size_t cell) {
  const work::Configuration& of = analysis.cell(cell).of;
  const auto of_token = [&](const char* metric) {
    return scaled(of_steps(analysis, cell, metric), 1.0 / of.model.key.batch);
  };
  const Value board = of_token("board_energy_per_inference_j");
  if (board.value) return board;
  const Value packages = of_token("package_energy_per_inference_j");
  if (!packages.value || of.compute_device.value != "gpu") return packages;
  const Value gpu = of_token("gpu_energy_per_inference_j");
  return gpu.value ? Value{*packages.value + *gpu.value} : gpu;
}

Value first_pass_ratio(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  return steady.first_passes.empty() ? unknown(kGeneratesNone) : Value{statistics::mean(steady.first_passes)};
}

Value prefill_tokens(const Analysis& analysis, std::size_t cell) {
  const Value tokens = known_reading(analysis, cell, "prompt_tokens", kReadsNone);
  return tokens.value ? scaled(find_metric("throughput_per_s")->compute(analysis, cell), *tokens.value) : tokens;
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
