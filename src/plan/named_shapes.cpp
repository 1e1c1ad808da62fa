// SPDX-License-Identifier: Apache-2.0
#include "plan/named_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"
#include "userfiles/onnx_file.h"

namespace ngb::plan {
namespace {

using Sizes = config::NamedShapes::Sizes;

std::optional<std::int64_t> size_of(const Sizes& sizes, const std::string& name) {
  const auto found = std::ranges::find(sizes, name, &std::pair<std::string, std::int64_t>::first);
  return found == sizes.end() || found->second == kBatchExtent ? std::nullopt : std::optional(found->second);
}

std::int64_t padded(std::int64_t size, int pad_to) {
  return pad_to == 0 || size == kBatchExtent ? size : (size + pad_to - 1) / pad_to * pad_to;
}

Sizes padded(Sizes sizes, int pad_to) {
  for (auto& [name, size] : sizes) size = padded(size, pad_to);
  return sizes;
}

// Sets every extent whose name has a size.
void set_sizes(std::vector<TensorSignature>& inputs, const ExtentNames& names, const Sizes& sizes) {
  for (TensorSignature& input : inputs) {
    const auto named = std::ranges::find(names, input.name, &ExtentNames::value_type::first);
    if (named == names.end()) continue;
    for (std::size_t axis = 0; axis < input.shape.size() && axis < named->second.size(); ++axis) {
      if (const auto size = size_of(sizes, named->second[axis])) input.shape[axis] = *size;
    }
  }
}

std::vector<TensorSignature> with_sizes(std::vector<TensorSignature> inputs, const ExtentNames& names,
                                        const Sizes& sizes) {
  set_sizes(inputs, names, sizes);
  return inputs;
}

Sizes joined(Sizes sizes, const Sizes& more) {
  sizes.insert(sizes.end(), more.begin(), more.end());
  return sizes;
}

Status check_names(const config::ModelEntry& entry, const ExtentNames& names) {
  std::set<std::string> all;
  for (const auto& [input, of_input] : names) all.insert(of_input.begin(), of_input.end());
  all.erase("");
  const std::vector<std::string> known(all.begin(), all.end());
  std::vector<std::string> asked = entry.named->dynamic;
  if (!entry.named->visited.empty()) {
    for (const auto& [name, size] : entry.named->visited.front()) asked.push_back(name);
  }
  for (const std::string& name : asked) {
    if (all.contains(name)) continue;
    const auto near = text::nearest(name, known);
    return fail(near ? fmt::format("no such dimension, did you mean {}?", *near)
                     : fmt::format("no such dimension, expected one of {}", text::join(known, ", ")),
                fmt::format("{}: dimension \"{}\"", entry.label, text::to_utf8(name)));
  }
  return Done{};
}

std::string name_of_sizes(const Sizes& sizes) {
  std::vector<std::string> words;
  for (const auto& [name, size] : sizes) words.push_back(fmt::format("{}={}", name, size));
  return text::join(words, " ");
}

}  // namespace

Result<ExtentNames> names_in_file(const config::ModelEntry& entry) {
  const auto tensors = userfiles::tensors_of(entry.file);
  if (!tensors) return error_of(tensors);
  ExtentNames names;
  for (const userfiles::ScannedInput& input : tensors->inputs) {
    std::vector<std::string>& of_input = names.emplace_back(input.name, std::vector<std::string>{}).second;
    if (!input.shape) continue;
    for (const userfiles::ScannedExtent& extent : *input.shape) of_input.push_back(extent.value ? "" : extent.name);
  }
  return names;
}

Sizes first_sizes(const config::ModelEntry& entry) {
  const config::NamedShapes& named = *entry.named;
  return padded(named.visited.empty() ? entry.dimensions : joined(entry.dimensions, named.visited.front()),
                named.pad_to);
}

Status settle_named(work::Model& model, const config::ModelEntry& entry, const ExtentNames& names) {
  const config::NamedShapes& named = *entry.named;
  if (const Status known = check_names(entry, names); !known) return known;
  const auto inputs_at = [&](const Sizes& sizes) { return with_sizes(model.inputs, names, sizes); };
  const auto unpadded_at = [&](const Sizes& sizes) {
    const bool is_padded = named.pad_to > 0 && padded(sizes, named.pad_to) != sizes;
    return is_padded ? inputs_at(sizes) : std::vector<TensorSignature>();
  };
  for (std::size_t i = 0; i < named.visited.size(); ++i) {
    const Sizes sizes = joined(entry.dimensions, named.visited[i]);
    model.visited.push_back(
        {name_of_sizes(named.visited[i]), named.visits[i], inputs_at(padded(sizes, named.pad_to)), unpadded_at(sizes)});
  }
  if (model.visited.empty()) model.unpadded = unpadded_at(entry.dimensions);
  set_sizes(model.inputs, names, first_sizes(entry));
  set_sizes(model.open_inputs, names, first_sizes(entry));
  if (!model.visited.empty()) model.unpadded = model.visited.front().unpadded;
  return Done{};
}

void add_open_axes(nlohmann::json& row, const TensorSignature& input, const config::NamedShapes& named) {
  const auto names = std::ranges::find(named.extents, input.name, &ExtentNames::value_type::first);
  std::set<std::string> open(named.dynamic.begin(), named.dynamic.end());
  for (const config::NamedShapes::Sizes& sizes : named.visited) {
    for (const auto& [name, size] : sizes) open.insert(name);
  }
  for (std::size_t axis = 0; names != named.extents.end() && axis < names->second.size(); ++axis) {
    if (open.contains(names->second[axis])) row["open"][std::to_string(axis)] = names->second[axis];
  }
}

void add_to_hashed(nlohmann::json& hashed, const work::Model& model, const config::NamedShapes& named) {
  if (!named.dynamic.empty()) hashed["dynamic"] = named.dynamic;
  if (named.pad_to > 0) hashed["pad_to"] = named.pad_to;
  for (const work::VisitedShape& shape : model.visited) hashed["visited"].push_back({shape.name, shape.visits});
}

void open_named(work::Model& model, const config::ModelEntry& entry, const ExtentNames& names) {
  if (!entry.dynamic_batch) model.open_inputs = model.inputs;
  Sizes open;
  for (const std::string& name : entry.named->dynamic) open.emplace_back(name, kOpenExtent);
  set_sizes(model.open_inputs, names, open);
}

}  // namespace ngb::plan
