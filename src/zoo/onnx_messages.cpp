// SPDX-License-Identifier: Apache-2.0
#include "zoo/onnx_messages.h"

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
  proto.add_output(node.output.name);
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
  for (const Node& node : graph.nodes()) {
    describe(node, *proto.add_node());
    bool is_output = false;
    for (const Tensor& output : graph.outputs()) is_output = is_output || output.name == node.output.name;
    if (!is_output) describe(node.output, *proto.add_value_info());
  }
  return proto.SerializeAsString();
}

std::string serialized_tensor_head(const Initializer& initializer) {
  onnx::TensorProto proto;
  proto.set_name(initializer.tensor.name);
  proto.set_data_type(element_type(initializer.tensor.type));
  for (const std::int64_t extent : initializer.tensor.shape) proto.add_dims(extent);
  if (const auto* values = std::get_if<std::vector<std::int64_t>>(&initializer.content)) {
    for (const std::int64_t value : *values) proto.add_int64_data(value);
  }
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

}  // namespace ngb::zoo
