// SPDX-License-Identifier: Apache-2.0
#include "probe/sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "probe/board.h"

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

}  // namespace ngb::probe
