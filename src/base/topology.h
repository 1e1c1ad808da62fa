// SPDX-License-Identifier: Apache-2.0
// Says what /sys shows of a machine's processors, and which of them the words of a study mean.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb {

enum class ProcessorKind { alike, performance, efficiency };

struct LogicalProcessor {
  int number = 0;
  int core = 0;  // the lowest processor of its core; its own number where /sys has no topology
  int node = 0;  // of memory (NUMA); 0 where /sys has no nodes
  ProcessorKind kind = ProcessorKind::alike;
  bool operator==(const LogicalProcessor&) const = default;
};

// Returns what /sys below `root` shows of the processors `numbers`, in their order. They are of several kinds if the
// kernel lists them so (/sys/devices/cpu_core and cpu_atom, on x86) or shows several capacities (cpu_capacity, on
// AArch64: those of the least one are for efficiency, all others for performance).
std::vector<LogicalProcessor> topology_of(const std::vector<int>& numbers, const std::filesystem::path& root = "/");

// Returns the nodes of memory of the machine, sorted; node 0 alone where /sys has none.
std::vector<int> memory_nodes(const std::filesystem::path& root = "/");

// Which processors a cell runs on, and where its memory is: "numa:0", "0,2-3 memory:interleave".
struct ProcessorChoice {
  std::string which{};        // "all", "one_per_core", "performance", "efficiency", "numa:N", or numbers: "0,2-3"
  std::vector<int> listed{};  // the numbers, sorted
  int node = 0;               // of numa:N
  // "interleave": over all nodes; "N": of that node; "": of the node with numa:N, else as the kernel does by itself, at
  // the processor that writes a page first.
  std::string memory{};

  // Returns the one form of the choice: numbers are sorted, and runs of them are joined.
  [[nodiscard]] std::string text() const;
};

// Formats processor numbers as "0,2-3".
std::string cpu_list(std::span<const int> cpus);
// Reads such a text, with blanks anywhere between its parts: sorted, each number once. Returns none for another text.
std::vector<int> parse_cpu_list(std::string_view text);

// Reads a choice in any of its forms. An error says which forms there are.
Result<ProcessorChoice> parse_processor_choice(std::string_view text);

// Returns the processors that the choice means on a machine whose processors `allowed` a process may use, sorted.
// Returns an error, which says what to write instead, if one of them does not exist or is not allowed, or if there are
// none of that kind.
Result<std::vector<int>> processors_meant(const ProcessorChoice& choice, const std::vector<LogicalProcessor>& allowed);

// Returns the nodes from which the choice takes memory, of those that there are; none: as the kernel does by itself.
// Returns an error if the node does not exist.
Result<std::vector<int>> memory_meant(const ProcessorChoice& choice, const std::vector<int>& nodes);

}  // namespace ngb
