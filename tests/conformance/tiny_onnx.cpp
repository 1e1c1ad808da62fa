// SPDX-License-Identifier: Apache-2.0
#include "tiny_onnx.h"

#include <cstring>

namespace ngb::conformance {
namespace {

// Protocol buffers' wire format: a key of field number and kind, then a varint or a length and bytes.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  Message& bytes(std::uint32_t field, std::string_view content) {
    varint((field << 3U) | 2U);
    varint(content.size());
    bytes_ += content;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& inner) { return bytes(field, inner.bytes_); }
  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    while (value >= 0x80U) {
      bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
      value >>= 7U;
    }
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

std::uint64_t onnx_type(DataType type) {
  switch (type) {
    case DataType::f32:
      return 1;
    case DataType::u8:
      return 2;
    case DataType::i8:
      return 3;
    case DataType::i32:
      return 6;
    case DataType::i64:
      return 7;
    case DataType::boolean:
      return 9;
    case DataType::f16:
      return 10;
    case DataType::f64:
      return 11;
    case DataType::bf16:
      return 16;
  }
  return 0;
}

Message value_info(const TensorSignature& signature) {
  Message shape;
  for (const std::int64_t extent : signature.shape) {
    Message dimension;
    if (extent >= 0) {
      dimension.number(1, static_cast<std::uint64_t>(extent));
    } else {
      dimension.bytes(2, "unknown");
    }
    shape.message(1, dimension);
  }
  const Message tensor = Message().number(1, onnx_type(signature.type)).message(2, shape);
  return Message().bytes(1, signature.name).message(2, Message().message(1, tensor));
}

Message initializer(const Initializer& initializer) {
  Message tensor;
  for (const std::int64_t extent : initializer.shape) tensor.number(1, static_cast<std::uint64_t>(extent));
  std::string raw(initializer.values.size() * sizeof(float), '\0');
  if (!raw.empty()) std::memcpy(raw.data(), initializer.values.data(), raw.size());
  return tensor.number(2, 1).bytes(8, initializer.name).bytes(9, raw);
}

Message node(const Node& node, std::size_t index) {
  Message message;
  for (const std::string& input : node.inputs) message.bytes(1, input);
  for (const std::string& output : node.outputs) message.bytes(2, output);
  message.bytes(3, "node" + std::to_string(index)).bytes(4, node.operation);
  for (const auto& [name, values] : node.int_lists) {
    constexpr std::uint64_t kInts = 7;
    Message attribute;
    attribute.bytes(1, name);
    for (const std::int64_t value : values) attribute.number(8, static_cast<std::uint64_t>(value));
    message.message(5, attribute.number(20, kInts));
  }
  return message;
}

}  // namespace

std::string serialize(const TinyOnnx& model) {
  Message graph;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) graph.message(1, node(model.nodes[i], i));
  graph.bytes(2, "tiny");
  for (const Initializer& values : model.initializers) graph.message(5, initializer(values));
  for (const TensorSignature& input : model.inputs) graph.message(11, value_info(input));
  for (const TensorSignature& output : model.outputs) graph.message(12, value_info(output));
  const Message opset = Message().bytes(1, "").number(2, static_cast<std::uint64_t>(model.opset));
  return Message().number(1, 9).message(7, graph).message(8, opset).text();
}

}  // namespace ngb::conformance
