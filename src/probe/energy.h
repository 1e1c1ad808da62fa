// SPDX-License-Identifier: Apache-2.0
// Reads meters of energy: the processors' own counters (RAPL, through powercap) and a board's meter at its input.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "probe/tree.h"
#include "samples/process_result.h"

namespace ngb::probe {

// A counter of powercap. It grows up to `range_uj` and then begins at 0 again.
struct EnergyCounter {
  // "package" (a processor with its cores and its built-in GPU), "dram", or "platform" (psys: whatever the machine's
  // firmware counts as the platform, packages among it). Cores and built-in GPUs are parts of a package and left out.
  std::string domain{};
  std::string zone{};         // the folder in /sys/class/powercap: "intel-rapl:0"
  Known<std::uint64_t> uj{};  // microjoule; most kernels let only root read it
  Known<std::uint64_t> range_uj{};
};

// Returns the counters of all zones, in the order of their names; empty on a machine without any.
std::vector<EnergyCounter> energy_counters(const Tree& tree);

// Returns "package_power" in watt, and "dram_power" and "platform_power" if there are such counters: what each domain
// took on average between two readings of its counters, `elapsed_us` microseconds apart. Domains are never added to
// each other, because they overlap. A counter that may have wrapped around more than once has no value.
std::vector<samples::Reading> powers_between(const std::vector<EnergyCounter>& before,
                                             const std::vector<EnergyCounter>& after, double elapsed_us);

// Sleeps for `window` and returns what the meters read meanwhile: "idle_package_power" and "idle_board_power" in watt.
// Returns no readings, at once, on a machine of which no meter can be read.
std::vector<samples::Reading> idle_powers(std::chrono::milliseconds window, const std::string& root = "/");

}  // namespace ngb::probe
