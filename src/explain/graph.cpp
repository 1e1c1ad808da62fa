// SPDX-License-Identifier: Apache-2.0
#include "explain/graph.h"

#include <algorithm>
#include <array>

namespace ngb::explain {
namespace {

// Operators that combine many values into one, or whose result a kernel has to wait for as a whole.
constexpr std::array<std::string_view, 36> kHeavy{"Attention",
                                                  "AveragePool",
                                                  "Concat",
                                                  "Conv",
                                                  "ConvInteger",
                                                  "ConvTranspose",
                                                  "CumSum",
                                                  "Einsum",
                                                  "GRU",
                                                  "Gather",
                                                  "GatherElements",
                                                  "GatherND",
                                                  "Gemm",
                                                  "GlobalAveragePool",
                                                  "GlobalMaxPool",
                                                  "GroupNormalization",
                                                  "InstanceNormalization",
                                                  "LSTM",
                                                  "LayerNormalization",
                                                  "LogSoftmax",
                                                  "MatMul",
                                                  "MatMulInteger",
                                                  "MaxPool",
                                                  "Pad",
                                                  "QLinearConv",
                                                  "QLinearMatMul",
                                                  "RNN",
                                                  "ReduceMax",
                                                  "ReduceMean",
                                                  "ReduceMin",
                                                  "ReduceSum",
                                                  "Resize",
                                                  "ScatterND",
                                                  "Softmax",
                                                  "TopK",
                                                  "Upsample"};

void add_once(std::vector<std::size_t>& list, std::size_t item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

bool is_light(std::string_view type) { return !std::binary_search(kHeavy.begin(), kHeavy.end(), type); }

Graph::Graph(std::span<const work::GraphNode> nodes) {
  nodes_.reserve(nodes.size());
  for (const work::GraphNode& node : nodes) {
    by_name_.emplace(node.name, nodes_.size());
    for (const std::string& tensor : node.outputs) by_tensor_.emplace(tensor, nodes_.size());
    nodes_.push_back({.name = node.name, .type = node.type, .outputs = node.outputs});
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& tensor : nodes[i].inputs) {
      const std::optional<std::size_t> from = producer_of(tensor);
      if (!from || *from == i) continue;
      add_once(nodes_[i].producers, *from);
      add_once(nodes_[*from].consumers, i);
    }
  }
  find_constants(nodes);
}

// Nodes of a file are in an order in which each comes after its producers.
void Graph::find_constants(std::span<const work::GraphNode> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes_[i].is_constant = std::all_of(nodes[i].inputs.begin(), nodes[i].inputs.end(), [&](const std::string& tensor) {
      const std::optional<std::size_t> from = producer_of(tensor);
      return from && *from < i && nodes_[*from].is_constant;
    });
  }
}

Graph Graph::of_paths(std::span<const samples::Kernel> kernels) {
  Graph graph{std::span<const work::GraphNode>()};
  for (const samples::Kernel& kernel : kernels) {
    for (const std::string& path : kernel.nodes) graph.add_path(path);
  }
  return graph;
}

void Graph::add_path(const std::string& name) {
  if (by_name_.emplace(name, nodes_.size()).second) nodes_.push_back({.name = name});
}

std::optional<std::size_t> Graph::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Graph::producer_of(std::string_view tensor) const {
  const auto found = by_tensor_.find(std::string(tensor));
  return found == by_tensor_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ngb::explain
