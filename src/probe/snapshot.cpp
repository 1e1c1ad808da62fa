// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "probe/board.h"
#include "probe/probe.h"
#include "probe/tree.h"

namespace ngb::probe {

namespace {

constexpr std::string_view kHwmon = "/sys/class/hwmon";

bool contains(const auto& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Appends each "<prefix>*_input" of a hwmon chip, in its raw unit.
void collect_inputs(const Tree& tree, const std::string& chip, std::string_view prefix, std::vector<double>& values) {
  for (const std::string& name : tree.names(chip, prefix)) {
    if (!name.ends_with("_input")) continue;
    const Known<std::string> raw = tree.text(fmt::format("{}/{}", chip, name));
    const auto value = raw.value ? parse_real(*raw.value) : std::nullopt;
    if (value) values.push_back(*value);
  }
}

std::vector<double> processor_millidegrees(const Tree& tree) {
  constexpr std::array<std::string_view, 5> kChips{"coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal"};
  std::vector<double> values;
  for (const std::string& chip : tree.names(kHwmon, "hwmon")) {
    const std::string folder = fmt::format("{}/{}", kHwmon, chip);
    if (contains(kChips, tree.text(folder + "/name").value.value_or(""))) collect_inputs(tree, folder, "temp", values);
  }
  if (!values.empty()) return values;
  constexpr std::string_view kZones = "/sys/class/thermal";
  constexpr std::array<std::string_view, 5> kTypes{"x86_pkg_temp", "cpu-thermal", "CPU-therm", "soc-thermal",
                                                   "cpu_thermal"};
  for (const std::string& zone : tree.names(kZones, "thermal_zone")) {
    const std::string folder = fmt::format("{}/{}", kZones, zone);
    if (!contains(kTypes, tree.text(folder + "/type").value.value_or(""))) continue;
    const Known<std::string> raw = tree.text(folder + "/temp");
    if (const auto value = raw.value ? parse_real(*raw.value) : std::nullopt) values.push_back(*value);
  }
  return values;
}

// /proc/cpuinfo shows the real clock only if the processor counts its cycles (aperfmperf), else a nominal one.
Known<double> frequency_from_cpuinfo(const Tree& tree) {
  const Known<std::string> cpuinfo = tree.text("/proc/cpuinfo");
  if (!cpuinfo.value) return Known<double>::unknown(cpuinfo.reason);
  if (cpuinfo.value->find(" aperfmperf") == std::string::npos) {
    return Known<double>::unknown("no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)");
  }
  double sum_mhz = 0;
  int count = 0;
  for (const std::string& line : text::split(*cpuinfo.value, '\n')) {
    if (!line.starts_with("cpu MHz")) continue;
    const auto mhz = parse_real(text::trim(std::string_view(line).substr(line.find(':') + 1)));
    if (!mhz) continue;
    sum_mhz += *mhz;
    ++count;
  }
  if (count == 0) return Known<double>::unknown("/proc/cpuinfo has no clock");
  return Known<double>::of(sum_mhz / count * 1e6);
}

}  // namespace

Known<double> frequency_hz(const Tree& tree) {
  double sum_khz = 0;
  int count = 0;
  for (const std::string& cpu : tree.names(kCpus, "cpu")) {
    const Known<std::string> raw = tree.text(fmt::format("{}/{}/cpufreq/scaling_cur_freq", kCpus, cpu));
    const auto khz = raw.value ? parse_real(*raw.value) : std::nullopt;
    if (!khz) continue;
    sum_khz += *khz;
    ++count;
  }
  return count > 0 ? Known<double>::of(sum_khz / count * 1000) : frequency_from_cpuinfo(tree);
}

Known<double> temperature_celsius(const Tree& tree) {
  const std::vector<double> values = processor_millidegrees(tree);
  if (values.empty()) return Known<double>::unknown("no temperature sensor of the processor in /sys");
  return Known<double>::of(*std::max_element(values.begin(), values.end()) / 1000);
}

Known<double> power_watts(const Tree& tree) {
  std::vector<double> microwatts;
  for (const std::string& chip : tree.names(kHwmon, "hwmon")) {
    collect_inputs(tree, fmt::format("{}/{}", kHwmon, chip), "power", microwatts);
  }
  if (microwatts.empty()) return board_power_watts(tree);
  double sum = 0;
  for (const double value : microwatts) sum += value;
  return Known<double>::of(sum / 1e6);
}

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
