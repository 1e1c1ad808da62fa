// SPDX-License-Identifier: Apache-2.0
#include "metrics/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "metrics/ratios.h"
#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

Value unknown_cost(std::string reason) { return {.reason = std::move(reason)}; }

Value value_of_row(const char* name, const Analysis& analysis, std::size_t cell) {
  return find_metric(name)->compute(analysis, cell);
}

}  // namespace

Value compile_total(const Analysis& analysis, std::size_t cell) {
  Value compiling = value_of_row("compile_s", analysis, cell);
  if (!compiling.value) return compiling;
  return {*compiling.value + value_of_row("tuning_s", analysis, cell).value.value_or(0)};
}

Value break_even(const Analysis& analysis, std::size_t cell) {
  const Value gain = speed_up(analysis, cell);
  if (!gain.value) return unknown_cost(gain.reason);
  const std::size_t baseline = *analysis.baseline_of(cell);
  if (baseline == cell) return unknown_cost("it is the baseline");
  const Value own = compile_total(analysis, cell);
  if (!own.value) return own;
  const Value other = compile_total(analysis, baseline);
  if (!other.value) return unknown_cost(fmt::format("{}: {}", analysis.baseline().role(), other.reason));
  if (*gain.value <= 1) return unknown_cost("not faster than the baseline: compiling never pays");
  if (gain.low && *gain.low <= 1) return unknown_cost("not told apart from the baseline");
  const double baseline_s =
      analysis.cell(baseline).of.model.key.batch / *value_of_row("throughput_per_s", analysis, baseline).value;
  const double longer_s = std::max(0.0, *own.value - *other.value);
  const auto inferences = [&](double speed_up) { return longer_s / (baseline_s * (1 - 1 / speed_up)); };
  Value found{inferences(*gain.value)};
  if (gain.high) found.low = inferences(*gain.high);
  if (gain.low) found.high = inferences(*gain.low);
  return found;
}

Value cpu_deviation(const Analysis& analysis, std::size_t cell) {
  const Value share = value_of_row("cpu_percent", analysis, cell);
  if (!share.value) return share;
  std::vector<double> percent;
  std::transform(analysis.busy_cpus(cell).value->begin(), analysis.busy_cpus(cell).value->end(),
                 std::back_inserter(percent),
                 [&](const OfRound& each) { return 100 * each.value / *analysis.cell(cell).device_cpus; });
  const auto deviation = statistics::standard_deviation(percent);
  return deviation ? Value{deviation} : unknown_cost("needs 2 processes");
}

Value gpu_use(const Analysis& analysis, std::size_t cell) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown_cost(reason);
  std::vector<double> percent;
  std::string why = "no process recorded the use of a GPU";
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.quantity != "gpu_utilisation" || reading.moment != "end") continue;
      if (reading.value.value)
        percent.push_back(*reading.value.value);
      else
        why = reading.value.reason;
    }
  }
  return percent.empty() ? unknown_cost(std::move(why)) : Value{statistics::mean(percent)};
}

}  // namespace ngb::metrics
