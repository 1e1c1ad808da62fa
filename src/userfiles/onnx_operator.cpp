// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_operator.h"

#include <algorithm>
#include <cstring>

#include "base/onnx_wire.h"

namespace ngb::userfiles {

std::optional<std::uint64_t> bytes_of_type(std::int64_t type) {
  switch (type) {
    case 2:   // uint8
    case 3:   // int8
    case 9:   // bool
    case 17:  // four kinds of float8
    case 18:
    case 19:
    case 20:
      return 1;
    case 4:   // uint16
    case 5:   // int16
    case 10:  // float16
    case 16:  // bfloat16
      return 2;
    case 1:   // float
    case 6:   // int32
    case 12:  // uint32
      return 4;
    case 7:   // int64
    case 11:  // double
    case 13:  // uint64
    case 14:  // complex64
      return 8;
    case 15:  // complex128
      return 16;
    default:
      return std::nullopt;
  }
}

namespace {

using wire::each_part;
using wire::Part;

std::vector<std::int64_t> integers_of(std::string_view raw) {
  std::vector<std::int64_t> values(raw.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), raw.data(), values.size() * sizeof(std::int64_t));
  return values;
}

}  // namespace

std::optional<std::uint64_t> product_of(const Extents& extents) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || __builtin_mul_overflow(product, static_cast<std::uint64_t>(extent), &product)) return {};
  }
  return product;
}

std::optional<std::uint64_t> GraphTensor::elements() const { return extents ? product_of(*extents) : std::nullopt; }

std::optional<std::uint64_t> GraphTensor::bytes() const {
  const std::optional<std::uint64_t> count = elements();
  std::uint64_t product = 0;
  if (!count || !element_bytes || __builtin_mul_overflow(*count, *element_bytes, &product)) return std::nullopt;
  return product;
}

std::int64_t Operator::integer(const std::string& attribute, std::int64_t otherwise) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() || found->second.integers.empty() ? otherwise : found->second.integers.front();
}

std::vector<std::int64_t> Operator::integers(const std::string& attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? std::vector<std::int64_t>() : found->second.integers;
}

GraphTensor Operator::input(std::size_t index, const GraphTensors& tensors) const {
  if (index >= inputs.size()) return {};
  const auto found = tensors.find(inputs[index]);
  return found == tensors.end() ? GraphTensor() : found->second;
}

std::optional<std::pair<std::string, GraphTensor>> read_weight(std::string_view message) {
  std::string name;
  GraphTensor tensor{.extents = Extents(), .is_weight = true};
  std::vector<std::int64_t> values;
  std::string_view raw;
  std::int64_t type = 0;
  const bool is_message = each_part(message, [&](const Part& part) {
    if (part.field == wire::kTensorName && !part.integer) name = part.bytes;
    if (part.field == wire::kTensorRaw && !part.integer) raw = part.bytes;
    if (part.field == wire::kTensorType && part.integer) type = static_cast<std::int64_t>(*part.integer);
    if (part.field == wire::kTensorExtents) return append_integers(part, *tensor.extents);
    if (part.field == wire::kTensorIntegers && values.size() <= kMostValues) return append_integers(part, values);
    return true;
  });
  if (!is_message) return std::nullopt;
  for (const std::int64_t extent : *tensor.extents) {
    if (extent >= 0 && extent <= kMostExtent) continue;
    tensor.extents.reset();
    break;
  }
  tensor.element_bytes = bytes_of_type(type);
  const std::optional<std::uint64_t> count = tensor.elements();
  if (type == wire::kInt64 && count && *count <= kMostValues) {
    if (values.empty() && raw.size() == *count * sizeof(std::int64_t)) values = integers_of(raw);
    if (values.size() == *count) tensor.values = std::move(values);
  }
  return std::pair(std::move(name), std::move(tensor));
}

std::optional<std::pair<std::string, GraphTensor>> read_description(std::string_view message) {
  GraphTensor tensor;
  std::string name;
  const auto read_extent = [&](const Part& part) {
    if (part.field != wire::kShapeExtent || part.integer) return true;
    const std::optional<std::int64_t> extent = wire::integer_in(part.bytes, wire::kExtentValue);
    if (extent && *extent >= 0 && *extent <= kMostExtent && tensor.extents)
      tensor.extents->push_back(*extent);
    else
      tensor.extents.reset();
    return true;
  };
  const auto read_tensor_type = [&](const Part& part) {
    if (part.field == wire::kTypeElement && part.integer)
      tensor.element_bytes = bytes_of_type(static_cast<std::int64_t>(*part.integer));
    if (part.field != wire::kTypeShape || part.integer) return true;
    tensor.extents.emplace();
    return each_part(part.bytes, read_extent);
  };
  const bool is_message = each_part(message, [&](const Part& part) {
    if (part.integer) return true;
    if (part.field == wire::kValueName) name = part.bytes;
    if (part.field != wire::kValueType) return true;
    return each_part(part.bytes, [&](const Part& type) {
      return type.field != wire::kTypeTensor || type.integer || each_part(type.bytes, read_tensor_type);
    });
  });
  if (!is_message) return std::nullopt;
  return std::pair(std::move(name), std::move(tensor));
}

std::optional<Operator> read_operator(std::string_view message) {
  Operator made;
  const auto read_attribute = [&](std::string_view bytes) {
    Attribute attribute;
    const bool is_message = each_part(bytes, [&](const Part& part) {
      if (part.field == wire::kAttributeText && !part.integer) attribute.text = part.bytes;
      if (part.field == wire::kAttributeTensor && !part.integer) {
        const auto tensor = read_weight(part.bytes);
        if (!tensor) return false;
        attribute.tensor = tensor->second;
      }
      const bool has_integers = part.field == wire::kAttributeInteger || part.field == wire::kAttributeIntegers;
      return !has_integers || append_integers(part, attribute.integers);
    });
    made.attributes.emplace(wire::text_in(bytes, wire::kAttributeName), std::move(attribute));
    return is_message;
  };
  const bool is_message = each_part(message, [&](const Part& part) {
    if (part.integer) return true;
    if (part.field == wire::kNodeType) made.type = part.bytes;
    if (part.field == wire::kNodeDomain) made.domain = part.bytes;
    if (part.field == wire::kNodeInput) made.inputs.emplace_back(part.bytes);
    if (part.field == wire::kNodeOutput) made.outputs.emplace_back(part.bytes);
    return part.field != wire::kNodeAttribute || read_attribute(part.bytes);
  });
  return is_message ? std::optional(std::move(made)) : std::nullopt;
}

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
