// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/decoder_cache.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo {
namespace {

constexpr float kMasked = -1e9F;                        // added to a score; its exponential is 0
constexpr std::int64_t kNever = std::int64_t{1} << 40;  // a place that no token reaches
constexpr std::int64_t kAlongRows = 2;                  // the axis of a cache's rows

std::vector<std::int64_t> counted(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Tensor scalar_of(Graph& graph, const std::string& name, float value) {
  return graph.constant(name, {}, std::vector<float>{value});
}

// Returns whether no new token has to be kept from a column. Attention itself ignores rows that are not filled.
bool sees_all(const DecoderStep& step) {
  return step.tokens == 1 && (step.form == CacheForm::growing || step.form == CacheForm::scatter || step.rows == 0);
}

}  // namespace

DecoderCache::DecoderCache(Graph& graph, const DecoderStep& step, const Tensor& position, const Tensor& positions)
    : graph_(graph), step_(step), position_(position), positions_(positions), visible_(add_visible()) {
  if (step.form == CacheForm::scatter) {
    const Tensor tokens = graph.constant("cache/tokens", {1}, std::vector<std::int64_t>{step.tokens});
    filled_ = graph.node("Add", "cache/filled", {position, tokens}, {}, {step.batch});
    return;
  }
  if (!visible_.shape.empty()) {
    bias_ = graph.node("Where", "mask/bias",
                       {visible_, scalar_of(graph, "mask/seen", 0), scalar_of(graph, "mask/hidden", kMasked)}, {},
                       visible_.shape, DataType::f32);
  }
  if (step.form != CacheForm::fixed) return;
  const Shape one_sample{1, step.key_heads, step.tokens, step.head_width};
  const Shape shape{step.batch, step.key_heads, step.tokens, step.head_width};
  const std::size_t count = Tensor{{}, DataType::i64, one_sample}.element_count();
  const Tensor spread = graph.constant("cache/spread", one_sample, std::vector<std::int64_t>(count));
  places_ = graph.node("Add", "cache/places", {positions, spread}, {}, shape);
}

// Returns which columns each new token sees: those of earlier tokens and its own.
Tensor DecoderCache::add_visible() {
  if (graph_.failed() || sees_all(step_)) return {};
  const Tensor columns = step_.form == CacheForm::delta
                             ? columns_of_delta()
                             : graph_.constant("cache/columns", {1, 1, 1, step_.columns()}, counted(step_.columns()));
  return graph_.node("LessOrEqual", "mask/visible", {columns, positions_}, {},
                     {step_.batch, 1, step_.tokens, step_.columns()}, DataType::boolean);
}

// Returns the place of each column's token: first those of the cache's rows, then the new ones. A row that is not
// filled has a place behind all tokens, so that the mask leaves it out.
Tensor DecoderCache::columns_of_delta() {
  const Tensor fresh = reshape(graph_, "cache/fresh", positions_, {step_.batch, 1, 1, step_.tokens});
  if (step_.rows == 0) return fresh;
  const Shape shape{step_.batch, 1, 1, step_.rows};
  const Tensor rows = graph_.constant("cache/rows", {1, 1, 1, step_.rows}, counted(step_.rows));
  const Tensor context = reshape(graph_, "cache/context", position_, {step_.batch, 1, 1, 1});
  const Tensor is_filled = graph_.node("Less", "cache/is_filled", {rows, context}, {}, shape, DataType::boolean);
  const Tensor never = graph_.constant("cache/never", {}, std::vector<std::int64_t>{kNever});
  const Tensor places = graph_.node("Where", "cache/filled", {is_filled, rows, never}, {}, shape, DataType::i64);
  return concatenate(graph_, "cache/columns", {places, fresh}, 3);
}

Tensor DecoderCache::attend(const std::string& name, int layer, const Tensor& q, const Tensor& k, const Tensor& v) {
  if (graph_.failed()) return {};
  const std::string past = std::to_string(layer);
  const Tensor keys = extended(name, past + ".key", k);
  const Tensor values = extended(name, past + ".value", v);
  return step_.form == CacheForm::scatter ? fused(name, q, keys, values) : composed(name, q, keys, values);
}

// Returns all rows of a key or value, and keeps what the step returns of them.
Tensor DecoderCache::extended(const std::string& name, const std::string& part, const Tensor& rows) {
  if (graph_.failed()) return {};
  Tensor all = rows;
  if (step_.rows > 0) {
    const Shape shape{step_.batch, step_.key_heads, step_.rows, step_.head_width};
    const Tensor past = graph_.input("past_key_values." + part, DataType::f32, shape);
    if (step_.is_open) {
      graph_.leave_open(past.name, kAlongRows, "past");
      graph_.leave_open("present." + part, kAlongRows, "total");
    }
    const std::string node = fmt::format("{}/{}", name, part.substr(part.find('.') + 1));
    if (step_.form == CacheForm::scatter) {
      all = graph_.node("TensorScatter", node, {past, rows, position_}, {{"axis", kAlongRows}}, shape);
    } else if (step_.form == CacheForm::fixed) {
      all = graph_.node("ScatterElements", node, {past, places_, rows}, {{"axis", kAlongRows}}, shape);
    } else {
      all = concatenate(graph_, node, {past, rows}, kAlongRows);
    }
  }
  outputs_.emplace_back(step_.form == CacheForm::delta ? rows : all, "present." + part);
  return all;
}

Tensor DecoderCache::fused(const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v) {
  return attention_operator(graph_, name + "/attention", q, k, v, visible_, filled_);
}

Tensor DecoderCache::composed(const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v) {
  if (graph_.failed()) return {};
  const std::int64_t sharing = step_.heads / step_.key_heads;
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(step_.head_width)));
  Tensor x = graph_.node("Mul", name + "/q_scaled", {q, scalar_of(graph_, name + "/factor", factor)}, {}, q.shape);
  // The queries that share a key head lie side by side, so that no key is repeated.
  if (sharing > 1) {
    x = reshape(graph_, name + "/q_shared", x,
                {step_.batch, step_.key_heads, sharing * step_.tokens, step_.head_width});
  }
  const Tensor k_transposed = transpose(graph_, name + "/k_transposed", k, {0, 1, 3, 2});
  x = masked(name, matrix_product(graph_, name + "/scores", x, k_transposed));
  x = matrix_product(graph_, name + "/context", x, v);
  return sharing > 1 ? reshape(graph_, name + "/by_head", x, q.shape) : x;
}

// Returns the weights of the columns, which add up to 1 in each row.
Tensor DecoderCache::masked(const std::string& name, const Tensor& scores) {
  if (graph_.failed()) return {};
  if (bias_.shape.empty()) return softmax(graph_, name + "/softmax", scores);
  const std::int64_t sharing = step_.heads / step_.key_heads;
  if (sharing == 1 || step_.tokens == 1) {
    return softmax(graph_, name + "/softmax", add(graph_, name + "/biased", scores, bias_));
  }
  const Shape apart{step_.batch, step_.heads, step_.tokens, step_.columns()};
  const Tensor biased = add(graph_, name + "/biased", reshape(graph_, name + "/apart", scores, apart), bias_);
  return reshape(graph_, name + "/weights", softmax(graph_, name + "/softmax", biased), scores.shape);
}

void DecoderCache::add_outputs() {
  for (const auto& [tensor, name] : outputs_) graph_.output(tensor, name);
}

}  // namespace ngb::zoo
