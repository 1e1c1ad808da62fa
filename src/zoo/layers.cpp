// SPDX-License-Identifier: Apache-2.0
#include "zoo/layers.h"

#include <fmt/format.h>

#include <utility>

#include "zoo/counting.h"

namespace ngb::zoo {
namespace {

// Output extent of a window that slides over `extent` (rounded down); 0 when the window does not fit.
std::int64_t slide(std::int64_t extent, const Window& window) {
  const std::int64_t room = extent + 2 * window.padding - window.kernel;
  return room < 0 ? 0 : room / window.stride + 1;
}

std::vector<std::int64_t> twice(std::int64_t value) { return {value, value}; }
std::vector<std::int64_t> four_times(std::int64_t value) { return {value, value, value, value}; }

bool has_rank(Graph& graph, const std::string& name, const Tensor& x, std::size_t rank) {
  if (graph.failed()) return false;
  if (x.shape.size() == rank) return true;
  graph.refuse({fmt::format("needs an input of {} dimensions, not {}", rank, x.shape.size()), name, {}});
  return false;
}

// Records the row; a count that does not fit 64 bits is refused.
void record(Graph& graph, Layer row, std::optional<std::uint64_t> macs, std::optional<std::uint64_t> macs_torchinfo) {
  if (!macs || !macs_torchinfo) {
    graph.refuse({"has more than 2^64 multiply-accumulates", row.name, "choose smaller parameters"});
    return;
  }
  row.macs = *macs;
  row.macs_torchinfo = *macs_torchinfo;
  graph.layer(std::move(row));
}

// A layer without parameters and MACs.
Tensor plain(Graph& graph, const std::string& op_type, const std::string& name, const std::vector<Tensor>& inputs,
             std::vector<Attribute> attributes, const Shape& shape) {
  Tensor y = graph.node(op_type, name, inputs, std::move(attributes), shape);
  graph.layer({.name = name, .op_type = op_type, .output_shape = shape});
  return y;
}

}  // namespace

Tensor conv2d(Graph& graph, const std::string& name, const Tensor& x, const Conv2d& options) {
  if (!has_rank(graph, name, x, 4)) return {};
  const std::int64_t channels_in = x.shape[1];
  if (channels_in % options.groups != 0 || options.channels % options.groups != 0) {
    graph.refuse(
        {fmt::format("{} groups do not divide {} and {} channels", options.groups, channels_in, options.channels),
         name,
         {}});
    return {};
  }
  const std::int64_t area = options.kernel * options.kernel;
  const std::int64_t fan_in = channels_in / options.groups * area;
  const Window window{options.kernel, options.stride, options.padding};
  const Shape shape{x.shape[0], options.channels, slide(x.shape[2], window), slide(x.shape[3], window)};
  std::vector<Tensor> inputs{x};
  inputs.push_back(graph.initializer(name + ".weight",
                                     {options.channels, channels_in / options.groups, options.kernel, options.kernel},
                                     scaled_by_fan_in(options.gain, fan_in)));
  if (options.bias) inputs.push_back(graph.initializer(name + ".bias", {options.channels}, {.radius = 0.1F}));
  Tensor y = graph.node("Conv", name, inputs,
                        {{"dilations", twice(1)},
                         {"group", options.groups},
                         {"kernel_shape", twice(options.kernel)},
                         {"pads", four_times(options.padding)},
                         {"strides", twice(options.stride)}},
                        shape);
  if (graph.failed()) return {};
  const std::int64_t parameters = options.channels * (fan_in + (options.bias ? 1 : 0));
  record(graph,
         {.name = name, .op_type = "Conv", .output_shape = shape, .parameters = static_cast<std::uint64_t>(parameters)},
         product({shape[0], shape[1], shape[2], shape[3], fan_in}),
         product({shape[0], shape[2], shape[3], parameters}));
  return y;
}

Tensor batch_norm2d(Graph& graph, const std::string& name, const Tensor& x, float scale) {
  if (!has_rank(graph, name, x, 4)) return {};
  const std::int64_t channels = x.shape[1];
  const std::vector<Tensor> inputs{
      x, graph.initializer(name + ".weight", {channels}, {.center = scale, .radius = 0.25F * scale}),
      graph.initializer(name + ".bias", {channels}, {.radius = 0.25F * scale}),
      graph.initializer(name + ".running_mean", {channels}, {.radius = 0.25F}),
      graph.initializer(name + ".running_var", {channels}, {.center = 1, .radius = 0.25F})};
  Tensor y = graph.node("BatchNormalization", name, inputs, {{"epsilon", 1e-5F}, {"momentum", 0.9F}}, x.shape);
  record(graph,
         {.name = name,
          .op_type = "BatchNormalization",
          .output_shape = x.shape,
          .parameters = static_cast<std::uint64_t>(2 * channels)},
         0, product({x.shape[0], 2 * channels}));
  return y;
}

Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options) {
  if (!has_rank(graph, name, x, 2)) return {};
  const std::int64_t features_in = x.shape[1];
  const std::int64_t features_out = options.features;
  const Shape shape{x.shape[0], features_out};
  const std::vector<Tensor> inputs{
      x, graph.initializer(name + ".weight", {features_out, features_in}, scaled_by_fan_in(options.gain, features_in)),
      graph.initializer(name + ".bias", {features_out}, {.radius = 0.1F})};
  Tensor y = graph.node("Gemm", name, inputs, {{"transB", std::int64_t{1}}}, shape);
  if (graph.failed()) return {};
  const std::int64_t parameters = features_out * (features_in + 1);
  record(graph,
         {.name = name, .op_type = "Gemm", .output_shape = shape, .parameters = static_cast<std::uint64_t>(parameters)},
         product({shape[0], features_in, features_out}), product({shape[0], parameters}));
  return y;
}

Tensor relu(Graph& graph, const std::string& name, const Tensor& x) {
  return plain(graph, "Relu", name, {x}, {}, x.shape);
}

Tensor add(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  if (!graph.failed() && a.shape != b.shape) {
    graph.refuse(
        {fmt::format("[{}] and [{}] cannot be added", fmt::join(a.shape, ", "), fmt::join(b.shape, ", ")), name, {}});
  }
  return plain(graph, "Add", name, {a, b}, {}, a.shape);
}

Tensor max_pool2d(Graph& graph, const std::string& name, const Tensor& x, const Window& window) {
  if (!has_rank(graph, name, x, 4)) return {};
  return plain(
      graph, "MaxPool", name, {x},
      {{"kernel_shape", twice(window.kernel)}, {"pads", four_times(window.padding)}, {"strides", twice(window.stride)}},
      {x.shape[0], x.shape[1], slide(x.shape[2], window), slide(x.shape[3], window)});
}

Tensor global_average_pool(Graph& graph, const std::string& name, const Tensor& x) {
  if (!has_rank(graph, name, x, 4)) return {};
  return plain(graph, "GlobalAveragePool", name, {x}, {}, {x.shape[0], x.shape[1], 1, 1});
}

Tensor flatten(Graph& graph, const std::string& name, const Tensor& x) {
  if (graph.failed()) return {};
  const std::int64_t features = static_cast<std::int64_t>(x.element_count()) / x.shape[0];
  return plain(graph, "Flatten", name, {x}, {{"axis", std::int64_t{1}}}, {x.shape[0], features});
}

}  // namespace ngb::zoo
