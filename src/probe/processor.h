// SPDX-License-Identifier: Apache-2.0
// Reads what /proc/cpuinfo and /sys/devices/system/cpu report about the processors, on x86-64 and on AArch64.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "probe/tree.h"

namespace ngb::probe {

struct Processor {
  Known<std::string> model{};  // "AMD EPYC 9654"; "implementer 0x41 part 0xd0c" where there is no name
  Known<std::string> microcode{};
  Known<std::uint64_t> cores{};     // physical
  Known<std::uint64_t> threads{};   // logical
  Known<std::string> features{};    // those vector and matrix extensions by which kernels are chosen
  Known<std::string> hypervisor{};  // "yes" | "no"
};

Processor read_processor(const Tree& tree);

Known<std::string> governor(const Tree& tree);                     // "performance"; several: "performance,powersave"
Known<std::uint64_t> max_frequency_hz(const Tree& tree);           // of the fastest processor
Known<std::string> simultaneous_multithreading(const Tree& tree);  // "on" | "off" | "not supported"
Known<std::string> turbo(const Tree& tree);                        // "on" | "off"
Known<std::string> numa_nodes(const Tree& tree);                   // "node0: 0-7, node1: 8-15"

}  // namespace ngb::probe
