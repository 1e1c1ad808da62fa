// SPDX-License-Identifier: Apache-2.0
// Says how an inference changes as a stack of equal blocks gets deeper: the number of kernels, the time outside of
// kernels and the whole time, each for a block.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "statistics/contrast.h"
#include "store/store.h"

namespace ngb::explain {

// If a profile costs more than this share of an inference, what is outside of kernels is mostly its own work.
inline constexpr double kMostCostRatio = 0.05;

// A stack of one depth: a cell with profiles. Numbers of kernels are those of its first process.
struct DepthPoint {
  const store::CellData* cell = nullptr;
  int depth = 1;
  std::size_t kernels = 0;     // calls in an inference
  std::size_t with_nodes = 0;  // of them, those that stand for nodes
  // The kernels that stand for nodes of two or more blocks. Light nodes (graph.h) do not count, because a kernel may do
  // those of a neighbour on the way.
  std::size_t across_blocks = 0;
  int fused = 0;                     // Conv+BatchNormalization+Relu that are one kernel
  int there = 0;                     // of so many in the model
  std::vector<double> outside_ns{};  // of each process: of an inference, in no kernel
  std::vector<double> plain_ns{};    // of each process: an inference that was not profiled
  double cost_ratio = 0;             // of profiling: mean profiled inference / mean plain one - 1

  // Each is the mean over processes, for a block, with its interval.
  [[nodiscard]] statistics::Contrast outside_ns_per_block() const;
  [[nodiscard]] statistics::Contrast plain_ns_per_block() const;
};

// The depths of one stack with one compiler on one device, ascending.
struct Stack {
  std::string name{};  // "conv_block width=64"
  std::string family{};
  std::string device{};    // "local"
  std::string compiler{};  // "onnxruntime 1.31.1"
  std::string setting{};   // identifies the compiler with all its settings, and the device
  int batch = 1;
  std::vector<DepthPoint> depths{};

  [[nodiscard]] const DepthPoint& shallowest() const { return depths.front(); }
  [[nodiscard]] const DepthPoint& deepest() const { return depths.back(); }
};

// Returns the stacks of the cells that have a profile, in the order of their first cells. The cells must outlive them.
std::vector<Stack> stacks_of(std::span<const store::CellData* const> cells);

}  // namespace ngb::explain
