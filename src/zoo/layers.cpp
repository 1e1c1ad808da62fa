// SPDX-License-Identifier: Apache-2.0
#include "zoo/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "zoo/counting.h"
#include "zoo/shapes.h"

namespace ngb::zoo {
namespace {

// Returns the output extent (rounded down) of a window that slides over `extent`, or 0 if the window does not fit.
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

// Refuses the graph unless b's extents, counted from the last, are 1 or equal to a's.
void refuse_unless_fitting(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b,
                           std::string_view what) {
  if (graph.failed()) return;
  bool fits = b.shape.size() <= a.shape.size();
  for (std::size_t i = 1; fits && i <= b.shape.size(); ++i) {
    const std::int64_t extent = b.shape[b.shape.size() - i];
    fits = extent == 1 || extent == a.shape[a.shape.size() - i];
  }
  if (fits) return;
  graph.refuse(
      {fmt::format("[{}] and [{}] cannot be {}", fmt::join(a.shape, ", "), fmt::join(b.shape, ", "), what), name, {}});
}

// Appends the row to the layer table. Refuses the graph if a count exceeds 64 bits.
void record(Graph& graph, Layer row, std::optional<std::uint64_t> macs, std::optional<std::uint64_t> macs_torchinfo) {
  if (!macs || !macs_torchinfo) {
    graph.refuse({"has more than 2^64 multiply-accumulates", row.name, "choose smaller parameters"});
    return;
  }
  row.macs = *macs;
  row.macs_torchinfo = *macs_torchinfo;
  graph.layer(std::move(row));
}

// Multiplies x by a parameter of shape `factors`, whose values lie around `center`.
Tensor scaled(Graph& graph, const std::string& name, const Tensor& x, const Shape& factors, float center) {
  const Tensor scale = graph.initializer(name, factors, {.center = center, .radius = center / 4});
  Tensor y = graph.node("Mul", name + "/scale", {x, scale}, {}, x.shape);
  graph.layer({.name = name, .op_type = "Mul", .output_shape = x.shape, .parameters = scale.element_count()});
  return y;
}

// Adds a layer without parameters and MACs.
Tensor plain(Graph& graph, const std::string& op_type, const std::string& name, const std::vector<Tensor>& inputs,
             std::vector<Attribute> attributes, const Shape& shape) {
  Tensor y = graph.node(op_type, name, inputs, std::move(attributes), shape);
  graph.layer({.name = name, .op_type = op_type, .output_shape = shape});
  return y;
}

}  // namespace

Tensor parameter(Graph& graph, const std::string& name, const Shape& shape, Fill fill) {
  Tensor tensor = graph.initializer(name, shape, fill);
  graph.layer({.name = name, .op_type = "Parameter", .output_shape = shape, .parameters = tensor.element_count()});
  return tensor;
}

std::int64_t round_channels(double channels) {
  constexpr std::int64_t kDivisor = 8;
  const auto nearest = static_cast<std::int64_t>(channels + kDivisor / 2.0) / kDivisor * kDivisor;
  const std::int64_t rounded = std::max(kDivisor, nearest);
  return static_cast<double>(rounded) < 0.9 * channels ? rounded + kDivisor : rounded;
}

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

Tensor batch_norm2d(Graph& graph, const std::string& name, const Tensor& x, float scale, bool seen_by_torchinfo) {
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
         0, seen_by_torchinfo ? product({x.shape[0], 2 * channels}) : 0);
  return y;
}

Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options) {
  return linear(graph, name, x, options, name + ".weight", name + ".bias");
}

Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options, const std::string& weight,
              const std::string& bias) {
  if (graph.failed()) return {};
  const std::int64_t features_in = x.shape.back();
  const std::int64_t features_out = options.features;
  Shape shape = x.shape;
  shape.back() = features_out;
  const bool of_tokens = x.shape.size() > 2;
  const Shape weight_shape = of_tokens ? Shape{features_in, features_out} : Shape{features_out, features_in};
  const Fill fill =
      of_tokens ? scaled_unpaired(options.gain, features_in) : scaled_by_fan_in(options.gain, features_in);
  std::vector<Tensor> inputs{x, graph.initializer(weight, weight_shape, fill)};
  if (options.bias) inputs.push_back(graph.initializer(bias, {features_out}, {.radius = 0.1F}));
  Tensor y;
  if (!of_tokens) {
    y = graph.node("Gemm", name, inputs, {{"transB", std::int64_t{1}}}, shape);
  } else if (options.bias) {
    y = graph.node("MatMul", name + "/product", {x, inputs[1]}, {}, shape);
    y = graph.node("Add", name, {y, inputs[2]}, {}, shape);
  } else {
    y = graph.node("MatMul", name, inputs, {}, shape);
  }
  if (graph.failed()) return {};
  const std::int64_t parameters = features_out * (features_in + (options.bias ? 1 : 0));
  record(graph,
         {.name = name,
          .op_type = of_tokens ? "MatMul" : "Gemm",
          .output_shape = shape,
          .parameters = static_cast<std::uint64_t>(parameters)},
         product({static_cast<std::int64_t>(x.element_count()), features_out}),
         options.seen_by_torchinfo ? product({shape[0], parameters}) : 0);
  return y;
}

