// SPDX-License-Identifier: Apache-2.0
// Divides a model's nodes into regions whose times can be compared although compilers fuse unlike nodes: the finest
// partition of which every kernel of every side is a union. (The partition of which every kernel's nodes are a union
// would be finer, but a kernel's time cannot be divided over its nodes.)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/graph.h"
#include "explain/ownership.h"

namespace ngb::explain {

struct Region {
  std::vector<std::size_t> nodes{};  // in the order of the graph
  std::string label{};               // "layer1.0.conv1+bn1+act1"; of more than four nodes "q+k+v+by_head+13"
  std::string operators{};           // "Conv+BatchNormalization+Relu"; "" if the operator of a node is not known
};

struct Regions {
  std::vector<Region> all{};                          // in the order of their first nodes
  std::vector<std::optional<std::size_t>> of_node{};  // nothing: the node is nowhere

  // Returns the region to which the time of a kernel belongs; nothing if no kernel of its list has a node.
  [[nodiscard]] std::optional<std::size_t> of_kernel(const Ownership& owners, std::size_t kernel) const;
};

Regions join(const Graph& graph, std::span<const Ownership* const> all_owners);

// Returns the time of each region.
std::vector<double> times_of(const Regions& regions, const Ownership& owners, std::span<const double> kernel_ns);

// Relates the nodes of two graphs that are nearly the same, such as a file and a changed copy of it.

// Returns for each node of `from` the node of `to` to which its time is added. That is the node of the same name. If
// there is none, it is the match of the nearest node behind it that has a match, else of the nearest one before it.
// Nothing: no node around it has a match.
std::vector<std::optional<std::size_t>> match(const Graph& from, const Graph& to);

// Returns how many nodes of `from` have the name of a node of `to`.
std::size_t shared_nodes(const Graph& from, const Graph& to);

// Returns the owners with nodes of `to` instead of those of the graph that was matched.
Ownership moved(const Ownership& owners, const std::vector<std::optional<std::size_t>>& matches, const Graph& to);

}  // namespace ngb::explain
