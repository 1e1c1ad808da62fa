// SPDX-License-Identifier: Apache-2.0
#include "metrics/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/ratios.h"
#include "samples/process_numbers.h"
#include "statistics/statistics.h"

namespace ngb::metrics {

namespace {

Value value_of_row(const char* name, const Analysis& analysis, std::size_t cell) {
  return find_metric(name)->compute(analysis, cell);
}

Value cpu_share(const Analysis& analysis, std::size_t cell, int cpus) {
  const auto& busy = analysis.busy_cpus(cell);
  if (!busy.value) return unknown(busy.reason);
  double sum = 0;
  for (const OfRound& each : *busy.value) sum += each.value;
  return {100 * sum / static_cast<double>(busy.value->size()) / cpus};
}

}  // namespace

Value cpu_of_machine(const Analysis& analysis, std::size_t cell) {
  const auto& cpus = analysis.cell(cell).device_cpus;
  if (!analysis.steady(cell).reason.empty()) return unknown(analysis.steady(cell).reason);
  return cpus ? cpu_share(analysis, cell, *cpus) : unknown("the device did not report how many processors it has");
}
Value cpu_of_threads(const Analysis& analysis, std::size_t cell) {
  const auto& threads = analysis.cell(cell).of.threads;
  const int instances = analysis.cell(cell).of.compiler.instances;
  return threads ? cpu_share(analysis, cell, *threads * instances)
                 : unknown("no process has reported how many threads it has");
}

Value compile_total(const Analysis& analysis, std::size_t cell) {
  Value compiling = value_of_row("compile_s", analysis, cell);
  if (!compiling.value) return compiling;
  return {*compiling.value + value_of_row("tuning_s", analysis, cell).value.value_or(0)};
}

Value break_even(const Analysis& analysis, std::size_t cell) {
  const Value gain = speed_up(analysis, cell);
  if (!gain.value) return unknown(gain.reason);
  const std::size_t baseline = *analysis.baseline_of(cell);
  if (baseline == cell) return unknown("it is the baseline");
  const Value own = compile_total(analysis, cell);
  if (!own.value) return own;
  const Value other = compile_total(analysis, baseline);
  if (!other.value) return unknown(fmt::format("{}: {}", analysis.baseline().role(), other.reason));
  if (*gain.value <= 1) return unknown("not faster than the baseline: compiling never pays");
  if (!gain.low || *gain.low <= 1) return unknown("not told apart from the baseline");
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
  return deviation ? Value{deviation} : unknown("needs 2 processes");
}

Value gpu_use(const Analysis& analysis, std::size_t cell) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
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
  return percent.empty() ? unknown(std::move(why)) : Value{statistics::mean(percent)};
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

struct TimedReading {
  double value = 0;
  samples::StartTime at_ns{};
};

// Returns the mean over time. Each reading stands for the time since the one before it, the first for as long as the
// second. If their times are unknown, all count alike. Precondition: there is a reading.
double mean_over_time(std::span<const TimedReading> readings) {
  double sum = 0;
  double all_ns = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const std::size_t end = std::min(std::max<std::size_t>(i, 1), readings.size() - 1);
    const bool has_times = end > 0 && readings[end].at_ns && readings[end - 1].at_ns;
    const double ns = has_times ? static_cast<double>(*readings[end].at_ns - *readings[end - 1].at_ns) : 1;
    sum += readings[i].value * ns;
    all_ns += ns;
  }
  return sum / all_ns;
}

// Returns the mean of the readings of a process, or why there is none.
Known<double> mean_reading(const samples::ProcessResult& process, std::string_view quantity, std::string_view when,
                           std::size_t least) {
  std::vector<TimedReading> values;
  std::string why = fmt::format("no process recorded {}", quantity);
  for (const samples::Reading& reading : process.readings) {
    if (reading.quantity != quantity || reading.moment != when) continue;
    if (reading.value.value) {
      values.push_back({*reading.value.value, reading.at_ns});
    } else {
      why = reading.value.reason;
    }
  }
  if (values.empty()) return Known<double>::unknown(why);
  if (values.size() >= least) return Known<double>::of(mean_over_time(values));
  return Known<double>::unknown(
      fmt::format("window too short: {} readings of the meter, {} are needed", values.size(), least));
}

bool was_alone(const samples::ProcessResult& process) {
  return std::any_of(process.phases.begin(), process.phases.end(),
                     [](const samples::PhaseUse& use) { return use.phase == samples::Phase::alone; });
}

// Returns the energy that the process took in the phase, timed or alone.
Known<double> energy_j(const samples::ProcessResult& process, samples::Phase phase, const Meter& meter, bool is_net) {
  const std::string_view when = meter.when == "timed" ? name(phase) : meter.when;
  const Known<double> gross_w = mean_reading(process, meter.quantity, when, meter.least_readings);
  if (!gross_w.value) return gross_w;
  const double seconds = samples::seconds_of_phase(process, phase);
  if (seconds < meter.least_s) {
    return Known<double>::unknown(
        fmt::format("window too short: {:.3g} s, the meter needs {:g} s", seconds, meter.least_s));
  }
  if (!is_net) return Known<double>::of(*gross_w.value * seconds);
  const Known<double> idle_w = mean_reading(process, meter.idle, "start", 1);
  return idle_w.value ? Known<double>::of((*gross_w.value - *idle_w.value) * seconds) : idle_w;
}

