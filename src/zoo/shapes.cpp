// SPDX-License-Identifier: Apache-2.0
#include "zoo/shapes.h"

#include <fmt/format.h>

#include <utility>

namespace ngb::zoo {
namespace {

Tensor one_number(Graph& graph, const std::string& name, std::int64_t value) {
  return graph.constant(name, {1}, std::vector<std::int64_t>{value});
}

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

}  // namespace

Tensor reshape(Graph& graph, const std::string& name, const Tensor& x, const Shape& shape) {
  if (graph.failed()) return {};
  if (x.element_count() != Tensor{{}, x.type, shape}.element_count()) {
    graph.refuse({fmt::format("[{}] cannot become [{}]", fmt::join(x.shape, ", "), fmt::join(shape, ", ")), name, {}});
    return {};
  }
  Shape target = shape;
  if (graph.has_dynamic_batch()) target.front() = -1;
  const auto rank = static_cast<std::int64_t>(target.size());
  return graph.node("Reshape", name, {x, graph.constant(name + "/shape", {rank}, std::move(target))}, {}, shape);
}

Tensor transpose(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& order) {
  if (graph.failed()) return {};
  Shape shape;
  for (const std::int64_t axis : order) shape.push_back(x.shape[at(axis)]);
  return graph.node("Transpose", name, {x}, {{"perm", order}}, shape);
}

Tensor slice(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t first,
             std::int64_t last) {
  if (graph.failed()) return {};
  Shape shape = x.shape;
  shape[at(axis)] = last - first;
  return graph.node("Slice", name,
                    {x, one_number(graph, name + "/first", first), one_number(graph, name + "/last", last),
                     one_number(graph, name + "/axis", axis)},
                    {}, shape);
}

Tensor concatenate(Graph& graph, const std::string& name, const std::vector<Tensor>& parts, std::int64_t axis) {
  if (graph.failed()) return {};
  Shape shape = parts.front().shape;
  shape[at(axis)] = 0;
  for (const Tensor& part : parts) shape[at(axis)] += part.shape[at(axis)];
  return graph.node("Concat", name, parts, {{"axis", axis}}, shape);
}

std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const std::vector<std::string>& parts) {
  if (graph.failed()) return std::vector<Tensor>(parts.size());
  Shape shape = x.shape;
  shape.back() /= static_cast<std::int64_t>(parts.size());
  return graph.node("Split", name, {x},
                    {{"axis", std::int64_t{-1}}, {"num_outputs", static_cast<std::int64_t>(parts.size())}}, parts,
                    shape);
}

Tensor pad_end(Graph& graph, const std::string& name, const Tensor& x, const Shape& added) {
  if (graph.failed()) return {};
  Shape shape = x.shape;
  std::vector<std::int64_t> pads(2 * shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] += added[axis];
    pads[shape.size() + axis] = added[axis];
  }
  const auto count = static_cast<std::int64_t>(pads.size());
  return graph.node("Pad", name, {x, graph.constant(name + "/pads", {count}, std::move(pads))}, {}, shape);
}

Tensor roll(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t shift) {
  if (graph.failed()) return {};
  const std::int64_t extent = x.shape[at(axis)];
  const std::int64_t seam = ((-shift) % extent + extent) % extent;  // the index of the element that becomes the first
  const Tensor tail = slice(graph, name + "/tail", x, axis, seam, extent);
  const Tensor head = slice(graph, name + "/head", x, axis, 0, seam);
  return concatenate(graph, name, {tail, head}, axis);
}

Tensor select(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t index) {
  if (graph.failed()) return {};
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  const Tensor which = graph.constant(name + "/index", {}, std::vector<std::int64_t>{index});
  return graph.node("Gather", name, {x, which}, {{"axis", axis}}, shape);
}

Tensor look_up(Graph& graph, const std::string& name, const Tensor& table, const Shape& shape,
               std::vector<std::int64_t> indices) {
  if (graph.failed()) return {};
  Shape result = shape;
  result.push_back(table.shape[1]);
  return graph.node("Gather", name, {table, graph.constant(name + "/indices", shape, std::move(indices))},
                    {{"axis", std::int64_t{0}}}, result);
}

Tensor repeat_for_batch(Graph& graph, const std::string& name, const Tensor& row, const Tensor& x) {
  if (graph.failed()) return {};
  if (!graph.has_dynamic_batch() && x.shape[0] == 1) return row;
  Shape shape = row.shape;
  shape[0] = x.shape[0];
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (!graph.has_dynamic_batch()) {
    return graph.node("Expand", name, {row, graph.constant(name + "/shape", {rank}, shape)}, {}, shape);
  }
  const Tensor batch = graph.node("Shape", name + "/batch", {x}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}},
                                  {1}, DataType::i64);
  const Tensor rest = graph.constant(name + "/rest", {rank - 1}, Shape(shape.begin() + 1, shape.end()));
  const Tensor target = graph.node("Concat", name + "/shape", {batch, rest}, {{"axis", std::int64_t{0}}}, {rank});
  return graph.node("Expand", name, {row, target}, {}, shape);
}

}  // namespace ngb::zoo
