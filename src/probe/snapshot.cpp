// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "probe/board.h"
#include "probe/probe.h"
#include "probe/sensors.h"
#include "probe/ticks.h"
#include "probe/tree.h"

namespace ngb::probe {
namespace {

using samples::Reading;

void read_ticks(const Tree& tree, Snapshot& snapshot) {
  const Known<std::string> stat = tree.text("/proc/stat");
  const auto give_up = [&](const std::string& reason) {
    snapshot.steal_ticks = snapshot.total_ticks = snapshot.busy_ticks = Known<std::uint64_t>::unknown(reason);
  };
  if (!stat.value) return give_up(stat.reason);
  if (!stat.value->starts_with("cpu ")) return give_up("the first line of /proc/stat is not the sum of all processors");
  const Known<Ticks> ticks = parse_ticks(stat.value->substr(0, stat.value->find('\n')));
  if (!ticks.value) return give_up(ticks.reason);
  snapshot.steal_ticks = Known<std::uint64_t>::of(ticks.value->steal);
  snapshot.total_ticks = Known<std::uint64_t>::of(ticks.value->total);
  snapshot.busy_ticks = Known<std::uint64_t>::of(ticks.value->busy);
}

// Reads the total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345".
Known<std::uint64_t> pressure_cpu_some_us(const Tree& tree) {
  const Known<std::string> pressure = tree.text("/proc/pressure/cpu");
  if (!pressure.value) return Known<std::uint64_t>::unknown(pressure.reason);
  for (const std::string& word : words(pressure.value->substr(0, pressure.value->find('\n')))) {
    if (!word.starts_with("total=")) continue;
    if (const auto total = parse_unsigned(std::string_view(word).substr(6))) return Known<std::uint64_t>::of(*total);
  }
  return Known<std::uint64_t>::unknown("/proc/pressure/cpu has no total");
}

Known<double> load_1min(const Tree& tree) {
  const Known<std::string> load = tree.text("/proc/loadavg");
  if (!load.value) return Known<double>::unknown(load.reason);
  const auto value = parse_real(load.value->substr(0, load.value->find(' ')));
  return value ? Known<double>::of(*value) : Known<double>::unknown("/proc/loadavg holds no number");
}

// Returns after - before, or the reason why it is unknown.
Known<double> difference(const Known<std::uint64_t>& before, const Known<std::uint64_t>& after) {
  if (!before.value) return Known<double>::unknown(before.reason);
  if (!after.value) return Known<double>::unknown(after.reason);
  if (*after.value < *before.value) return Known<double>::unknown("the counter went backwards");
  return Known<double>::of(static_cast<double>(*after.value - *before.value));
}

Known<double> scaled_ratio(const Known<double>& part, const Known<double>& whole, double scale,
                           const std::string& when_none) {
  if (!part.value) return part;
  if (!whole.value) return whole;
  if (*whole.value <= 0) return Known<double>::unknown(when_none);
  return Known<double>::of(scale * *part.value / *whole.value);
}

void append(std::vector<Reading>& readings, const std::vector<Reading>& more, const std::string& when) {
  for (Reading reading : more) {
    reading.moment = when;
    readings.push_back(std::move(reading));
  }
}

// Returns gpu_mean_power in watt, from the counter gpu_energy of a GPU that has one; else nothing.
std::vector<Reading> gpu_power_between(const std::vector<Reading>& before, const std::vector<Reading>& after,
                                       double elapsed_us) {
  const auto counter = [](const std::vector<Reading>& readings) {
    return std::find_if(readings.begin(), readings.end(),
                        [](const Reading& each) { return each.quantity == "gpu_energy"; });
  };
  const auto start = counter(before);
  const auto end = counter(after);
  if (start == before.end() || end == after.end()) return {};
  constexpr double kMicro = 1e6;
  Known<double> watts = start->value.value ? end->value : start->value;
  if (start->value.value && end->value.value) {
    const double joules = *end->value.value - *start->value.value;
    watts = joules < 0        ? Known<double>::unknown("the GPU's counter went backwards")
            : elapsed_us <= 0 ? Known<double>::unknown("no time has passed")
                              : Known<double>::of(joules * kMicro / elapsed_us);
  }
  return {{"gpu_mean_power", "watt", "", std::move(watts)}};
}

// Adds what the board's own files show. It replaces what NVML, which Jetson's driver serves in part, does not know.
void fill_in(std::vector<Reading>& readings, const std::vector<Reading>& of_board) {
  for (const Reading& each : of_board) {
    const auto known = std::find_if(readings.begin(), readings.end(),
                                    [&](const Reading& other) { return other.quantity == each.quantity; });
    if (known == readings.end()) {
      readings.push_back(each);
    } else if (!known->value.value) {
      *known = each;
    }
  }
}

}  // namespace

Snapshot snapshot(const std::string& root, const std::string& nvml) {
  const Tree tree(root);
  Snapshot taken;
  read_ticks(tree, taken);
  taken.pressure_cpu_some_us = pressure_cpu_some_us(tree);
  taken.energy = energy_counters(tree);
  taken.readings = {{"load_1min", "1", "", load_1min(tree)},
                    {"frequency", "hz", "", frequency_hz(tree)},
                    {"temperature", "celsius", "", temperature_celsius(tree)},
                    {"power", "watt", "", power_watts(tree)}};
  append(taken.readings, gpu_readings(nvml), "");
  fill_in(taken.readings, board_readings(tree));
  taken.taken_ns = system_clock().now().count();
  return taken;
}

std::vector<Reading> readings_between(const Snapshot& before, const Snapshot& after) {
  std::vector<Reading> readings;
  append(readings, before.readings, "start");
  append(readings, after.readings, "end");
  const std::string kTooShort = "shorter than a tick of the kernel's clock";
  const Known<double> total = difference(before.total_ticks, after.total_ticks);
  const Known<double> elapsed_us = Known<double>::of(static_cast<double>(after.taken_ns - before.taken_ns) / 1000);
  const Known<double> pressure_us = difference(before.pressure_cpu_some_us, after.pressure_cpu_some_us);
  append(
      readings,
      {{"steal", "percent", "", scaled_ratio(difference(before.steal_ticks, after.steal_ticks), total, 100, kTooShort)},
       {"machine_cpu", "percent", "",
        scaled_ratio(difference(before.busy_ticks, after.busy_ticks), total, 100, kTooShort)},
       {"pressure_cpu_some", "percent", "", scaled_ratio(pressure_us, elapsed_us, 100, kTooShort)}},
      "timed");
  append(readings, powers_between(before.energy, after.energy, *elapsed_us.value), "timed");
  append(readings, gpu_power_between(before.readings, after.readings, *elapsed_us.value), "timed");
  return readings;
}

}  // namespace ngb::probe
