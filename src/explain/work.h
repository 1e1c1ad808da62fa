// SPDX-License-Identifier: Apache-2.0
// What nodes of a model have to do at the least, together.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "metrics/limit.h"
#include "work/graph_node.h"

namespace ngb::explain {

class WorkOfNodes {
 public:
  // `graph` is that of a profile and must outlive this object.
  explicit WorkOfNodes(std::span<const work::GraphNode> graph);

  // Returns the multiply-adds of these nodes (as indices) and their bytes: those of their weights, of the tensors that
  // they read from other nodes, and of the tensors that leave them. Each tensor counts once. Unknown:
  // why one of these is not known.
  [[nodiscard]] Known<metrics::LeastWork> of(std::span<const std::size_t> nodes) const;
  [[nodiscard]] Known<metrics::LeastWork> of_all() const;

 private:
  std::span<const work::GraphNode> graph_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> users_{};  // nodes that read a tensor
};

}  // namespace ngb::explain
