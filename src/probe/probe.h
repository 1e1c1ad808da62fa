// SPDX-License-Identifier: Apache-2.0
// What this device can tell of itself: each value, or the reason why not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/gpu.h"
#include "samples/environment.h"
#include "samples/process_result.h"

namespace ngb::probe {

// CPU, cores, microcode, governor, kernel, boot id, memory, cgroup limits, affinity, speed-relevant variables.
// `root` stands for "/": tests pass a folder with made-up proc and sys files.
samples::Environment environment(const std::string& root = "/");

// The cheap, fast-moving quantities, raw counters included, to be read before and after the timed phase; those of the
// GPU by the management library `nvml`.
struct Snapshot {
  std::vector<samples::Reading> readings{};
  samples::Known<std::uint64_t> steal_ticks{};
  samples::Known<std::uint64_t> total_ticks{};
  samples::Known<std::uint64_t> busy_ticks{};  // all but idle and iowait, over the machine
  samples::Known<std::uint64_t> pressure_cpu_some_us{};
  samples::Known<std::uint64_t> package_energy_uj{};
  std::int64_t taken_ns = 0;  // monotonic
};
Snapshot snapshot(const std::string& root = "/", const std::string& nvml = kNvml);
// The readings of both ("start", "end": load_1min, frequency, temperature, power, gpu_…), and the differences as
// "timed": steal, machine_cpu and pressure_cpu_some in percent, package_power in watt.
std::vector<samples::Reading> readings_between(const Snapshot& before, const Snapshot& after);

// Usable processors of this process, lowest first.
std::vector<int> allowed_cpus();
samples::Known<std::uint64_t> memory_total_bytes(const std::string& root = "/");  // cgroup limit where it is lower

}  // namespace ngb::probe
