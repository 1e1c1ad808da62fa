// SPDX-License-Identifier: Apache-2.0
// A model's graph, as the search for what a kernel stands for needs it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "samples/kernel_profile.h"

namespace ngb::explain {

class Graph {
 public:
  struct Node {
    std::string name{};
    std::string type{};  // of the operator; "" of a module's path
    std::vector<std::string> outputs{};
    std::vector<std::size_t> producers{};  // of its inputs, each once
    std::vector<std::size_t> consumers{};  // of its outputs, each once
    bool is_constant = false;  // it depends on no input of the model, so a compiler may compute it beforehand
  };

  explicit Graph(std::span<const work::GraphNode> nodes);
  // A module without a file: the paths that the kernels name are nodes without edges.
  static Graph of_paths(std::span<const samples::Kernel> kernels);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const Node& operator[](std::size_t index) const { return nodes_[index]; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  // Returns the node that produces the tensor.
  [[nodiscard]] std::optional<std::size_t> producer_of(std::string_view tensor) const;
  // Adds a node without edges unless there is one of this name.
  void add_path(const std::string& name);

 private:
  void find_constants(std::span<const work::GraphNode> nodes);

  std::vector<Node> nodes_{};
  std::unordered_map<std::string, std::size_t> by_name_{};
  std::unordered_map<std::string, std::size_t> by_tensor_{};
};

// Returns whether an operator computes each value of its output from few values of its inputs, or only moves values, so
// that a kernel before it may do it on the way: Relu, Add, BatchNormalization, Reshape, …
bool is_light(std::string_view type);

}  // namespace ngb::explain
