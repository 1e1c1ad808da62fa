// SPDX-License-Identifier: Apache-2.0
#include "zoo/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ngb::zoo {

Tensor Graph::input(std::string name, DataType type, Shape shape) {
  Tensor tensor{std::move(name), type, std::move(shape)};
  if (!accept(tensor)) return {};
  return inputs_.emplace_back(std::move(tensor));
}

Tensor Graph::initializer(std::string name, Shape shape, Fill fill) {
  Tensor tensor{std::move(name), DataType::f32, std::move(shape)};
  if (!accept(tensor)) return {};
  return initializers_.emplace_back(Initializer{std::move(tensor), fill}).tensor;
}

Tensor Graph::integers(std::string name, std::vector<std::int64_t> values) {
  Tensor tensor{std::move(name), DataType::i64, {static_cast<std::int64_t>(values.size())}};
  if (!accept(tensor)) return {};
  return initializers_.emplace_back(Initializer{std::move(tensor), std::move(values)}).tensor;
}

Tensor Graph::node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
                   std::vector<Attribute> attributes, const Shape& output_shape) {
  Tensor tensor{name, inputs.empty() ? DataType::f32 : inputs.front().type, output_shape};
  if (!accept(tensor)) return {};
  Node added{std::move(name), std::move(op_type), {}, std::move(attributes), tensor};
  for (const Tensor& input : inputs) added.inputs.push_back(input.name);
  nodes_.push_back(std::move(added));
  return tensor;
}

void Graph::layer(Layer row) {
  if (!failed()) layers_.push_back(std::move(row));
}

void Graph::output(const Tensor& tensor, const std::string& name) {
  Tensor renamed{name, tensor.type, tensor.shape};
  if (!accept(renamed)) return;
  const auto producer = std::find_if(nodes_.begin(), nodes_.end(),
                                     [&](const Node& candidate) { return candidate.output.name == tensor.name; });
  if (producer == nodes_.end()) return refuse({fmt::format("no node yields \"{}\"", tensor.name), name, {}});
  producer->output.name = name;
  for (Node& user : nodes_) std::replace(user.inputs.begin(), user.inputs.end(), tensor.name, name);
  outputs_.push_back(std::move(renamed));
}

void Graph::refuse(Error error) {
  if (!failed()) status_ = tl::unexpected(std::move(error));
}

bool Graph::accept(const Tensor& tensor) {
  if (failed()) return false;
  std::uint64_t bytes = size_bytes(tensor.type);
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 1) {
      refuse({fmt::format("the shape would be [{}]", fmt::join(tensor.shape, ", ")), tensor.name,
              "choose a larger image or a smaller stride"});
      return false;
    }
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes) || bytes >> 62U != 0) {
      refuse({fmt::format("a tensor of [{}] is larger than any machine's memory", fmt::join(tensor.shape, ", ")),
              tensor.name, "choose smaller parameters or a smaller batch"});
      return false;
    }
  }
  if (names_.insert(tensor.name).second) return true;
  refuse({"the name is given twice", tensor.name, {}});
  return false;
}

}  // namespace ngb::zoo
