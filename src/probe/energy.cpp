// SPDX-License-Identifier: Apache-2.0
#include "probe/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/clock.h"
#include "probe/board.h"

namespace ngb::probe {
namespace {

using samples::Reading;

constexpr std::string_view kPowercap = "/sys/class/powercap";
constexpr std::array<std::string_view, 3> kDomains{"package", "dram", "platform"};
// No processor package takes more for long. A counter wraps around at most once in the time that this power needs for
// its range.
constexpr double kMostWatts = 500;

// Returns the domain of a zone by the name that the kernel gives it: "package-0", "package-0-die-1", "dram", "psys",
// "core", "uncore"; "" for a zone that is part of another.
std::string domain_of(const std::string& name) {
  if (name.starts_with("package")) return "package";
  if (name == "psys") return "platform";
  return name == "dram" ? name : "";
}

Known<double> microjoules_between(const EnergyCounter& before, const EnergyCounter& after, double elapsed_us) {
  if (!before.uj.value) return Known<double>::unknown(before.uj.reason);
  if (!after.uj.value) return Known<double>::unknown(after.uj.reason);
  const bool has_wrapped = *after.uj.value < *before.uj.value;
  if (!after.range_uj.value || *after.range_uj.value < *before.uj.value) {
    return has_wrapped ? Known<double>::unknown("the counter wrapped around, and the kernel tells no range of it")
                       : Known<double>::of(static_cast<double>(*after.uj.value - *before.uj.value));
  }
  const std::uint64_t range = *after.range_uj.value;
  if (elapsed_us * kMostWatts > static_cast<double>(range)) {  // a watt is a microjoule in a microsecond
    return Known<double>::unknown("the counter may have wrapped around more than once");
  }
  return Known<double>::of(static_cast<double>(has_wrapped ? range - *before.uj.value + *after.uj.value
                                                           : *after.uj.value - *before.uj.value));
}

Known<double> watts_of(std::string_view domain, const std::vector<EnergyCounter>& before,
                       const std::vector<EnergyCounter>& after, double elapsed_us) {
  double sum_uj = 0;
  for (const EnergyCounter& end : after) {
    if (end.domain != domain) continue;
    const auto start =
        std::find_if(before.begin(), before.end(), [&](const EnergyCounter& each) { return each.zone == end.zone; });
    if (start == before.end()) return Known<double>::unknown(fmt::format("{} appeared meanwhile", end.zone));
    const Known<double> uj = microjoules_between(*start, end, elapsed_us);
    if (!uj.value) return uj;
    sum_uj += *uj.value;
  }
  if (elapsed_us <= 0) return Known<double>::unknown("no time has passed");
  return Known<double>::of(sum_uj / elapsed_us);
}

bool has_domain(const std::vector<EnergyCounter>& counters, std::string_view domain) {
  return std::any_of(counters.begin(), counters.end(),
                     [&](const EnergyCounter& each) { return each.domain == domain; });
}

bool is_readable(const std::vector<EnergyCounter>& counters) {
  return std::any_of(counters.begin(), counters.end(),
                     [](const EnergyCounter& each) { return each.domain == "package" && each.uj.value.has_value(); });
}

}  // namespace

std::vector<EnergyCounter> energy_counters(const Tree& tree) {
  std::vector<EnergyCounter> found;
  for (const std::string& zone : tree.names(kPowercap, "intel-rapl:")) {
    const std::string folder = fmt::format("{}/{}", kPowercap, zone);
    const std::string domain = domain_of(tree.text(folder + "/name").value.value_or(""));
    if (domain.empty()) continue;
    found.push_back({domain, zone, tree.number(folder + "/energy_uj"), tree.number(folder + "/max_energy_range_uj")});
  }
  return found;
}

std::vector<Reading> powers_between(const std::vector<EnergyCounter>& before, const std::vector<EnergyCounter>& after,
                                    double elapsed_us) {
  std::vector<Reading> readings;
  for (const std::string_view domain : kDomains) {
    if (!has_domain(after, domain)) continue;
    readings.push_back({fmt::format("{}_power", domain), "watt", "timed", watts_of(domain, before, after, elapsed_us)});
  }
  if (!has_domain(after, kDomains.front())) {
    const auto none = Known<double>::unknown("no energy counter of the processor in /sys/class/powercap");
    readings.insert(readings.begin(), {fmt::format("{}_power", kDomains.front()), "watt", "timed", none});
  }
  return readings;
}

std::vector<Reading> idle_powers(std::chrono::milliseconds window, const std::string& root) {
  const Tree tree(root);
  const std::vector<EnergyCounter> before = energy_counters(tree);
  const bool has_counters = is_readable(before);
  const bool has_board = board_power_watts(tree).value.has_value();
  if (!has_counters && !has_board) return {};
  constexpr int kParts = 10;  // the board's meter is read at the end of each
  const Nanoseconds began = system_clock().now();
  double board_watts = 0;
  int count = 0;
  for (int part = 0; part < kParts; ++part) {
    std::this_thread::sleep_for(window / kParts);
    if (!has_board) continue;
    const Known<double> watts = board_power_watts(tree);
    if (!watts.value) continue;
    board_watts += *watts.value;
    ++count;
  }
  std::vector<Reading> readings;
  if (has_counters) {
    const double elapsed_us = static_cast<double>((system_clock().now() - began).count()) / 1000;
    readings.push_back(
        {"idle_package_power", "watt", "start", watts_of(kDomains.front(), before, energy_counters(tree), elapsed_us)});
  }
  if (count > 0) readings.push_back({"idle_board_power", "watt", "start", Known<double>::of(board_watts / count)});
  return readings;
}

}  // namespace ngb::probe
