// SPDX-License-Identifier: Apache-2.0
#include "explain/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace ngb::explain {

namespace {

constexpr std::size_t kNamed = 4;  // nodes in a label

class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t item) {
    while (parents_[item] != item) item = parents_[item] = parents_[parents_[item]];
    return item;
  }
  void unite(std::size_t a, std::size_t b) { parents_[find(b)] = find(a); }

 private:
  std::vector<std::size_t> parents_;
};

// The first node's whole name, then those of the next ones without the part that they share with it: up to the last
// dot or slash.
std::string label_of(const Graph& graph, const std::vector<std::size_t>& nodes) {
  std::string label = graph[nodes.front()].name;
  const std::size_t last = label.find_last_of("./");
  const std::string before = last == std::string::npos ? "" : label.substr(0, last + 1);
  for (std::size_t i = 1; i < nodes.size() && i < kNamed; ++i) {
    const std::string& name = graph[nodes[i]].name;
    label += '+' + (name.starts_with(before) ? name.substr(before.size()) : name);
  }
  if (nodes.size() > kNamed) label += fmt::format("+{}", nodes.size() - kNamed);
  return label;
}

std::string operators_of(const Graph& graph, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> types;
  for (const std::size_t node : nodes) {
    if (graph[node].type.empty()) return {};
    types.push_back(graph[node].type);
  }
  return text::join(types, "+");
}

}  // namespace

Regions join(const Graph& graph, std::span<const Ownership* const> all_owners) {
  UnionFind united(graph.size());
  std::vector<bool> is_somewhere(graph.size(), false);
  for (const Ownership* const owners : all_owners) {
    for (const std::vector<std::size_t>& nodes : owners->nodes) {
      for (const std::size_t node : nodes) {
        is_somewhere[node] = true;
        united.unite(nodes.front(), node);
      }
    }
  }
  Regions regions;
  regions.of_node.resize(graph.size());
  std::vector<std::optional<std::size_t>> by_root(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (!is_somewhere[node]) continue;
    std::optional<std::size_t>& region = by_root[united.find(node)];
    if (!region) {
      region = regions.all.size();
      regions.all.emplace_back();
    }
    regions.all[*region].nodes.push_back(node);
    regions.of_node[node] = region;
  }
  for (Region& region : regions.all) {
    region.label = label_of(graph, region.nodes);
    region.operators = operators_of(graph, region.nodes);
  }
  return regions;
}

std::optional<std::size_t> Regions::of_kernel(const Ownership& owners, std::size_t kernel) const {
  const std::size_t with_nodes = owners.attached_to[kernel].value_or(kernel);
  if (owners.nodes[with_nodes].empty()) return std::nullopt;
  return of_node[owners.nodes[with_nodes].front()];
}

std::vector<double> times_of(const Regions& regions, const Ownership& owners, std::span<const double> kernel_ns) {
  std::vector<double> times(regions.all.size(), 0);
  for (std::size_t kernel = 0; kernel < kernel_ns.size(); ++kernel) {
    if (const auto region = regions.of_kernel(owners, kernel)) times[*region] += kernel_ns[kernel];
  }
  return times;
}

namespace {

using Matches = std::vector<std::optional<std::size_t>>;

// Gives a node without a match the match of the first of these neighbours that has a match.
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
