// SPDX-License-Identifier: Apache-2.0
// Blocks of a decoder-only transformer over a whole sequence at once (no cache of keys and values): LayerNorm, causal
// self-attention, LayerNorm, MLP with GELU, each branch added to its input. Radford et al., "Language models are
// unsupervised multitask learners", 2019.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"

namespace ngb::zoo::decoder_block {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr double kBranchGain = 0.5;  // of the last projection of a branch
constexpr float kMasked = -1e9F;     // added to the score of a later token; its exponential is 0

// Returns the mask [sequence, sequence] with which a token attends to itself and to earlier ones.
std::vector<float> causal_mask(std::int64_t sequence) {
  std::vector<float> mask;
  for (std::int64_t row = 0; row < sequence; ++row) {
    for (std::int64_t column = 0; column < sequence; ++column) mask.push_back(column <= row ? 0 : kMasked);
  }
  return mask;
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto embed = parameters.at("embed").get<std::int64_t>();
  const auto heads = parameters.at("heads").get<std::int64_t>();
  const auto sequence = parameters.at("sequence").get<std::int64_t>();
  const int depth = parameters.at("depth").get<int>();
  const auto hidden = static_cast<std::int64_t>(static_cast<double>(embed) * parameters.at("mlp_ratio").get<double>());
  if (!can_have_heads(graph, "heads", embed, heads)) return graph.status();
  Tensor x = graph.input("input", DataType::f32, {batch, sequence, embed});
  const Tensor mask = graph.constant("causal/mask", {sequence, sequence}, causal_mask(sequence));
  for (int index = 0; index < depth && !graph.failed(); ++index) {
    const std::string name = fmt::format("blocks.{}", index);
    Tensor y = layer_norm(graph, name + ".norm1", x, kEpsilon);
    y = linear(graph, name + ".attn.qkv", y, {.features = 3 * embed, .gain = kAttentionGain});
    y = attention(graph, name + ".attn", y, heads, {mask});
    y = linear(graph, name + ".attn.proj", y, {.features = embed, .gain = kBranchGain});
    x = add(graph, name + "/add1", x, y);
    y = layer_norm(graph, name + ".norm2", x, kEpsilon);
    x = add(graph, name + "/add2", x, feed_forward(graph, name + ".mlp", y, hidden, kBranchGain));
  }
  graph.output(x, "output");
  return graph.status();
}

}  // namespace

Family family() {
  return {.name = "decoder_block",
          .meaning = "stacked blocks of a decoder-only transformer with causal attention",
          .parameters = {{"embed", "int", 256, 1, 65536, "features of a token", {}},
                         {"depth", "int", 1, 1, 1000, "number of blocks", {}},
                         {"heads", "int", 8, 1, 65536, "attention heads; they divide embed", {}},
                         {"mlp_ratio", "float", 4.0, 0.01, 64, "hidden features of the MLP, in embeds", {}},
                         {"sequence", "int", 128, 1, 4096, "tokens in a sample", {}}},
          .group = "decoder_block",
          .style = "transformer",
          .build = &build};
}

}  // namespace ngb::zoo::decoder_block