// Returns the amount of a phase divided by the inferences of that same phase, for each process that has a speed. Both
// are counts of one period: a quotient of two means would be wrong where the periods differ, as beside other work.
// `amount_of(process)` returns nothing for a process that does not count.
template <class Amount>
Known<std::vector<OfRound>> per_inference(const Analysis& analysis, std::size_t cell, samples::Phase phase,
                                          const Amount& amount_of) {
  using Amounts = Known<std::vector<OfRound>>;
  const Steady& steady = analysis.steady(cell);
  const auto& inferences = phase == samples::Phase::alone ? steady.alone_inferences : steady.timed_inferences;
  std::vector<OfRound> found;
  for (std::size_t i = 0; i < steady.throughput_by_process.size(); ++i) {
    OfRound each = steady.throughput_by_process[i];
    for (const store::RecordedProcess& process : analysis.cell(cell).processes) {
      const std::optional<Known<double>> amount = is_of_process(each, process) ? amount_of(process) : std::nullopt;
      if (!amount) continue;
      if (!amount->value) return Amounts::unknown(amount->reason);
      if (!inferences[i].value) return Amounts::unknown(inferences[i].reason);
      each.value = *amount->value / *inferences[i].value;
      found.push_back(each);
    }
  }
  return Amounts::of(std::move(found));
}

Value mean_above_zero(const Analysis& analysis, const Known<std::vector<OfRound>>& values, const char* if_not) {
  if (!values.value) return unknown(values.reason);
  if (values.value->empty()) return unknown("no process recorded it");
  const bool are_above =
      std::all_of(values.value->begin(), values.value->end(), [](const OfRound& each) { return each.value > 0; });
  return are_above ? geometric_mean(*values.value, analysis.error_rate()) : unknown(if_not);
}

Value energy(const Analysis& analysis, std::size_t cell, const Meter& meter, bool is_net) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  const store::CellData& data = analysis.cell(cell);
  if (data.of.load != work::kNoLoad) return unknown("its load took energy as well");
  // In turns, a meter reads all processes of a round: only those count that had a part alone.
  const bool takes_turns = std::any_of(data.processes.begin(), data.processes.end(), was_alone);
  const samples::Phase phase = takes_turns ? samples::Phase::alone : samples::Phase::timed;
  const auto energy_of = [&](const samples::ProcessResult& process) -> std::optional<Known<double>> {
    return takes_turns && !was_alone(process) ? std::nullopt : std::optional(energy_j(process, phase, meter, is_net));
  };
  return mean_above_zero(analysis, per_inference(analysis, cell, phase, energy_of),
                         "a process took no more than the machine when idle");
}

}  // namespace

Value cpu_per_inference(const Analysis& analysis, std::size_t cell) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  const auto processor_s = [](const samples::ProcessResult& process) -> std::optional<Known<double>> {
    for (const samples::PhaseUse& use : process.phases) {
      if (use.phase != samples::Phase::timed) continue;
      return use.cpu_ns.value ? Known<double>::of(static_cast<double>(*use.cpu_ns.value) * 1e-9)
                              : Known<double>::unknown(use.cpu_ns.reason);
    }
    return Known<double>::unknown("a process did not record its use of the processor");
  };
  return mean_above_zero(analysis, per_inference(analysis, cell, samples::Phase::timed, processor_s),
                         "a process used less processor time than the clock resolves");
}

Value package_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kPackages, false); }
Value net_package_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kPackages, true); }
Value gpu_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kGpu, false); }
Value board_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kBoard, false); }
Value net_board_energy(const Analysis& analysis, std::size_t cell) { return energy(analysis, cell, kBoard, true); }

namespace {

// Returns `of_samples` in bits that compressing saves.
Value in_saved_bits(Value of_samples, const store::CellData& cell) {
  constexpr double kBitsPerByte = 8;
  if (!of_samples.value) return of_samples;
  if (!cell.of.model.raw_bytes || !cell.of.model.encoded_bytes) {
    return unknown("the study gives no raw_bytes and encoded_bytes of the model");
  }
  return scaled(std::move(of_samples), kBitsPerByte * (static_cast<double>(*cell.of.model.raw_bytes) -
                                                       static_cast<double>(*cell.of.model.encoded_bytes)));
}

}  // namespace

Value saved_bits(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  return in_saved_bits(geometric_mean(steady.throughput_by_process, analysis.error_rate()), analysis.cell(cell));
}

Value samples_in_window(const Analysis& analysis, std::size_t cell) {
  const Steady& steady = analysis.steady(cell);
  const store::CellData& data = analysis.cell(cell);
  if (!steady.reason.empty()) return unknown(steady.reason);
  if (!data.window_s) return unknown("the study's goal gives no window_s");
  std::vector<OfRound> counts = steady.throughput_by_process;
  for (OfRound& each : counts) {
    const auto process =
        std::ranges::find_if(data.processes, [&](const auto& one) { return is_of_process(each, one); });
    const auto count =
        process == data.processes.end() ? std::nullopt : samples::count_in_window(*process, each.value, *data.window_s);
    if (!count) return unknown("a process did not record its phases");
    if (*count == 0) return {0.0};
    each.value = *count;
  }
  return geometric_mean(counts, analysis.error_rate());
}

Value bits_in_window(const Analysis& analysis, std::size_t cell) {
  return in_saved_bits(samples_in_window(analysis, cell), analysis.cell(cell));
}

}  // namespace ngb::metrics
