// SPDX-License-Identifier: Apache-2.0
// Where the time of an inference went: what a compiler tells of its kernels in one process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/shared_list.h"
#include "work/graph_node.h"

namespace ngb::samples {

// No profile has more kernels, or nodes of its graph.
inline constexpr std::size_t kMostKernels = 100'000;

// One call of a kernel in an inference.
struct Kernel {
  std::string name{};                  // the compiler's own
  std::string kind{};                  // what it computes, in the compiler's words: "FusedConv"; "": unknown
  std::vector<std::string> nodes{};    // names of nodes (or module paths) that it is known to stand for
  std::vector<std::string> outputs{};  // tensors of the model that it is known to write
  std::string found_by{};              // how both were found: "node name", … as ngb_kernel::found_by; or ""
  bool operator==(const Kernel&) const = default;

  static constexpr bool kIsArray = true;  // because an inference has many
  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &Kernel::name}, Field{"kind", &Kernel::kind}, Field{"nodes", &Kernel::nodes},
                 Field{"outputs", &Kernel::outputs}, Field{"found_by", &Kernel::found_by});
  }
};

// All times but the least ones are means over the same inferences: those of the middle half of the turns, by how long
// they took. Means of the same inferences add up; medians do not. What else runs on the machine makes most means
// longer, and hardly ever all turns of one kernel: its least time is an undisturbed one, which does not add up to any
// inference's.
struct KernelProfile {
  SharedList<work::GraphNode> graph{};  // of the model's file, in its order; none of a module without a file
  SharedList<Kernel> kernels{};         // in the order in which an inference calls them
  std::vector<double> kernel_ns{};      // of each kernel, in an inference
  // Of each kernel, the mean of the turn in which it took least; empty: recorded by an older version.
  std::vector<double> least_ns{};
  double profiled_ns = 0;        // an inference during which kernels were timed: the same ones as in kernel_ns
  double plain_ns = 0;           // an inference without, in the same process
  std::uint64_t inferences = 0;  // that kernel_ns and profiled_ns are means of

  static constexpr auto fields(auto visit) {
    return visit(Field{"graph", &KernelProfile::graph}, Field{"kernels", &KernelProfile::kernels},
                 Field{"kernel_ns", &KernelProfile::kernel_ns}, Field{"least_ns", &KernelProfile::least_ns},
                 Field{"profiled_ns", &KernelProfile::profiled_ns}, Field{"plain_ns", &KernelProfile::plain_ns},
                 Field{"inferences", &KernelProfile::inferences});
  }
};

}  // namespace ngb::samples
