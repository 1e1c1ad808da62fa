// SPDX-License-Identifier: Apache-2.0
#include "zoo/model_file.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>
#include <vector>

#include "base/onnx_wire.h"

namespace ngb::zoo {

namespace {

using wire::field_of;
using wire::integer_field;
using wire::number_field;

// Returns the IR version of the onnx release that introduced the opset.
std::uint64_t ir_version_of(int opset) { return opset <= 20 ? 9 : 12; }

std::uint64_t element_type(DataType type) {
  if (type == DataType::boolean) return wire::kBool;
  return type == DataType::i64 ? wire::kInt64 : wire::kFloat32;
}

// Returns a ValueInfoProto. `first_extent`: the name of the leading extent; null: it is a number.
std::string description(const Graph& graph, const Tensor& tensor) {
  const auto open = graph.open_extents().find(tensor.name);
  std::string shape;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    std::string named = i == 0 && graph.has_dynamic_batch() ? "batch" : "";
    if (open != graph.open_extents().end() && open->second.axis == i) named = open->second.name;
    shape += field_of(wire::kShapeExtent,
                      !named.empty() ? field_of(wire::kExtentName, named)
                                     : integer_field(wire::kExtentValue, static_cast<std::uint64_t>(tensor.shape[i])));
  }
  const std::string type =
      integer_field(wire::kTypeElement, element_type(tensor.type)) + field_of(wire::kTypeShape, shape);
  return field_of(wire::kValueName, tensor.name) + field_of(wire::kValueType, field_of(wire::kTypeTensor, type));
}

// Returns a TensorProto with `data`, a field of it or nothing.
std::string tensor_proto(const Tensor& tensor, const std::string& data) {
  std::string proto;
  for (const std::int64_t extent : tensor.shape) {
    proto += integer_field(wire::kTensorExtents, static_cast<std::uint64_t>(extent));
  }
  return proto + integer_field(wire::kTensorType, element_type(tensor.type)) + data +
         field_of(wire::kTensorName, tensor.name);
}

// Each returns the value of an AttributeProto with its type.
struct ValueFields {
  static std::string typed(const std::string& value, wire::AttributeType type) {
    return value + integer_field(wire::kAttributeType, type);
  }
  std::string operator()(std::int64_t value) const {
    return typed(integer_field(wire::kAttributeInteger, static_cast<std::uint64_t>(value)), wire::kInteger);
  }
  std::string operator()(float value) const {
    return typed(number_field(wire::kAttributeNumber, value), wire::kNumber);
  }
  std::string operator()(const std::string& value) const {
    return typed(field_of(wire::kAttributeText, value), wire::kText);
  }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    std::string all;
    for (const std::int64_t value : values) {
      all += integer_field(wire::kAttributeIntegers, static_cast<std::uint64_t>(value));
    }
    return typed(all, wire::kIntegers);
  }
};

std::string node_proto(const Node& node) {
  std::string proto;
  for (const std::string& input : node.inputs) proto += field_of(wire::kNodeInput, input);
  for (const Tensor& output : node.outputs) proto += field_of(wire::kNodeOutput, output.name);
  proto += field_of(wire::kNodeName, node.name) + field_of(wire::kNodeType, node.op_type);
  for (const Attribute& attribute : node.attributes) {
    proto += field_of(wire::kNodeAttribute,
                      field_of(wire::kAttributeName, attribute.name) + std::visit(ValueFields{}, attribute.value));
  }
  return proto;
}

}  // namespace

std::string serialized_model_head(int opset) {
  return integer_field(wire::kModelIrVersion, ir_version_of(opset)) + field_of(wire::kModelProducer, "ngraphbench") +
         field_of(wire::kModelOpset, field_of(wire::kOpsetDomain, "") +
                                         integer_field(wire::kOpsetVersion, static_cast<std::uint64_t>(opset)));
}

std::string serialized_graph_head(const Graph& graph, const std::string& name) {
  std::string proto;
  for (const Node& node : graph.nodes()) proto += field_of(wire::kGraphNode, node_proto(node));
  proto += field_of(wire::kGraphName, name);
  for (const Tensor& input : graph.inputs()) proto += field_of(wire::kGraphInput, description(graph, input));
  std::unordered_set<std::string> described;
  for (const Tensor& output : graph.outputs()) {
    proto += field_of(wire::kGraphOutput, description(graph, output));
    described.insert(output.name);
  }
  if (graph.has_dynamic_batch() || !graph.open_extents().empty()) return proto;
  for (const Node& node : graph.nodes()) {
    for (const Tensor& output : node.outputs) {
      if (described.count(output.name) == 0) proto += field_of(wire::kGraphValue, description(graph, output));
    }
  }
  return proto;
}

