// SPDX-License-Identifier: Apache-2.0
#include "explain/ownership.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ngb::explain {
namespace {

bool is_exact(const samples::Kernel& kernel) {
  return kernel.found_by == "tensor name" || kernel.found_by == "node name" || kernel.found_by == "weights";
}

// Compilers often name only the convolution or product of such a kernel. What else it computes comes behind that node.
bool is_anchor(const samples::Kernel& kernel) {
  return kernel.found_by == "order" || kernel.found_by == "weights" || kernel.found_by == "location";
}

bool is_path(const samples::Kernel& kernel) { return kernel.found_by == "module path"; }

bool share_one(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::size_t each) { return std::find(b.begin(), b.end(), each) != b.end(); });
}

class Search {
 public:
  Search(const Graph& graph, std::span<const samples::Kernel> kernels)
      : graph_(graph), kernels_(kernels), last_claim_(kernels.size()) {
    found_.kernels.resize(graph.size());
    found_.how.resize(graph.size(), How::nowhere);
    found_.told_by.resize(graph.size());
    for (const samples::Kernel& kernel : kernels) known_.insert(kernel.outputs.begin(), kernel.outputs.end());
    find_paths();
  }

  Ownership run() {
    for (std::size_t i = 0; i < kernels_.size(); ++i) claim(i);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (is_anchor(kernels_[i])) fuse_behind(i);
    }
    for (std::size_t node = graph_.size(); node-- > 0;) {
      if (found_.how[node] == How::told) close_up(node);
    }
    for (std::size_t node = 0; node < graph_.size(); ++node) close_down(node);
    for (std::size_t node = graph_.size(); node-- > 0;) give_to_consumer(node);
    for (std::size_t node = 0; node < graph_.size(); ++node) give_to_producer(node);
    list_nodes();
    attach();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_free(std::size_t node) const {
    return found_.kernels[node].empty() && !graph_[node].is_constant;
  }
  // Returns whether some kernel is known to write a result of the node.
  [[nodiscard]] bool is_written(std::size_t node) const {
    const std::vector<std::string>& outputs = graph_[node].outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](const std::string& each) { return known_.contains(each); });
  }

  // Gives each node to the deepest of the told paths of modules that its name begins with.
  void find_paths() {
    for (const samples::Kernel& kernel : kernels_) {
      if (!is_path(kernel)) continue;
      for (const std::string& path : kernel.nodes) by_path_[path];
    }
    if (by_path_.empty()) return;
    for (std::size_t node = 0; node < graph_.size(); ++node) {
      std::string path = graph_[node].name;
      while (!path.empty() && !by_path_.contains(path)) {
        const std::size_t end = path.find_last_of("./");
        path.resize(end == std::string::npos ? 0 : end);
      }
      if (const auto found = by_path_.find(path); found != by_path_.end()) found->second.push_back(node);
    }
  }

  // Returns the nodes that are told of the kernel.
  [[nodiscard]] std::vector<std::size_t> claims_of(const samples::Kernel& kernel) const {
    std::vector<std::size_t> claims;
    for (const std::string& name : kernel.nodes) {
      if (is_path(kernel)) {
        const std::vector<std::size_t>& below = by_path_.at(name);
        claims.insert(claims.end(), below.begin(), below.end());
      } else if (const auto node = graph_.find(name)) {
        claims.push_back(*node);
      }
    }
    for (const std::string& tensor : kernel.outputs) {
      if (const auto node = graph_.producer_of(tensor)) claims.push_back(*node);
    }
    return claims;
  }

  void claim(std::size_t kernel) {
    const std::vector<std::size_t> claims = claims_of(kernels_[kernel]);
    for (const std::size_t node : claims) {
      if (graph_[node].is_constant) continue;  // compilers share constants among unlike places of a model
      last_claim_[kernel] = node;
      std::vector<std::size_t>& owners = found_.kernels[node];
      const bool has_it = std::find(owners.begin(), owners.end(), kernel) != owners.end();
      if (has_it || (!owners.empty() && !is_exact(kernels_[kernel]))) continue;
      if (owners.empty()) found_.told_by[node] = kernels_[kernel].found_by;
      owners.push_back(kernel);
      found_.how[node] = How::told;
    }
  }

  void give(std::size_t node, std::size_t like, How how) {
    found_.kernels[node] = found_.kernels[like];
    found_.how[node] = how;
  }

  void close_up(std::size_t start) {
    std::vector<std::size_t> todo{start};
    while (!todo.empty()) {
      const std::size_t node = todo.back();
      todo.pop_back();
      for (const std::size_t producer : graph_[node].producers) {
        if (!is_free(producer) || is_written(producer)) continue;
        const std::vector<std::size_t>& consumers = graph_[producer].consumers;
        const bool is_only_ours = std::all_of(consumers.begin(), consumers.end(), [&](std::size_t consumer) {
          return share_one(found_.kernels[consumer], found_.kernels[start]);
        });
        if (!is_only_ours) continue;
        give(producer, start, How::closure_up);
        todo.push_back(producer);
      }
    }
  }

  // Gives the kernel the light nodes behind its last told one, unless the kernel that is called next is told nothing:
  // that one may have computed them. A BatchNormalization is multiplied into its convolution's weights anyway.
  void fuse_behind(std::size_t kernel) {
    if (!last_claim_[kernel]) return;
    const bool is_told_next = kernel + 1 == kernels_.size() || last_claim_[kernel + 1];
    std::size_t node = *last_claim_[kernel];
    while (graph_[node].consumers.size() == 1) {
      const std::size_t next = graph_[node].consumers.front();
      const bool is_folded = graph_[node].type == "Conv" && graph_[next].type == "BatchNormalization";
      if (!is_free(next) || !is_light(graph_[next].type) || (!is_told_next && !is_folded)) return;
      if (!is_computed_before(next, node, kernel)) return;
      give(next, node, How::closure_down);
      node = next;
    }
  }
  // Returns whether all that the node uses beside `other` is there when the kernel is called.
  [[nodiscard]] bool is_computed_before(std::size_t node, std::size_t other, std::size_t kernel) const {
    const std::vector<std::size_t>& producers = graph_[node].producers;
    return std::all_of(producers.begin(), producers.end(), [&](std::size_t each) {
      return each == other || graph_[each].is_constant || (!found_.kernels[each].empty() && last_kernel(each) < kernel);
    });
  }

  // If there are several nodes before it, the one whose kernel is called last counts.
  void close_down(std::size_t node) {
    if (!is_free(node) || !is_light(graph_[node].type)) return;
    std::optional<std::size_t> best;
    for (const std::size_t producer : graph_[node].producers) {
      if (found_.kernels[producer].empty() || is_written(producer)) continue;
      if (!best || last_kernel(producer) > last_kernel(*best)) best = producer;
    }
    if (best) give(node, *best, How::closure_down);
  }
  [[nodiscard]] std::size_t last_kernel(std::size_t node) const {
    return *std::max_element(found_.kernels[node].begin(), found_.kernels[node].end());
  }

  void give_to_consumer(std::size_t node) {
    if (!is_free(node)) return;
    std::optional<std::size_t> first;
    for (const std::size_t consumer : graph_[node].consumers) {
      if (!found_.kernels[consumer].empty()) first = std::min(first.value_or(consumer), consumer);
    }
    if (first) give(node, *first, How::to_consumer);
  }

  void give_to_producer(std::size_t node) {
    if (!is_free(node)) return;
    for (const std::size_t producer : graph_[node].producers) {
      if (!found_.kernels[producer].empty()) return give(node, producer, How::to_producer);
    }
  }

  void list_nodes() {
    found_.nodes.resize(kernels_.size());
    for (std::size_t node = 0; node < graph_.size(); ++node) {
      for (const std::size_t kernel : found_.kernels[node]) found_.nodes[kernel].push_back(node);
    }
  }

  void attach() {
    found_.attached_to.resize(kernels_.size());
    std::optional<std::size_t> next;
    for (std::size_t i = kernels_.size(); i-- > 0;) {
      if (!found_.nodes[i].empty()) {
        next = i;
      } else if (last_claim_[i]) {
        found_.attached_to[i] = found_.kernels[*last_claim_[i]].front();
      } else {
        found_.attached_to[i] = next;
      }
    }
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (!found_.nodes[i].empty())
        before = i;
      else if (!found_.attached_to[i])
        found_.attached_to[i] = before;
    }
  }

  const Graph& graph_;
  std::span<const samples::Kernel> kernels_;
  std::vector<std::optional<std::size_t>> last_claim_;                   // of each kernel
  std::unordered_set<std::string> known_{};                              // tensors that some kernel is known to write
  std::unordered_map<std::string, std::vector<std::size_t>> by_path_{};  // nodes below each told path of a module
  Ownership found_{};
};

}  // namespace

std::string_view name(How how) {
  constexpr std::array<std::string_view, 6> kNames{"nowhere",      "told",        "closure up",
                                                   "closure down", "to consumer", "to producer"};
  return kNames.at(static_cast<std::size_t>(how));
}

Ownership find_owners(const Graph& graph, std::span<const samples::Kernel> kernels) {
  return Search(graph, kernels).run();
}

}  // namespace ngb::explain
