// SPDX-License-Identifier: Apache-2.0
#include "explain/matching.h"

#include <algorithm>

namespace ngb::explain {
namespace {

using Matches = std::vector<std::optional<std::size_t>>;

// Gives nodes without a match that of the first of these neighbours that has one.
void inherit(Matches& matches, std::size_t node, const std::vector<std::size_t>& neighbours) {
  for (std::size_t i = 0; !matches[node] && i < neighbours.size(); ++i) matches[node] = matches[neighbours[i]];
}

}  // namespace

std::size_t shared_nodes(const Graph& from, const Graph& to) {
  std::size_t count = 0;
  for (std::size_t node = 0; node < from.size(); ++node) count += to.find(from[node].name) ? 1U : 0U;
  return count;
}

Matches match(const Graph& from, const Graph& to) {
  Matches matches(from.size());
  for (std::size_t node = 0; node < from.size(); ++node) matches[node] = to.find(from[node].name);
  for (std::size_t node = from.size(); node-- > 0;) inherit(matches, node, from[node].consumers);
  for (std::size_t node = 0; node < from.size(); ++node) inherit(matches, node, from[node].producers);
  return matches;
}

Ownership moved(const Ownership& owners, const Matches& matches, const Graph& to) {
  Ownership made{.nodes = std::vector<std::vector<std::size_t>>(owners.nodes.size()),
                 .attached_to = owners.attached_to};
  made.kernels.resize(to.size());
  made.how.resize(to.size(), How::nowhere);
  made.told_by.resize(to.size());
  for (std::size_t node = 0; node < matches.size(); ++node) {
    if (!matches[node] || owners.kernels[node].empty()) continue;
    const std::size_t at = *matches[node];
    if (made.kernels[at].empty()) {
      made.how[at] = owners.how[node];
      made.told_by[at] = owners.told_by[node];
    }
    for (const std::size_t kernel : owners.kernels[node]) {
      std::vector<std::size_t>& kernels = made.kernels[at];
      if (std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) continue;
      kernels.push_back(kernel);
      made.nodes[kernel].push_back(at);
    }
  }
  for (std::vector<std::size_t>& nodes : made.nodes) std::sort(nodes.begin(), nodes.end());
  return made;
}

}  // namespace ngb::explain
