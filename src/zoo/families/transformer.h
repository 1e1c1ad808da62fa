// SPDX-License-Identifier: Apache-2.0
// What the transformer families share. Tokens are [batch, tokens, features].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// Gain of the projection to queries, keys and values: scores spread by about 2, so that a token attends to some others
// and not to all alike, and outputs keep depending on the input.
inline constexpr double kAttentionGain = 2;

// Refuses heads that do not divide the width.
bool can_have_heads(Graph& graph, const std::string& name, std::int64_t width, std::int64_t heads);

// softmax(q kᵀ / √d + what `biased` adds) v, for each head. qkv: [batch, tokens, 3 × width] → [batch, tokens, width].
// `biases` are added to the scores [batch, heads, tokens, tokens] one after the other.
Tensor attention(Graph& graph, const std::string& name, const Tensor& qkv, std::int64_t heads,
                 const std::vector<Tensor>& biases);

// fc1, GELU, fc2. `gain` is fc2's.
Tensor feed_forward(Graph& graph, const std::string& name, const Tensor& x, std::int64_t hidden, double gain);

}  // namespace ngb::zoo
