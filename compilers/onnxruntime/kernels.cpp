// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/json_text.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::onnxruntime {
namespace {

using plugin::OnnxNode;
using plugin::OnnxNodes;

constexpr std::string_view kKernelTime = "_kernel_time";
constexpr std::string_view kNumber = "_token_";
constexpr const char* kTranspose = "Transpose";
// A suffix that ONNX Runtime appends to the name of an ONNX node or tensor, to name a kernel of its own. The row says
// whether that node is the last one that the kernel computes (but for a convolution's sum and activation), and which
// type of node behind it the kernel computes as well.
struct Suffix {
  std::string_view text;
  bool is_of_last = false;
  const char* and_then = nullptr;
};
constexpr std::array<Suffix, 6> kSuffixes{{{"_nchwc", true},
                                           {"/MatMulAddFusion", false, "Add"},
                                           {"/MatMulScaleFusion/", false},
                                           {"_FusedMatMulAndScale", false},
                                           {"/QuickGeluFusion/", true},
                                           {"/GeluFusion/", true}}};

struct Event {
  std::string node;  // the optimised model's name; an unnamed node has none of the model's
  std::string op_type;
  std::int64_t begin_us = 0;
  std::int64_t duration_us = 0;
};

using Inference = std::vector<Event>;

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

bool runs_a_subgraph(const std::string& op_type) { return op_type == "If" || op_type == "Loop" || op_type == "Scan"; }

// Returns a name without the number that ONNX Runtime adds to make it unique, which differs between sessions.
std::string without_number(const std::string& name) {
  const std::size_t found = name.rfind(kNumber);
  const bool is_number =
      found != std::string::npos && name.find_first_not_of("0123456789", found + kNumber.size()) == std::string::npos;
  return is_number ? name.substr(0, found) : name;
}

// Appends a kernel's event. The kernels of a subgraph are parts of the one that runs it, whose event follows theirs.
void append(Inference& inference, Event event) {
  if (runs_a_subgraph(event.op_type)) {
    while (!inference.empty() && inference.back().begin_us >= event.begin_us) inference.pop_back();
  }
  inference.push_back(std::move(event));
}

// Returns the events of every inference, in their order. An inference's own event follows those of its kernels.
std::vector<Inference> inferences_of(std::string_view profile) {
  const nlohmann::json events = json_text::parse(profile);
  if (!events.is_array()) {
    throw plugin::Failure(NGB_COMPILER_FAILED, "onnxruntime's profile is not whole", "see whether the disk is full");
  }
  std::vector<Inference> inferences(1);
  for (const nlohmann::json& event : events) {
    if (!event.is_object()) continue;
    std::string name = text_at(event, "name");
    if (name == "model_run") inferences.emplace_back();
    if (text_at(event, "cat") != "Node" || !name.ends_with(kKernelTime)) continue;
    name.resize(name.size() - kKernelTime.size());
    append(inferences.back(), {std::move(name), event.contains("args") ? text_at(event["args"], "op_name") : "",
                               number_at(event, "ts"), number_at(event, "dur")});
  }
  inferences.pop_back();
  return inferences;
}

bool are_alike(const Inference& one, const Inference& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Event& a, const Event& b) { return a.node == b.node && a.op_type == b.op_type; });
}

// Returns the optimised node of each event; null for none. If the operators of all events are those of the model in its
// order, it is the node at the same place, so that nodes need no names. Otherwise it is the node with the event's name.
std::vector<const OnnxNode*> nodes_of(const Inference& inference, const OnnxNodes& optimised) {
  std::vector<const OnnxNode*> nodes;
  const std::vector<OnnxNode>& all = optimised.all();
  const bool is_in_order =
      std::equal(inference.begin(), inference.end(), all.begin(), all.end(),
                 [](const Event& event, const OnnxNode& node) { return event.op_type == node.op_type; });
  for (std::size_t i = 0; i < inference.size(); ++i) {
    nodes.push_back(is_in_order ? &all[i] : optimised.called(inference[i].node));
  }
  return nodes;
}

// Mapping says which ONNX nodes one kernel stands for.
class Mapping {
 public:
  Mapping(const OnnxNodes& original, Kernel& kernel) : original_(original), kernel_(kernel) {}

  // An output that has a name of the model's file says which node wrote it. A kernel that only moves data writes a
  // tensor that another one has computed.
  void by_tensor(const OnnxNode& node) {
    const bool only_moves = node.op_type.starts_with("Reorder");
    for (const std::string& output : node.outputs) {
      const OnnxNode* producer = output.empty() ? nullptr : original_.producer_of(output);
      if (producer == nullptr) continue;
      kernel_.outputs.push_back(output);
      if (!only_moves || producer->op_type == kTranspose) add(*producer);
      kernel_.found_by = "tensor name";
    }
  }