Tensor layer_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon) {
  if (graph.failed()) return {};
  const std::int64_t features = x.shape.back();
  const std::vector<Tensor> inputs{x, graph.initializer(name + ".weight", {features}, {.center = 1, .radius = 0.25F}),
                                   graph.initializer(name + ".bias", {features}, {.radius = 0.25F})};
  Tensor y =
      graph.node("LayerNormalization", name, inputs, {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}}, x.shape);
  record(graph,
         {.name = name,
          .op_type = "LayerNormalization",
          .output_shape = x.shape,
          .parameters = static_cast<std::uint64_t>(2 * features)},
         0, product({x.shape[0], 2 * features}));
  return y;
}

// opset 20 has no operator for it; these are the nodes that exporters write.
Tensor rms_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon) {
  if (graph.failed()) return {};
  const std::int64_t features = x.shape.back();
  Shape one = x.shape;
  one.back() = 1;
  const auto number = [&](const char* what, float value) {
    return graph.constant(name + what, {}, std::vector<float>{value});
  };
  const Tensor axes = graph.constant(name + "/axes", {1}, std::vector<std::int64_t>{-1});
  const Tensor square = graph.node("Pow", name + "/square", {x, number("/two", 2)}, {}, x.shape);
  const Tensor mean = graph.node("ReduceMean", name + "/mean", {square, axes}, {}, one);
  const Tensor sum = graph.node("Add", name + "/sum", {mean, number("/epsilon", epsilon)}, {}, one);
  const Tensor root = graph.node("Sqrt", name + "/root", {sum}, {}, one);
  const Tensor normal = graph.node("Div", name + "/normal", {x, root}, {}, x.shape);
  const Tensor weight = graph.initializer(name + ".weight", {features}, {.center = 1, .radius = 0.25F});
  Tensor y = graph.node("Mul", name, {normal, weight}, {}, x.shape);
  record(graph,
         {.name = name,
          .op_type = "RMSNormalization",
          .output_shape = x.shape,
          .parameters = static_cast<std::uint64_t>(features)},
         0, product({x.shape[0], features}));
  return y;
}

Tensor layer_norm2d(Graph& graph, const std::string& name, const Tensor& x, float epsilon) {
  if (!has_rank(graph, name, x, 4)) return {};
  const Tensor channels_last = transpose(graph, name + "/channels_last", x, {0, 2, 3, 1});
  return transpose(graph, name + "/channels_first", layer_norm(graph, name, channels_last, epsilon), {0, 3, 1, 2});
}

Tensor layer_scale(Graph& graph, const std::string& name, const Tensor& x, float center) {
  if (graph.failed()) return {};
  return scaled(graph, name, x, {x.shape.back()}, center);
}

Tensor layer_scale2d(Graph& graph, const std::string& name, const Tensor& x, float center) {
  if (!has_rank(graph, name, x, 4)) return {};
  return scaled(graph, name, x, {x.shape[1], 1, 1}, center);
}

