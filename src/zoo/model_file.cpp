// SPDX-License-Identifier: Apache-2.0
#include "zoo/model_file.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/onnx.pb.h"

namespace ngb::zoo {

namespace {

constexpr int kIrVersion = 9;
constexpr int kOpset = 20;

int element_type(DataType type) { return type == DataType::i64 ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT; }

void describe(const Tensor& tensor, onnx::ValueInfoProto& info) {
  info.set_name(tensor.name);
  onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element_type(tensor.type));
  type.mutable_shape();
  for (const std::int64_t extent : tensor.shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
}

void leave_batch_open(onnx::ValueInfoProto& info) {
  info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("batch");
}

onnx::TensorProto head(const Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(tensor.name);
  proto.set_data_type(element_type(tensor.type));
  for (const std::int64_t extent : tensor.shape) proto.add_dims(extent);
  return proto;
}

struct AttributeWriter {
  onnx::AttributeProto& proto;
  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
};

void describe(const Node& node, onnx::NodeProto& proto) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const Tensor& output : node.outputs) proto.add_output(output.name);
  for (const Attribute& attribute : node.attributes) {
    onnx::AttributeProto& added = *proto.add_attribute();
    added.set_name(attribute.name);
    std::visit(AttributeWriter{added}, attribute.value);
  }
}

}  // namespace

std::string serialized_model_head() {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("ngraphbench");
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(kOpset);
  return model.SerializeAsString();
}

std::string serialized_graph_head(const Graph& graph, const std::string& name) {
  onnx::GraphProto proto;
  proto.set_name(name);
  for (const Tensor& input : graph.inputs()) describe(input, *proto.add_input());
  for (const Tensor& output : graph.outputs()) describe(output, *proto.add_output());
  if (graph.has_dynamic_batch()) {
    for (onnx::ValueInfoProto& info : *proto.mutable_input()) leave_batch_open(info);
    for (onnx::ValueInfoProto& info : *proto.mutable_output()) leave_batch_open(info);
  }
  std::unordered_set<std::string> described;
  for (const Tensor& output : graph.outputs()) described.insert(output.name);
  for (const Node& node : graph.nodes()) {
    describe(node, *proto.add_node());
    for (const Tensor& output : node.outputs) {
      if (graph.has_dynamic_batch() || described.count(output.name) != 0) continue;
      describe(output, *proto.add_value_info());
    }
  }
  return proto.SerializeAsString();
}

std::string serialized_tensor_head(const Initializer& initializer) {
  onnx::TensorProto proto = head(initializer.tensor);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&initializer.content)) {
    for (const std::int64_t value : *integers) proto.add_int64_data(value);
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&initializer.content)) {
    for (const float value : *floats) proto.add_float_data(value);
  }
  return proto.SerializeAsString();
}

std::string serialized_external_tensor(const Tensor& tensor, const std::string& location, std::uint64_t offset_bytes,
                                       std::uint64_t size_bytes) {
  onnx::TensorProto proto = head(tensor);
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset_bytes));
  add("length", std::to_string(size_bytes));
  return proto.SerializeAsString();
}

std::string field_start(int field_number, std::uint64_t size_bytes) {
  constexpr unsigned kLengthDelimited = 2;
  std::string bytes;
  const auto add_varint = [&](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(static_cast<unsigned char>(value | 0x80U));
    bytes += static_cast<char>(value);
  };
  add_varint(static_cast<std::uint64_t>(field_number) << 3U | kLengthDelimited);
  add_varint(size_bytes);
  return bytes;
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
  if (values != 0) head += field_start(onnx::TensorProto::kRawDataFieldNumber, values);
  return field_start(onnx::GraphProto::kInitializerFieldNumber, head.size() + values) + head;
}

std::string model_start(const std::string& graph_head, std::uint64_t graph_bytes) {
  return serialized_model_head() + field_start(onnx::ModelProto::kGraphFieldNumber, graph_bytes) + graph_head;
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
  model_.add_text(model_start(graph_head, graph_bytes));
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
    initializers += field_start(onnx::GraphProto::kInitializerFieldNumber, head.size()) + head;
    data_.add_values(initializer.tensor.element_count(), *fill, tensor_key(seed, initializer.tensor.name));
  }
  model_.add_text(model_start(graph_head, graph_head.size() + initializers.size()) + initializers);
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