  // A kernel that brings a tensor into another layout also does the Transpose behind it, if that is not a kernel
  // itself.
  void by_input(const OnnxNode& node, const OnnxNodes& optimised) {
    if (node.op_type != "ReorderInput" || node.inputs.empty()) return;
    const OnnxNode* next = original_.consumer_of(node.inputs.front(), kTranspose);
    if (next == nullptr || next->outputs.empty() || optimised.producer_of(next->outputs.front()) != nullptr) return;
    add(*next);
    kernel_.found_by = "tensor name";
  }

  // The name is that of a tensor or of a node, with something appended. The sum and the activation that the kernel also
  // computes are those behind that node, and are fused in this order, unless the name is already the activation's.
  void by_name(const OnnxNode& node) {
    const auto [base, suffix] = base_of(node.name);
    const OnnxNode* found = original_.producer_of(base);
    if (found == nullptr) found = original_.called(base);
    if (found == nullptr || found->outputs.empty()) return;
    kernel_.found_by = "node name";
    add(*found);
    if (suffix.and_then != nullptr) follow(*found, suffix.and_then);
    constexpr std::size_t kSum = 3;  // place of the tensor that a convolution adds
    if (node.inputs.size() > kSum && !node.inputs[kSum].empty()) found = follow(*found, "Add");
    const auto activation = node.texts.find("activation");
    if (found != nullptr && activation != node.texts.end() && found->op_type != activation->second) {
      found = follow(*found, activation->second);
    }
    if (found != nullptr && suffix.is_of_last) kernel_.outputs.push_back(found->outputs.front());
  }

 private:
  static std::pair<std::string, Suffix> base_of(const std::string& name) {
    for (const Suffix& suffix : kSuffixes) {
      if (name.ends_with(suffix.text)) return {name.substr(0, name.size() - suffix.text.size()), suffix};
    }
    return {name, {}};
  }
  void add(const OnnxNode& node) {
    if (std::find(kernel_.nodes.begin(), kernel_.nodes.end(), node.name) == kernel_.nodes.end())
      kernel_.nodes.push_back(node.name);
  }
  const OnnxNode* follow(const OnnxNode& node, const std::string& op_type) {
    const OnnxNode* next = original_.consumer_of(node.outputs.front(), op_type);
    if (next != nullptr) add(*next);
    return next != nullptr && !next->outputs.empty() ? next : nullptr;
  }

  const OnnxNodes& original_;
  Kernel& kernel_;
};

}  // namespace

std::vector<Kernel> kernels_of(std::string_view profile, std::uint32_t inferences, const OnnxNodes& optimised,
                               const OnnxNodes& original) {
  std::vector<Inference> all = inferences_of(profile);
  if (all.size() < inferences) {
    throw plugin::Failure(NGB_COMPILER_FAILED,
                          "onnxruntime's profile has " + std::to_string(all.size()) + " inferences of " +
                              std::to_string(inferences) + "; it ends after a million events",
                          "profile fewer inferences at a time");
  }
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(inferences));
  const Inference& first = all.front();
  if (!std::all_of(all.begin(), all.end(), [&](const Inference& each) { return are_alike(each, first); })) {
    throw plugin::Failure(NGB_NO_PROFILE, "onnxruntime does not run the same kernels in each inference of this model");
  }
  const std::vector<const OnnxNode*> nodes = nodes_of(first, optimised);
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::int64_t sum_us = 0;
    for (const Inference& inference : all) sum_us += inference[i].duration_us;
    Kernel kernel{.name = without_number(first[i].node),
                  .kind = first[i].op_type,
                  .ns = static_cast<double>(sum_us) * 1'000 / static_cast<double>(inferences)};
    if (nodes[i] != nullptr) {
      Mapping mapping(original, kernel);
      mapping.by_tensor(*nodes[i]);
      if (kernel.outputs.empty()) mapping.by_input(*nodes[i], optimised);
      if (kernel.found_by.empty()) mapping.by_name(*nodes[i]);
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<Kernel> in_order_of(const std::vector<Kernel>& first, std::vector<Kernel> kernels) {
  const auto key = [](const Kernel& kernel) {
    return std::tie(kernel.name, kernel.kind, kernel.nodes, kernel.outputs, kernel.found_by);
  };
  std::multimap<decltype(key(first.front())), const Kernel*> unplaced;
  for (const Kernel& kernel : kernels) unplaced.emplace(key(kernel), &kernel);
  std::vector<Kernel> ordered;
  for (const Kernel& wanted : first) {
    const auto found = unplaced.find(key(wanted));
    if (found == unplaced.end()) return kernels;
    ordered.push_back(*found->second);
    unplaced.erase(found);
  }
  return unplaced.empty() ? ordered : kernels;
}

}  // namespace ngb::onnxruntime
