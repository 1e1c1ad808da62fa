// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_graph.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "userfiles/onnx_scan.h"

namespace ngb::userfiles {
namespace {

void give_names(std::vector<work::GraphNode>& nodes) {
  std::unordered_map<std::string, std::size_t> counts;
  for (const work::GraphNode& node : nodes) ++counts[node.name];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool has_own_name = !nodes[i].name.empty() && counts[nodes[i].name] == 1;
    if (!has_own_name) nodes[i].name = fmt::format("{}:{}", nodes[i].type, i);
  }
}

}  // namespace

Result<std::vector<work::GraphNode>> read_graph(const std::filesystem::path& path) {
  std::vector<work::GraphNode> nodes;
  std::unordered_set<std::string> computed;  // tensors that are no weights
  std::unordered_set<std::string> weights;
  const Status scanned = scan_onnx(path, {.on_input =
                                              [&](const ScannedInput& input) {
                                                computed.insert(input.name);
                                                return Status{};
                                              },
                                          .on_node =
                                              [&](ScannedNode node) {
                                                computed.insert(node.outputs.begin(), node.outputs.end());
                                                nodes.push_back({.name = std::move(node.name),
                                                                 .type = std::move(node.type),
                                                                 .inputs = std::move(node.inputs),
                                                                 .outputs = std::move(node.outputs)});
                                              },
                                          .on_tensor =
                                              [&](const ScannedTensor& tensor) {
                                                if (tensor.of_main_graph) weights.insert(tensor.name);
                                                return Status{};
                                              }});
  if (!scanned) return error_of(scanned);
  for (work::GraphNode& node : nodes) {
    std::erase_if(node.inputs, [&](const std::string& each) {
      return !computed.contains(each) || weights.contains(each);  // old files list weights among the inputs
    });
    std::erase(node.outputs, "");
  }
  give_names(nodes);
  return nodes;
}

}  // namespace ngb::userfiles
