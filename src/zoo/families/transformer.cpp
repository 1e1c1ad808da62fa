// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo {
namespace {

// Maps [batch, tokens, width] to [batch, heads, tokens, width of a head].
Tensor by_head(Graph& graph, const std::string& name, const Tensor& x, std::int64_t heads) {
  if (graph.failed()) return {};
  const Shape shape{x.shape[0], x.shape[1], heads, x.shape[2] / heads};
  return transpose(graph, name + "/by_head", reshape(graph, name + "/heads", x, shape), {0, 2, 1, 3});
}

// Multiplies the scores. It adds no row to the layer table, because it belongs to the attention.
Tensor scaled_query(Graph& graph, const std::string& name, const Tensor& x, const Tensor& factor) {
  return graph.node("Mul", name, {x, factor}, {}, x.shape);
}

// Adds to the scores. A mask of shifted windows has shape [windows, 1, tokens, tokens], while the scores' first extent
// holds samples and windows together.
Tensor add_to_scores(Graph& graph, const std::string& name, const Tensor& scores, const Tensor& bias) {
  if (graph.failed()) return {};
  const bool by_window = bias.shape.size() == 4 && bias.shape[0] > 1;
  if (!by_window || (bias.shape[0] == scores.shape[0] && !graph.has_dynamic_batch())) {
    return add(graph, name, scores, bias);
  }
  Shape windows = scores.shape;
  windows[0] = bias.shape[0];
  windows.insert(windows.begin(), scores.shape[0] / bias.shape[0]);
  const Tensor y = add(graph, name, reshape(graph, name + "/windows", scores, windows), bias);
  return reshape(graph, name + "/scores", y, scores.shape);
}

}  // namespace

bool can_have_heads(Graph& graph, const std::string& name, std::int64_t width, std::int64_t heads) {
  if (graph.failed()) return false;
  if (width % heads == 0) return true;
  graph.refuse({fmt::format("{} heads do not divide the width {}", heads, width), name,
                fmt::format("choose a width that is a multiple of {}", heads)});
  return false;
}

Tensor attention(Graph& graph, const std::string& name, const Tensor& qkv, std::int64_t heads,
                 const std::vector<Tensor>& biases) {
  if (graph.failed()) return {};
  const std::vector<Tensor> parts = split(graph, name + "/qkv", qkv, {"q", "k", "v"});
  const Tensor& part = parts[0];
  if (graph.failed()) return {};
  const std::int64_t head_width = part.shape[2] / heads;
  const Tensor factor = graph.constant(
      name + "/factor", {}, std::vector<float>{static_cast<float>(1 / std::sqrt(static_cast<double>(head_width)))});
  const Tensor q = scaled_query(graph, name + "/q_scaled", by_head(graph, name + "/q", parts[0], heads), factor);
  const Tensor k = by_head(graph, name + "/k", parts[1], heads);
  const Tensor v = by_head(graph, name + "/v", parts[2], heads);
  // The transpose is a node of its own, as in the module; compilers fold it into the product.
  const Tensor k_transposed = transpose(graph, name + "/k_transposed", k, {0, 1, 3, 2});
  Tensor scores = matrix_product(graph, name + "/scores", q, k_transposed);
  for (std::size_t i = 0; i < biases.size(); ++i) {
    scores = add_to_scores(graph, fmt::format("{}/biased_{}", name, i), scores, biases[i]);
  }
  const Tensor context = matrix_product(graph, name + "/context", softmax(graph, name + "/softmax", scores), v);
  return reshape(graph, name + "/joined", transpose(graph, name + "/by_token", context, {0, 2, 1, 3}), part.shape);
}

Tensor feed_forward(Graph& graph, const std::string& name, const Tensor& x, std::int64_t hidden, double gain) {
  if (graph.failed()) return {};
  Tensor y = linear(graph, name + ".fc1", x, {.features = hidden, .gain = 1});
  y = activate(graph, name + ".act", y, Activation::gelu);
  return linear(graph, name + ".fc2", y, {.features = x.shape.back(), .gain = gain});
}

}  // namespace ngb::zoo
