// SPDX-License-Identifier: Apache-2.0
// What /proc/cpuinfo and /sys/devices/system/cpu tell about the processors, on x86-64 and on AArch64.
#pragma once

#include <cstdint>
#include <string>

#include "probe/tree.h"
#include "samples/known.h"

namespace ngb::probe {

struct Processor {
  samples::Known<std::string> model{};  // "AMD EPYC 9654"; "implementer 0x41 part 0xd0c" where there is no name
  samples::Known<std::string> microcode{};
  samples::Known<std::uint64_t> cores{};     // physical
  samples::Known<std::uint64_t> threads{};   // logical
  samples::Known<std::string> features{};    // those vector and matrix extensions that kernels are chosen by
  samples::Known<std::string> hypervisor{};  // "yes" | "no"
};

Processor read_processor(const Tree& tree);

samples::Known<std::string> governor(const Tree& tree);            // "performance"; several: "performance,powersave"
samples::Known<std::uint64_t> max_frequency_hz(const Tree& tree);  // of the fastest
samples::Known<std::string> simultaneous_multithreading(const Tree& tree);  // "on" | "off" | "not supported"
samples::Known<std::string> turbo(const Tree& tree);                        // "on" | "off"
samples::Known<std::string> numa_nodes(const Tree& tree);                   // "node0: 0-7, node1: 8-15"

}  // namespace ngb::probe
