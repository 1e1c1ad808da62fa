// SPDX-License-Identifier: Apache-2.0
// Relates the nodes of two graphs that are nearly the same, such as a file and a changed copy of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "explain/graph.h"
#include "explain/ownership.h"

namespace ngb::explain {

// Returns for each node of `from` the node of `to` to which its time is added: the one of the same name; else that of
// the nearest node behind it that has one, or else before it. Nothing: no node around it is in `to`.
std::vector<std::optional<std::size_t>> match(const Graph& from, const Graph& to);

// Returns how many nodes of `from` have the name of a node of `to`.
std::size_t shared_nodes(const Graph& from, const Graph& to);

// Returns the owners with nodes of `to` instead of those of the graph that was matched.
Ownership moved(const Ownership& owners, const std::vector<std::optional<std::size_t>>& matches, const Graph& to);

}  // namespace ngb::explain
