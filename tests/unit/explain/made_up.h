// SPDX-License-Identifier: Apache-2.0
// Graphs and kernels that tests make up.
#pragma once

#include <string>
#include <vector>

#include "samples/kernel_profile.h"

namespace ngb::explain {

// A node whose output is a tensor of its own name: "conv" writes "conv:0".
inline work::GraphNode node(const std::string& name, const std::string& type, const std::vector<std::string>& after) {
  work::GraphNode made{.name = name, .type = type, .outputs = {name + ":0"}};
  for (const std::string& each : after) made.inputs.push_back(each == "input" ? each : each + ":0");
  return made;
}

// conv - bn - relu - pool, and a shortcut from relu into add:
//
//   input - conv1 - bn1 - act1 - conv2 - bn2 - add - act2
//                            \_________________/
inline std::vector<work::GraphNode> block() {
  return {node("b.conv1", "Conv", {"input"}),
          node("b.bn1", "BatchNormalization", {"b.conv1"}),
          node("b.act1", "Relu", {"b.bn1"}),
          node("b.conv2", "Conv", {"b.act1"}),
          node("b.bn2", "BatchNormalization", {"b.conv2"}),
          node("b.add", "Add", {"b.bn2", "b.act1"}),
          node("b.act2", "Relu", {"b.add"})};
}

inline samples::Kernel kernel(const std::string& name, const std::vector<std::string>& nodes,
                              const std::string& found_by = "node name") {
  return {.name = name, .nodes = nodes, .found_by = nodes.empty() ? "" : found_by};
}

inline samples::Kernel writing(const std::string& name, const std::vector<std::string>& tensors) {
  return {.name = name, .outputs = tensors, .found_by = "tensor name"};
}

}  // namespace ngb::explain
