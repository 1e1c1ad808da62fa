// SPDX-License-Identifier: Apache-2.0
// Reads what this device reports about itself: each value, or the reason why it is unknown.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "probe/energy.h"
#include "probe/gpu.h"
#include "probe/tree.h"
#include "samples/environment.h"
#include "samples/process_result.h"

namespace ngb::probe {

// The variables that a study gives to workers.
using WorkerVariables = std::vector<std::pair<std::string, std::string>>;

// Returns CPU, cores, microcode, governor, kernel, boot id, memory, cgroup limits, affinity, and the variables with
// which workers are started, `given` among them. Tests pass as `root` a folder with their own proc and sys files in
// place of "/".
samples::Environment environment(const WorkerVariables& given = {}, const std::string& root = "/");

// Snapshot holds the quantities that change fast and are cheap to read, raw counters included. It is taken before and
// after the timed phase. The GPU is read through the management library `nvml`.
struct Snapshot {
  std::vector<samples::Reading> readings{};
  Known<std::uint64_t> steal_ticks{};
  Known<std::uint64_t> total_ticks{};
  Known<std::uint64_t> busy_ticks{};  // all but idle and iowait, over the machine
  Known<std::uint64_t> pressure_cpu_some_us{};
  std::vector<EnergyCounter> energy{};
  std::int64_t taken_ns = 0;  // on the monotonic clock
};
Snapshot snapshot(const std::string& root = "/", const std::string& nvml = kNvml);
// Returns the readings of both snapshots ("start", "end": load_1min, frequency, temperature, power, gpu_…) and their
// differences ("timed": steal, machine_cpu and pressure_cpu_some in percent; package_power and those of other domains
// (energy.h) in watt; gpu_mean_power in watt if the GPU counts its energy).
std::vector<samples::Reading> readings_between(const Snapshot& before, const Snapshot& after);

// Returns the processors that this process may use, lowest first.
std::vector<int> allowed_cpus();

// How many threads `threads: all` and `threads: physical` mean: `cpus`, the processors that this process may use, and
// the cores to which they belong, but at most the whole processors that the quota of its control groups allows, and at
// least
// 1. More threads than a quota allows would stop each other: a pod of two processors may see all 64 of its node.
struct UsableProcessors {
  int all = 1;
  int physical = 1;
};
UsableProcessors usable_processors(const std::vector<int>& cpus, const std::string& root = "/");
Known<std::uint64_t> memory_total_bytes(const std::string& root = "/");  // the cgroup's limit if that is lower

// Reads clock, temperature and power of the processors, as far as the machine reports them.

Known<double> frequency_hz(const Tree& tree);         // mean over the processors
Known<double> temperature_celsius(const Tree& tree);  // the hottest processor sensor
Known<double> power_watts(const Tree& tree);          // a board's own meters, summed

}  // namespace ngb::probe
