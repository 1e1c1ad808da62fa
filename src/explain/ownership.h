// SPDX-License-Identifier: Apache-2.0
// Finds which nodes of a model each kernel stands for. The compiler tells it of some nodes; for the others, it follows
// from their place in the graph.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/graph.h"

namespace ngb::explain {

// How it was found that a node belongs to a kernel.
enum class How {
  nowhere,       // no kernel is known to compute it: it depends on no input, or nothing around it has a kernel
  told,          // the compiler names it (Kernel::found_by)
  closure_up,    // only this kernel's nodes use its result, and nobody is known to write the result
  closure_down,  // it is light, and the result of the kernel's node before it is nobody's known output
  to_consumer,   // nothing else is known: it belongs to the kernel of the first node that uses its result
  to_producer    // likewise, of a node whose result none uses
};
std::string_view name(How how);  // "told", "closure up", …

// The result for one list of kernels. A kernel whose nodes were told by exact names shares a node with another kernel
// that names it too. Names that may be too many (locations, module paths, order) count for the first kernel only.
struct Ownership {
  std::vector<std::vector<std::size_t>> kernels{};  // of each node; none: nowhere
  std::vector<How> how{};                           // of each node
  std::vector<std::string> told_by{};             // of each node: Kernel::found_by of its first kernel; "" unless told
  std::vector<std::vector<std::size_t>> nodes{};  // of each kernel, in the order of the graph
  // For each kernel without nodes, the kernel to which its time is added: the kernel of the last node that it names;
  // else the next kernel that has nodes; else the last kernel before it that has nodes. Empty if the kernel has nodes,
  // or if no kernel has.
  std::vector<std::optional<std::size_t>> attached_to{};
};

Ownership find_owners(const Graph& graph, std::span<const samples::Kernel> kernels);

}  // namespace ngb::explain
