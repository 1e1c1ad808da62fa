// SPDX-License-Identifier: Apache-2.0
#include "zoo/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ngb::zoo {

Tensor Graph::input(std::string name, DataType type, Shape shape, std::optional<ValueRange> range) {
  Tensor tensor{std::move(name), type, std::move(shape)};
  if (!accept(tensor)) return {};
  if (range) ranges_.emplace_back(tensor.name, *range);
  return inputs_.emplace_back(std::move(tensor));
}

Tensor Graph::initializer(std::string name, Shape shape, Fill fill) {
  Tensor tensor{std::move(name), DataType::f32, std::move(shape)};
  if (!accept(tensor)) return {};
  return initializers_.emplace_back(Initializer{std::move(tensor), fill}).tensor;
}

Tensor Graph::constant(std::string name, Shape shape, std::vector<std::int64_t> values) {
  const std::size_t count = values.size();
  return add_constant({std::move(name), DataType::i64, std::move(shape)}, std::move(values), count);
}

Tensor Graph::constant(std::string name, Shape shape, std::vector<float> values) {
  const std::size_t count = values.size();
  return add_constant({std::move(name), DataType::f32, std::move(shape)}, std::move(values), count);
}

Tensor Graph::add_constant(Tensor tensor, Content content, std::size_t count) {
  if (!accept(tensor)) return {};
  if (tensor.element_count() != count || tensor.name.find('/') == std::string::npos) {
    refuse({fmt::format("{} values for [{}], or a name without a slash", count, fmt::join(tensor.shape, ", ")),
            tensor.name,
            {}});
    return {};
  }
  return initializers_.emplace_back(Initializer{std::move(tensor), std::move(content)}).tensor;
}

Tensor Graph::node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
                   std::vector<Attribute> attributes, const Shape& output_shape, std::optional<DataType> type) {
  Tensor tensor{name, type.value_or(inputs.front().type), output_shape};
  if (!accept(tensor)) return {};
  Node added{std::move(name), std::move(op_type), {}, std::move(attributes), {tensor}};
  for (const Tensor& input : inputs) added.inputs.push_back(input.name);
  nodes_.push_back(std::move(added));
  return tensor;
}

std::vector<Tensor> Graph::node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
                                std::vector<Attribute> attributes, const std::vector<std::string>& parts,
                                const Shape& part_shape) {
  std::vector<Tensor> outputs;
  for (const std::string& part : parts) {
    Tensor& output = outputs.emplace_back(Tensor{fmt::format("{}/{}", name, part), inputs.front().type, part_shape});
    if (!accept(output)) output = {};
  }
  if (failed()) return outputs;
  Node added{std::move(name), std::move(op_type), {}, std::move(attributes), outputs};
  for (const Tensor& input : inputs) added.inputs.push_back(input.name);
  nodes_.push_back(std::move(added));
  return outputs;
}

void Graph::layer(Layer row) {
  if (!failed()) layers_.push_back(std::move(row));
}

void Graph::leave_open(const std::string& tensor, std::size_t axis, std::string extent) {
  open_extents_[tensor] = {axis, std::move(extent)};
}

void Graph::output(const Tensor& tensor, const std::string& name) {
  Tensor renamed{name, tensor.type, tensor.shape};
  if (!accept(renamed)) return;
  const auto has_name = [&](const Tensor& output) { return output.name == tensor.name; };
  for (Node& producer : nodes_) {
    const auto found = std::find_if(producer.outputs.begin(), producer.outputs.end(), has_name);
    if (found == producer.outputs.end()) continue;
    found->name = name;
    for (Node& user : nodes_) std::replace(user.inputs.begin(), user.inputs.end(), tensor.name, name);
    outputs_.push_back(std::move(renamed));
    return;
  }
  refuse({fmt::format("no node yields \"{}\"", tensor.name), name, {}});
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
