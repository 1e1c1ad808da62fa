// SPDX-License-Identifier: Apache-2.0
// A node of a model's graph: its place in the graph, and what it has to do at the least.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"

namespace ngb::work {

struct GraphNode {
  std::string name{};                  // unique; "Conv:17" of a node whose name in the file is empty or not unique
  std::string type{};                  // of the operator: "Conv"
  std::vector<std::string> inputs{};   // tensors that other nodes produce or that the model receives; no weights
  std::vector<std::string> outputs{};  // tensors that it produces
  // In an inference. Nothing: the file does not tell the shapes, or the operator is one that is not counted. Results of
  // before they were counted have no list.
  std::optional<std::uint64_t> macs{};                       // multiply-adds of convolutions and matrix products
  std::optional<std::uint64_t> weight_bytes{};               // of the weights that it reads
  std::vector<std::optional<std::uint64_t>> input_bytes{};   // that it has to read of each of `inputs`
  std::vector<std::optional<std::uint64_t>> output_bytes{};  // of each of `outputs`
  bool operator==(const GraphNode&) const = default;

  static constexpr bool kIsArray = true;  // because a graph has many
  static constexpr std::size_t kFewestFields = 4;
  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &GraphNode::name}, Field{"type", &GraphNode::type}, Field{"inputs", &GraphNode::inputs},
                 Field{"outputs", &GraphNode::outputs}, Field{"macs", &GraphNode::macs},
                 Field{"weight_bytes", &GraphNode::weight_bytes}, Field{"input_bytes", &GraphNode::input_bytes},
                 Field{"output_bytes", &GraphNode::output_bytes});
  }
};

}  // namespace ngb::work
