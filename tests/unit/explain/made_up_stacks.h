// SPDX-License-Identifier: Apache-2.0
// Stacks of blocks with kernels that are made up: what one kernel computes and how long is written here.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/depth.h"
#include "made_up.h"

namespace ngb::explain {

inline constexpr double kUs = 1000;

// Returns a convolution block: blocks.N.conv, .bn, .act.
inline void add_convolution(int block, std::vector<work::GraphNode>& nodes) {
  const std::string name = "blocks." + std::to_string(block);
  nodes.push_back(node(name + ".conv", "Conv", {nodes.empty() ? "input" : nodes.back().name}));
  nodes.push_back(node(name + ".bn", "BatchNormalization", {name + ".conv"}));
  nodes.push_back(node(name + ".act", "Relu", {name + ".bn"}));
}

// Returns an attention block: two products and an activation.
inline void add_attention(int block, std::vector<work::GraphNode>& nodes) {
  const std::string name = "blocks." + std::to_string(block);
  nodes.push_back(node(name + ".in", "MatMul", {nodes.empty() ? "input" : nodes.back().name}));
  nodes.push_back(node(name + ".out", "MatMul", {name + ".in"}));
  nodes.push_back(node(name + ".act", "Relu", {name + ".out"}));
}

class StacksOfBlocks : public testing::Test {
 protected:
  // Adds a cell of a stack whose kernels stand for `parts`, each 10 µs long. Of inferences, each process spends so many
  // microseconds outside of them.
  void add(const std::string& family, int depth, const std::vector<std::vector<std::string>>& parts,
           const std::vector<double>& outside_us, const std::string& compiler = "fast") {
    store::CellData& cell = cells_.emplace_back();
    cell.cell_id = family + std::to_string(depth) + compiler;
    cell.of.device = "local";
    cell.of.compiler.name = cell.of.compiler.label = compiler;
    cell.of.model.family = cell.of.model.label = family;
    cell.recipe_parameters = {{"width", 8}, {"depth", depth}};
    samples::KernelProfile profile;
    std::vector<work::GraphNode> graph;
    std::vector<samples::Kernel> kernels;
    for (int i = 0; i < depth; ++i) {
      (family == "conv_block" ? add_convolution : add_attention)(i, graph);
    }
    for (const auto& nodes : parts) {
      kernels.push_back(kernel("k", nodes));
      profile.kernel_ns.push_back(10 * kUs);
    }
    profile.graph = graph;
    profile.kernels = kernels;
    for (const double us : outside_us) {
      store::RecordedProcess& process = cell.processes.emplace_back();
      profile.profiled_ns = (10 * static_cast<double>(parts.size()) + us) * kUs;
      profile.plain_ns = profile.profiled_ns - 0.5 * kUs;
      process.profile = profile;
    }
  }
  // Adds a stack in which each block is one kernel.
  void add_fused(const std::string& family, int depth, const std::vector<double>& outside_us,
                 const std::string& compiler = "fast") {
    std::vector<std::vector<std::string>> parts;
    for (int i = 0; i < depth; ++i) {
      const std::string name = "blocks." + std::to_string(i);
      const bool is_convolution = family == "conv_block";
      parts.push_back(
          {name + (is_convolution ? ".conv" : ".in"), name + (is_convolution ? ".bn" : ".out"), name + ".act"});
    }
    add(family, depth, parts, outside_us, compiler);
  }
  std::vector<Stack> stacks() {
    std::vector<const store::CellData*> all;
    for (const store::CellData& each : cells_) all.push_back(&each);
    return stacks_of(all);
  }

  std::deque<store::CellData> cells_{};
};

}  // namespace ngb::explain
