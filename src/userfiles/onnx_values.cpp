// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_values.h"

#include <algorithm>

namespace ngb::userfiles {
namespace {

// Returns the values from one place to before another; places below 0 count from the end.
Values part(const Values& values, std::int64_t begin, std::int64_t end) {
  const auto size = static_cast<std::int64_t>(values.size());
  const auto place = [size](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  const std::int64_t first = place(begin);
  return {values.begin() + first, values.begin() + std::max(first, place(end))};
}

}  // namespace

std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank) {
  const std::int64_t from_front = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (from_front < 0 || from_front >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(from_front);
}

std::optional<Values> integers_of(const Operator& node, const GraphTensors& tensors, const std::string& attribute,
                                  std::size_t input) {
  if (node.attributes.contains(attribute)) return node.integers(attribute);
  if (input >= node.inputs.size() || node.inputs[input].empty()) return Values();
  return node.input(input, tensors).values;
}

std::optional<Values> values_of(const Operator& node, const GraphTensors& tensors) {
  if (node.type == "Shape") {
    const std::optional<Extents> extents = node.input(0, tensors).extents;
    return extents ? std::optional(part(*extents, node.integer("start", 0), node.integer("end", kMostExtent)))
                   : extents;
  }
  if (node.type == "Constant") {
    const auto value = node.attributes.find("value");
    return value == node.attributes.end() ? std::nullopt : value->second.tensor.values;
  }
  const std::optional<Values> first = node.input(0, tensors).values;
  if (!first) return std::nullopt;
  if (node.type == "Unsqueeze" || node.type == "Squeeze" || node.type == "Identity" || node.type == "Cast")
    return first;
  if (node.type == "Concat") {
    Values all;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::optional<Values> each = node.input(i, tensors).values;
      if (!each || all.size() + each->size() > kMostValues) return std::nullopt;
      all.insert(all.end(), each->begin(), each->end());
    }
    return all;
  }
  if (node.type == "Gather") {
    Values chosen;
    for (const std::int64_t index : node.input(1, tensors).values.value_or(Values())) {
      const auto place = axis_in(index, first->size());
      if (!place) return std::nullopt;
      chosen.push_back((*first)[*place]);
    }
    return chosen.empty() ? std::nullopt : std::optional(chosen);
  }
  const std::optional<Values> begins = integers_of(node, tensors, "starts", 1);
  const std::optional<Values> ends = integers_of(node, tensors, "ends", 2);
  const bool has_steps = node.inputs.size() > 4;
  if (node.type != "Slice" || !begins || !ends || begins->size() != 1 || ends->size() != 1 || has_steps) return {};
  return part(*first, begins->front(), ends->front());
}

}  // namespace ngb::userfiles
