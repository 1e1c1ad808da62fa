// SPDX-License-Identifier: Apache-2.0
// Declares the parts that all transformer families use. Tokens are [batch, tokens, features].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// kAttentionGain is the gain of the projection to queries, keys and values. It spreads the scores by about 2, so that
// tokens differ in what they attend to and outputs still depend on the input.
inline constexpr double kAttentionGain = 2;

// Returns whether the heads divide the width; if not, the graph is refused.
bool can_have_heads(Graph& graph, const std::string& name, std::int64_t width, std::int64_t heads);

// Computes softmax(q kᵀ / √d + biases) v for each head, with qkv [batch, tokens, 3 × width] and the result [batch,
// tokens, width]. Each of the `biases` is added to the scores [batch, heads, tokens, tokens].
Tensor attention(Graph& graph, const std::string& name, const Tensor& qkv, std::int64_t heads,
                 const std::vector<Tensor>& biases);

// Adds fc1, GELU and fc2, whose gain is `gain`.
Tensor feed_forward(Graph& graph, const std::string& name, const Tensor& x, std::int64_t hidden, double gain);

}  // namespace ngb::zoo