Tensor activate(Graph& graph, const std::string& name, const Tensor& x, Activation kind) {
  switch (kind) {
    case Activation::relu:
      return plain(graph, "Relu", name, {x}, {}, x.shape);
    case Activation::sigmoid:
      return plain(graph, "Sigmoid", name, {x}, {}, x.shape);
    case Activation::silu: {
      const Tensor gate = graph.node("Sigmoid", name + "/gate", {x}, {}, x.shape);
      return plain(graph, "Mul", name, {x, gate}, {}, x.shape);
    }
    case Activation::hard_sigmoid:
      return plain(graph, "HardSigmoid", name, {x}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}}, x.shape);
    case Activation::hard_swish:
      return plain(graph, "HardSwish", name, {x}, {}, x.shape);
    case Activation::gelu:
      return plain(graph, "Gelu", name, {x}, {}, x.shape);
    case Activation::gelu_by_tanh:
      return plain(graph, "Gelu", name, {x}, {{"approximate", std::string("tanh")}}, x.shape);
  }
  return {};
}

Tensor relu(Graph& graph, const std::string& name, const Tensor& x) {
  return activate(graph, name, x, Activation::relu);
}

Tensor softmax(Graph& graph, const std::string& name, const Tensor& x) {
  return plain(graph, "Softmax", name, {x}, {{"axis", std::int64_t{-1}}}, x.shape);
}

Tensor add(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  refuse_unless_fitting(graph, name, a, b, "added");
  return plain(graph, "Add", name, {a, b}, {}, a.shape);
}

Tensor multiply(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  refuse_unless_fitting(graph, name, a, b, "multiplied");
  return plain(graph, "Mul", name, {a, b}, {}, a.shape);
}

Tensor matrix_product(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  if (graph.failed()) return {};
  Shape shape = a.shape;
  shape.back() = b.shape.back();
  Tensor y = graph.node("MatMul", name, {a, b}, {}, shape);
  record(graph, {.name = name, .op_type = "MatMul", .output_shape = shape},
         product({static_cast<std::int64_t>(a.element_count()), b.shape.back()}), 0);
  return y;
}

Tensor embedding(Graph& graph, const std::string& name, const Tensor& table, const Tensor& indices) {
  if (graph.failed()) return {};
  Shape shape = indices.shape;
  shape.push_back(table.shape[1]);
  Tensor y = graph.node("Gather", name, {table, indices}, {{"axis", std::int64_t{0}}}, shape);
  record(graph, {.name = name, .op_type = "Gather", .output_shape = shape, .parameters = table.element_count()}, 0,
         product({shape[0], static_cast<std::int64_t>(table.element_count())}));
  return y;
}

Tensor linear_by_table(Graph& graph, const std::string& name, const Tensor& x, const Tensor& table) {
  if (graph.failed()) return {};
  const std::int64_t features = x.shape.back();
  const std::int64_t tokens = x.shape[0] * x.shape[1];
  const Tensor flat = reshape(graph, name + "/flat", x, {tokens, features});
  Tensor y = graph.node("Gemm", name, {flat, table}, {{"transB", std::int64_t{1}}}, {tokens, table.shape[0]});
  y = reshape(graph, name + "/by_token", y, {x.shape[0], x.shape[1], table.shape[0]});
  record(graph, {.name = name, .op_type = "Gemm", .output_shape = y.shape}, product({tokens, features, table.shape[0]}),
         0);
  return y;
}

Tensor attention_operator(Graph& graph, const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& visible, const Tensor& filled) {
  if (graph.failed()) return {};
  const Tensor none;
  Tensor y = graph.node("Attention", name, {q, k, v, visible, none, none, filled}, {}, q.shape);
  record(graph, {.name = name, .op_type = "Attention", .output_shape = q.shape},
         product({2, static_cast<std::int64_t>(q.element_count()), k.shape[2]}), 0);
  return y;
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

Tensor mean(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& axes) {
  if (graph.failed()) return {};
  Shape shape;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
    if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) == axes.end()) {
      shape.push_back(x.shape[axis]);
    }
  }
  const auto count = static_cast<std::int64_t>(axes.size());
  return plain(graph, "ReduceMean", name, {x, graph.constant(name + "/axes", {count}, axes)},
               {{"keepdims", std::int64_t{0}}}, shape);
}

Tensor flatten(Graph& graph, const std::string& name, const Tensor& x) {
  if (graph.failed()) return {};
  const std::int64_t features = static_cast<std::int64_t>(x.element_count()) / x.shape[0];
  return plain(graph, "Flatten", name, {x}, {{"axis", std::int64_t{1}}}, {x.shape[0], features});
}

}  // namespace ngb::zoo
