// SPDX-License-Identifier: Apache-2.0
#include "explain/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/text.h"

namespace ngb::explain {
namespace {

using metrics::LeastWork;
using work::GraphNode;

Known<LeastWork> unknown(std::string reason) { return Known<LeastWork>::unknown(std::move(reason)); }

std::string no_size(const std::string& tensor) {
  return fmt::format("the file does not tell the size of the tensor \"{}\"", text::to_utf8(tensor));
}

// Adds to a sum. Returns false if it exceeds 64 bits.
bool add(std::uint64_t& sum, std::uint64_t value) { return !__builtin_add_overflow(sum, value, &sum); }

}  // namespace

WorkOfNodes::WorkOfNodes(std::span<const GraphNode> graph) : graph_(graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const std::string& tensor : graph[i].inputs) users_[tensor].push_back(i);
  }
}

Known<LeastWork> WorkOfNodes::of(std::span<const std::size_t> nodes) const {
  if (graph_.empty()) return unknown("the sides have no file of one model, so the work of its parts is not known");
  const std::unordered_set<std::size_t> inside(nodes.begin(), nodes.end());
  std::unordered_set<std::string_view> made;
  for (const std::size_t node : nodes) made.insert(graph_[node].outputs.begin(), graph_[node].outputs.end());
  LeastWork sum;
  bool fits = true;
  std::unordered_map<std::string_view, std::uint64_t> read;  // the most that a node reads of each tensor
  for (const std::size_t index : nodes) {
    const GraphNode& node = graph_[index];
    if (node.input_bytes.size() != node.inputs.size() || node.output_bytes.size() != node.outputs.size()) {
      return unknown("the profile is of a version of ngb that did not count the work of nodes");
    }
    if (!node.macs) {
      return unknown(fmt::format("multiply-adds of {} ({}) are not counted, or the file does not tell its shapes",
                                 text::to_utf8(node.name), text::to_utf8(node.type)));
    }
    if (!node.weight_bytes) return unknown(fmt::format("the size of a weight of {} is not known", node.name));
    fits = add(sum.macs, *node.macs) && add(sum.bytes, *node.weight_bytes) && fits;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (made.contains(node.inputs[i])) continue;
      if (!node.input_bytes[i]) return unknown(no_size(node.inputs[i]));
      std::uint64_t& most = read[node.inputs[i]];
      most = std::max(most, *node.input_bytes[i]);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const auto users = users_.find(node.outputs[i]);
      const bool stays = users != users_.end() && std::all_of(users->second.begin(), users->second.end(),
                                                              [&](std::size_t user) { return inside.contains(user); });
      if (stays) continue;
      if (!node.output_bytes[i]) return unknown(no_size(node.outputs[i]));
      fits = add(sum.bytes, *node.output_bytes[i]) && fits;
    }
  }
  for (const auto& [tensor, bytes] : read) fits = add(sum.bytes, bytes) && fits;
  return fits ? Known<LeastWork>::of(sum) : unknown("the work exceeds 64 bits");
}

Known<LeastWork> WorkOfNodes::of_all() const {
  std::vector<std::size_t> all(graph_.size());
  std::iota(all.begin(), all.end(), 0);
  return of(all);
}

}  // namespace ngb::explain
