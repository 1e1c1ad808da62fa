// SPDX-License-Identifier: Apache-2.0
// Tells what a compiler fuses: how many nodes its kernels stand for, which patterns of nodes became one kernel, and
// what it spends on copies.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "explain/ownership.h"

namespace ngb::explain {

// A pattern of nodes in the model, and how often one kernel computes all of them.
struct PatternCount {
  std::string pattern{};  // "Conv+BatchNormalization+Relu", "attention"
  int fused = 0;
  int there = 0;
};

struct Fusions {
  std::size_t kernels = 0;     // calls in an inference
  std::size_t with_nodes = 0;  // of them, those that stand for nodes
  std::size_t nodes = 0;       // for which they stand
  std::size_t folded = 0;      // nodes that depend on no input: a compiler computes them beforehand
  std::size_t copies = 0;      // calls that copy or change a layout, and those that stand for no node
  double copies_ns = 0;
  double outside_ns = 0;  // of an inference, in no kernel
  double profiled_ns = 0;
  std::vector<PatternCount> patterns{};      // those that the model has
  std::map<std::string, std::size_t> how{};  // nodes by how they were found: "node name", "closure up"

  [[nodiscard]] double nodes_per_kernel() const {
    return with_nodes == 0 ? 0 : static_cast<double>(nodes) / static_cast<double>(with_nodes);
  }
};

Fusions fusions_of(const samples::KernelProfile& profile);

}  // namespace ngb::explain
