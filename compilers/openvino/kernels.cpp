// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::openvino {
namespace {

using plugin::OnnxNode;
using plugin::OnnxNodes;

constexpr std::string_view kPart = "undef";
constexpr std::string_view kWithoutBias = "/WithoutBiases";  // a convolution whose bias OpenVINO adds separately

std::string unescaped(std::string_view xml) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&quot;", '"'}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}};
  std::string text;
  while (!xml.empty()) {
    const auto* const entity = std::find_if(kEntities.begin(), kEntities.end(),
                                            [&](const auto& known) { return xml.starts_with(known.first); });
    text += entity == kEntities.end() ? xml.front() : entity->second;
    xml.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return text;
}

// Returns the first value of an attribute, or "".
std::string attribute(std::string_view xml, std::string_view name) {
  const std::string key = " " + std::string(name) + "=\"";
  const std::size_t found = xml.find(key);
  if (found == std::string_view::npos) return {};
  const std::size_t begin = found + key.size();
  return unescaped(xml.substr(begin, xml.find('"', begin) - begin));
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool is_part(const Counter& counter) { return counter.execution == kPart; }

// OpenVINO names a node after the tensor that it writes.
const OnnxNode* node_of(const OnnxNodes& model, std::string name) {
  if (name.ends_with(kWithoutBias)) name.resize(name.size() - kWithoutBias.size());
  const OnnxNode* const producer = model.producer_of(name);
  return producer != nullptr ? producer : model.called(name);
}

void claim(Kernel& kernel, const std::vector<std::string>& names, const OnnxNodes& model) {
  const OnnxNode* last = nullptr;
  for (const std::string& name : names) {
    const OnnxNode* const node = node_of(model, name);
    if (node == nullptr) continue;
    if (std::find(kernel.nodes.begin(), kernel.nodes.end(), node->name) == kernel.nodes.end())
      kernel.nodes.push_back(node->name);
    last = last == nullptr ? node : std::max(last, node);  // the later one in the file
  }
  if (last == nullptr) return;
  kernel.found_by = "node name";
  if (!last->outputs.empty()) kernel.outputs.push_back(last->outputs.front());
}

// Returns the mean of the inferences between two means, each of all until then.
double mean_ns(const Counter& before, const Counter& after, std::uint64_t first, std::uint64_t last) {
  const double sum_us = static_cast<double>(after.mean_us) * static_cast<double>(last) -
                        static_cast<double>(before.mean_us) * static_cast<double>(first);
  return std::max(sum_us * 1'000 / static_cast<double>(last - first), 0.0);
}

}  // namespace

OriginalNames original_names(std::string_view xml) {
  constexpr std::string_view kLayer = "<layer ";
  OriginalNames names;
  for (std::size_t begin = xml.find(kLayer); begin != std::string_view::npos;) {
    const std::size_t end = xml.find(kLayer, begin + 1);
    const std::string_view layer = xml.substr(begin, end == std::string_view::npos ? end : end - begin);
    names[attribute(layer, "name")] = words_of(attribute(layer, "originalLayersNames"));
    begin = end;
  }
  return names;
}

std::vector<Kernel> kernels_between(const Reading& before, const Reading& after, const OriginalNames& originals,
                                    const OnnxNodes& model) {
  const auto& counters = after.counters;
  const bool are_alike = after.inferences > before.inferences &&
                         std::equal(counters.begin(), counters.end(), before.counters.begin(), before.counters.end(),
                                    [](const Counter& one, const Counter& other) { return one.name == other.name; });
  if (!are_alike) {
    throw plugin::Failure(NGB_COMPILER_FAILED, "openvino's two readings are not of the same nodes");
  }
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < counters.size();) {
    const Counter& counter = counters[i];
    const double ns = mean_ns(before.counters[i], counter, before.inferences, after.inferences);
    const bool has_run = before.counters[i].has_run || counter.has_run;
    std::vector<std::string> names{counter.name};
    for (++i; i < counters.size() && is_part(counters[i]); ++i) names.push_back(counters[i].name);
    if (is_part(counter) || !has_run) continue;
    if (const auto found = originals.find(counter.name); found != originals.end()) names = found->second;
    Kernel kernel{.name = counter.name, .kind = counter.type, .ns = ns};
    claim(kernel, names, model);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace ngb::openvino
