// SPDX-License-Identifier: Apache-2.0
#include "explain/fusions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <optional>
#include <string_view>

#include "explain/difference.h"
#include "explain/regions.h"

namespace ngb::explain {
namespace {

using Nodes = std::vector<std::size_t>;

// A chain of operators, each of which is the only one to use the result of the one before it. Of a chain that is the
// beginning of a longer one in the same place, only the longer one counts.
const std::vector<std::vector<std::string_view>>& chains() {
  static const std::vector<std::vector<std::string_view>> kChains{{"Conv", "BatchNormalization", "Relu"},
                                                                  {"Conv", "BatchNormalization", "Add", "Relu"},
                                                                  {"Conv", "BatchNormalization"},
                                                                  {"Conv", "Relu"},
                                                                  {"Gemm", "Relu"},
                                                                  {"MatMul", "Add", "Gelu"},
                                                                  {"MatMul", "Add", "Relu"},
                                                                  {"MatMul", "Add"},
                                                                  {"Add", "LayerNormalization"},
                                                                  {"LayerNormalization", "MatMul"}};
  return kChains;
}

std::string words(const std::vector<std::string_view>& chain) {
  std::string text;
  for (const std::string_view type : chain) text.append(text.empty() ? "" : "+").append(type);
  return text;
}

// Returns the nodes of the chain that begins with `node`; none if it is not there.
Nodes chain_at(const Graph& graph, std::size_t node, const std::vector<std::string_view>& chain) {
  Nodes found;
  for (const std::string_view type : chain) {
    if (!found.empty()) {
      if (graph[node].consumers.size() != 1) return {};
      node = graph[node].consumers.front();
    }
    if (graph[node].type != type || graph[node].is_constant) return {};
    found.push_back(node);
  }
  return found;
}

// Appends the nodes from `node` up (or down) to the next product of matrices, over at most so many light ones. Returns
// whether there is such a product.
bool reach_product(const Graph& graph, std::size_t node, bool is_up, Nodes& found) {
  constexpr int kFarthest = 6;
  for (int step = 0; step < kFarthest; ++step) {
    const Nodes& next = is_up ? graph[node].producers : graph[node].consumers;
    const auto way = std::find_if(next.begin(), next.end(), [&](std::size_t each) {
      return !graph[each].is_constant && (graph[each].type == "MatMul" || is_light(graph[each].type));
    });
    if (way == next.end()) return false;
    node = *way;
    found.push_back(node);
    if (graph[node].type == "MatMul") return true;
  }
  return false;
}

// Attention: a product, what scales and masks it, the Softmax of that, and a product of the result.
std::vector<Nodes> attentions(const Graph& graph) {
  std::vector<Nodes> all;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (graph[node].type == "Attention") all.push_back({node});
    if (graph[node].type != "Softmax") continue;
    Nodes found{node};
    if (reach_product(graph, node, true, found) && reach_product(graph, node, false, found)) {
      all.push_back(std::move(found));
    }
  }
  return all;
}

bool has_one_kernel(const Ownership& owners, const Nodes& nodes) {
  for (const std::size_t kernel : owners.kernels[nodes.front()]) {
    const bool has_all = std::all_of(nodes.begin(), nodes.end(), [&](std::size_t node) {
      const Nodes& of_node = owners.kernels[node];
      return std::find(of_node.begin(), of_node.end(), kernel) != of_node.end();
    });
    if (has_all) return true;
  }
  return false;
}

PatternCount count(std::string pattern, const std::vector<Nodes>& places, const Ownership& owners) {
  PatternCount found{.pattern = std::move(pattern), .there = static_cast<int>(places.size())};
  for (const Nodes& place : places) found.fused += has_one_kernel(owners, place) ? 1 : 0;
  return found;
}

bool has_add(const std::vector<std::string_view>& chain) {
  return std::find(chain.begin(), chain.end(), "Add") != chain.end();
}

// Returns the longest chain that begins with the node, and that has no Add unless `may_add`.
std::optional<std::size_t> longest_at(const Graph& graph, std::size_t node, bool may_add) {
  std::optional<std::size_t> longest;
  for (std::size_t i = 0; i < chains().size(); ++i) {
    const bool is_longer = !longest || chains()[i].size() > chains()[*longest].size();
    if (!is_longer || (!may_add && has_add(chains()[i]))) continue;
    if (!chain_at(graph, node, chains()[i]).empty()) longest = i;
  }
  return longest;
}

// Two branches may end in one Add, but a kernel computes the Add with one of them at most. The Add counts for that
// branch, or for the first if it is computed with neither. The other branch counts as the chain before the Add.
std::vector<PatternCount> patterns_of(const Graph& graph, const Ownership& owners) {
  std::vector<std::vector<Nodes>> places(chains().size());
  std::map<std::size_t, std::size_t> branches;  // the last node of a chain with an Add -> the first node of its branch
  for (std::size_t node = 0; node < graph.size(); ++node) {
    const auto longest = longest_at(graph, node, true);
    if (!longest || !has_add(chains()[*longest])) continue;
    const Nodes nodes = chain_at(graph, node, chains()[*longest]);
    if (has_one_kernel(owners, nodes))
      branches[nodes.back()] = node;
    else
      branches.emplace(nodes.back(), node);
  }
  for (std::size_t node = 0; node < graph.size(); ++node) {
    auto longest = longest_at(graph, node, true);
    if (longest && has_add(chains()[*longest])) {
      const bool is_branch = branches.at(chain_at(graph, node, chains()[*longest]).back()) == node;
      if (!is_branch) longest = longest_at(graph, node, false);
    }
    if (longest) places[*longest].push_back(chain_at(graph, node, chains()[*longest]));
  }
  std::vector<PatternCount> found;
  for (std::size_t i = 0; i < chains().size(); ++i) {
    if (!places[i].empty()) found.push_back(count(words(chains()[i]), places[i], owners));
  }
  const std::vector<Nodes> all = attentions(graph);
  if (!all.empty()) found.push_back(count("attention", all, owners));
  return found;
}

// A kernel that stands for nodes is a copy only if the model asks for one, and then it is no copy of the compiler's.
bool is_copy(const samples::Kernel& kernel, bool has_nodes) {
  if (!has_nodes) return true;
  std::string text = kernel.kind + ' ' + kernel.name;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 3> kWords{"reorder", "layout", "memcpy"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

Fusions fusions_of(const samples::KernelProfile& profile) {
  const Graph graph = graph_of(profile);
  const Ownership owners = find_owners(graph, profile.kernels);
  Fusions found{.kernels = profile.kernels.size(), .profiled_ns = profile.profiled_ns};
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const bool has_nodes = !owners.nodes[i].empty();
    if (has_nodes) ++found.with_nodes;
    if (!is_copy(profile.kernels[i], has_nodes)) continue;
    ++found.copies;
    found.copies_ns += profile.kernel_ns[i];
  }
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (graph[node].is_constant && !graph[node].type.empty()) ++found.folded;
    if (owners.kernels[node].empty()) continue;
    ++found.nodes;
    ++found.how[owners.how[node] == How::told ? owners.told_by[node] : std::string(name(owners.how[node]))];
  }
  found.outside_ns = profile.profiled_ns - std::accumulate(profile.kernel_ns.begin(), profile.kernel_ns.end(), 0.0);
  found.patterns = patterns_of(graph, owners);
  return found;
}

}  // namespace ngb::explain
