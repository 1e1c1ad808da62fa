// SPDX-License-Identifier: Apache-2.0
#include "metrics/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "metrics/ratios.h"
#include "samples/process_result.h"
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

namespace {

// A meter: the readings of its power, and when they suffice.
struct Meter {
  std::string_view quantity{};  // watt
  std::string_view when{};      // "timed": a mean over the timed phase; "during": single readings in it
  std::string_view idle{};      // quantity of its power before the compiler was opened; "": not measured
  double least_s = 0;           // shortest timed phase that it resolves
  std::size_t least_readings = 1;
};

// RAPL's counters grow about every millisecond (Hähnel et al., 2012), NVML's in up to a tenth of a second: the windows
// keep the error of both ends near 2 % and 20 %. A board is read once a second.
constexpr Meter kPackages{"package_power", "timed", "idle_package_power", 0.1};
constexpr Meter kGpu{"gpu_mean_power", "timed", "", 1};
constexpr Meter kBoard{"board_power", "during", "idle_board_power", 5, 5};

Value unknown_energy(std::string reason) { return {.reason = std::move(reason)}; }

// Returns the mean of the readings of a process, or why there is none.
Known<double> mean_reading(const samples::ProcessResult& process, std::string_view quantity, std::string_view when,
                           std::size_t least) {
  std::vector<double> values;
  std::string why = fmt::format("no process recorded {}", quantity);
  for (const samples::Reading& reading : process.readings) {
    if (reading.quantity != quantity || reading.moment != when) continue;
    if (reading.value.value) {
      values.push_back(*reading.value.value);
    } else {
      why = reading.value.reason;
    }
  }
  if (values.empty()) return Known<double>::unknown(why);
  if (values.size() >= least) return Known<double>::of(statistics::mean(values));
  return Known<double>::unknown(
      fmt::format("window too short: {} readings of the meter, {} are needed", values.size(), least));
}

bool was_alone(const samples::ProcessResult& process) {
  return std::any_of(process.phases.begin(), process.phases.end(),
                     [](const samples::PhaseUse& use) { return use.phase == samples::Phase::alone; });
}

Known<double> power_w(const samples::ProcessResult& process, const Meter& meter, bool is_net) {
  const bool is_of_turns = was_alone(process);
  const std::string_view when = is_of_turns && meter.when == "timed" ? "alone" : meter.when;
  const Known<double> gross = mean_reading(process, meter.quantity, when, meter.least_readings);
  if (!gross.value) return gross;
  const samples::Phase phase = is_of_turns ? samples::Phase::alone : samples::Phase::timed;
  if (const double seconds = samples::seconds_of_phase(process, phase); seconds < meter.least_s) {
    return Known<double>::unknown(
        fmt::format("window too short: {:.3g} s, the meter needs {:g} s", seconds, meter.least_s));
  }
  if (!is_net) return gross;
  const Known<double> idle = mean_reading(process, meter.idle, "start", 1);
  return idle.value ? Known<double>::of(*gross.value - *idle.value) : idle;
}

// Returns amount_per_s x seconds of an inference for each process that has a speed; `amount_per_s` is of a process, and
// nothing for one that does not count.
template <class Amount>
Known<std::vector<OfRound>> per_inference(const Analysis& analysis, std::size_t cell, const Amount& amount_per_s) {
  using Amounts = Known<std::vector<OfRound>>;
  std::vector<OfRound> found;
  for (const OfRound& speed : analysis.steady(cell).throughput_by_process) {
    const std::optional<Known<double>> amount = amount_per_s(speed);
    if (!amount) continue;
    if (!amount->value) return Amounts::unknown(amount->reason);
    found.push_back({speed.run_key, speed.round, *amount->value * analysis.cell(cell).of.model.key.batch / speed.value,
                     speed.environment_hash});
  }
  return Amounts::of(std::move(found));
}

Value mean_above_zero(const Analysis& analysis, const Known<std::vector<OfRound>>& values, const char* if_not) {
  if (!values.value) return unknown_energy(values.reason);
  const bool are_above =
      std::all_of(values.value->begin(), values.value->end(), [](const OfRound& each) { return each.value > 0; });
  return are_above ? geometric_mean(*values.value, analysis.error_rate()) : unknown_energy(if_not);
}

bool is_of_process(const OfRound& each, const store::RecordedProcess& process) {
  return each.run_key == process.run_key && each.round == process.process_index &&
         each.environment_hash == process.environment_hash;
}

Value energy(const Analysis& analysis, std::size_t cell, const Meter& meter, bool is_net) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown_energy(reason);
  const store::CellData& data = analysis.cell(cell);
  if (data.of.load != work::kNoLoad) return unknown_energy("its load took energy as well");
  // In turns, a meter reads all processes of a round: only those count that had a part alone.
  const bool takes_turns = std::any_of(data.processes.begin(), data.processes.end(), was_alone);
  const auto power_of = [&](const OfRound& speed) -> std::optional<Known<double>> {
    for (const store::RecordedProcess& process : data.processes) {
      if (!is_of_process(speed, process)) continue;
      if (takes_turns && !was_alone(process)) return std::nullopt;
      return power_w(process, meter, is_net);
    }
    return Known<double>::unknown("a process recorded no power");
  };
  return mean_above_zero(analysis, per_inference(analysis, cell, power_of),
                         "a process took no more than the machine when idle");
}

}  // namespace

Value cpu_per_inference(const Analysis& analysis, std::size_t cell) {
  const Known<std::vector<OfRound>>& busy = analysis.busy_cpus(cell);
  if (!busy.value) return unknown_energy(busy.reason);
  const auto busy_of = [&](const OfRound& speed) -> std::optional<Known<double>> {
    const auto found = std::find_if(busy.value->begin(), busy.value->end(), [&](const OfRound& each) {
      return each.run_key == speed.run_key && each.round == speed.round &&
             each.environment_hash == speed.environment_hash;
    });
    return found == busy.value->end() ? Known<double>::unknown("a process did not record its use of the processor")
                                      : Known<double>::of(found->value);
  };
  return mean_above_zero(analysis, per_inference(analysis, cell, busy_of),
                         "a process used less processor time than the clock resolves");
}

Value package_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kPackages, false); }
Value net_package_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kPackages, true); }
Value gpu_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kGpu, false); }
Value board_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kBoard, false); }
Value net_board_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kBoard, true); }

}  // namespace ngb::metrics
