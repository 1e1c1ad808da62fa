// SPDX-License-Identifier: Apache-2.0
// A node of a model's graph, as far as its place in the graph is concerned.
#pragma once

#include <string>
#include <vector>

#include "base/record.h"

namespace ngb::work {

struct GraphNode {
  std::string name{};                  // unique; "Conv:17" of a node whose name in the file is empty or not unique
  std::string type{};                  // of the operator: "Conv"
  std::vector<std::string> inputs{};   // tensors that other nodes produce or that the model receives; no weights
  std::vector<std::string> outputs{};  // tensors that it produces
  bool operator==(const GraphNode&) const = default;

  static constexpr bool kIsArray = true;  // because a graph has many
  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &GraphNode::name}, Field{"type", &GraphNode::type}, Field{"inputs", &GraphNode::inputs},
                 Field{"outputs", &GraphNode::outputs});
  }
};

}  // namespace ngb::work