std::string serialized_tensor_head(const Initializer& initializer) {
  std::string data;
  const auto* const integers = std::get_if<std::vector<std::int64_t>>(&initializer.content);
  const auto* const numbers = std::get_if<std::vector<float>>(&initializer.content);
  if (integers != nullptr && !integers->empty()) data = field_of(wire::kTensorIntegers, wire::packed(*integers));
  if (numbers != nullptr && !numbers->empty()) data = field_of(wire::kTensorNumbers, wire::packed(*numbers));
  return tensor_proto(initializer.tensor, data);
}

std::string serialized_external_tensor(const Tensor& tensor, const std::string& location, std::uint64_t offset_bytes,
                                       std::uint64_t size_bytes) {
  const auto entry = [](const char* key, const std::string& value) {
    return field_of(wire::kTensorExternal, field_of(wire::kEntryKey, key) + field_of(wire::kEntryValue, value));
  };
  return tensor_proto(tensor, "") + entry("location", location) + entry("offset", std::to_string(offset_bytes)) +
         entry("length", std::to_string(size_bytes)) + integer_field(wire::kTensorLocation, 1);
}

namespace {

constexpr std::uint64_t kPageBytes = 4096;  // external tensors that begin on a page boundary can be mapped

std::uint64_t value_bytes(const Initializer& initializer) {
  return std::holds_alternative<Fill>(initializer.content) ? initializer.tensor.element_count() * sizeof(float) : 0;
}

// Returns the bytes that precede an initializer's values in the graph, or all its bytes if it stores no values there.
std::string inline_head(const Initializer& initializer) {
  const std::uint64_t values = value_bytes(initializer);
  std::string head = serialized_tensor_head(initializer);
  if (values != 0) head += wire::head_of(wire::kTensorRaw, values);
  return wire::head_of(wire::kGraphInitializer, head.size() + values) + head;
}

std::string model_start(int opset, const std::string& graph_head, std::uint64_t graph_bytes) {
  return serialized_model_head(opset) + wire::head_of(wire::kModelGraph, graph_bytes) + graph_head;
}

}  // namespace

ModelFile::ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed, const std::string& data_name,
                     std::uint64_t largest_message_bytes)
    : data_name_(data_name) {
  const std::string graph_head = serialized_graph_head(graph, name);
  write_inline(graph, graph_head, seed);
  if (model_.size_bytes() <= largest_message_bytes) return;
  model_ = {};
  write_beside(graph, graph_head, seed);
}

void ModelFile::write_inline(const Graph& graph, const std::string& graph_head, std::uint64_t seed) {
  std::vector<std::string> heads;
  std::uint64_t graph_bytes = graph_head.size();
  for (const Initializer& initializer : graph.initializers()) {
    heads.push_back(inline_head(initializer));
    graph_bytes += heads.back().size() + value_bytes(initializer);
  }
  model_.add_text(model_start(graph.opset(), graph_head, graph_bytes));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Initializer& initializer = graph.initializers()[i];
    model_.add_text(std::move(heads[i]));
    if (const Fill* fill = std::get_if<Fill>(&initializer.content)) {
      model_.add_values(initializer.tensor.element_count(), *fill, tensor_key(seed, initializer.tensor.name));
    }
  }
}

void ModelFile::write_beside(const Graph& graph, const std::string& graph_head, std::uint64_t seed) {
  std::string initializers;
  for (const Initializer& initializer : graph.initializers()) {
    const Fill* fill = std::get_if<Fill>(&initializer.content);
    if (fill == nullptr) {
      initializers += inline_head(initializer);
      continue;
    }
    data_.add_text(std::string((kPageBytes - data_.size_bytes() % kPageBytes) % kPageBytes, '\0'));
    const std::string head =
        serialized_external_tensor(initializer.tensor, data_name_, data_.size_bytes(), value_bytes(initializer));
    initializers += wire::head_of(wire::kGraphInitializer, head.size()) + head;
    data_.add_values(initializer.tensor.element_count(), *fill, tensor_key(seed, initializer.tensor.name));
  }
  model_.add_text(model_start(graph.opset(), graph_head, graph_head.size() + initializers.size()) + initializers);
}

Status ModelFile::write(const std::filesystem::path& path, int threads) const {
  if (threads < 1) return fail(fmt::format("cannot write on {} threads, expected at least 1", threads), path.string());
  PartialFile model(path);
  if (const Status written = model_.write(model, threads); !written) return written;
  if (!has_external_data()) return model.put_in_place();
  PartialFile data(path.parent_path() / data_name_);
  if (const Status written = data_.write(data, threads); !written) return written;
  if (const Status placed = data.put_in_place(); !placed) return placed;
  const Status placed = model.put_in_place();
  if (!placed) data.withdraw();
  return placed;
}

}  // namespace ngb::zoo
