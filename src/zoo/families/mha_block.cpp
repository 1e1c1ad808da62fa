// SPDX-License-Identifier: Apache-2.0
// The paper's attention block, stacked: torch.nn.MultiheadAttention, addition of the input, LayerNorm, ReLU. The
// paper's Table V counts 4·embed² + 4·embed parameters per block, without LayerNorm's 2·embed.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"

namespace ngb::zoo::mha_block {
namespace {

constexpr float kEpsilon = 1e-5F;

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto embed = parameters.at("embed").get<std::int64_t>();
  const auto heads = parameters.at("heads").get<std::int64_t>();
  const auto sequence = parameters.at("sequence").get<std::int64_t>();
  const int depth = parameters.at("depth").get<int>();
  if (!can_have_heads(graph, "heads", embed, heads)) return graph.status();
  Tensor x = graph.input("input", DataType::f32, {batch, sequence, embed});
  for (int index = 0; index < depth && !graph.failed(); ++index) {
    const std::string name = fmt::format("blocks.{}", index);
    const std::string attn = name + ".attn";
    Tensor y =
        linear(graph, attn + ".in_proj", x, {.features = 3 * embed, .gain = kAttentionGain, .seen_by_torchinfo = false},
               attn + ".in_proj_weight", attn + ".in_proj_bias");
    y = attention(graph, attn, y, heads, {});
    y = linear(graph, attn + ".out_proj", y, {.features = embed, .gain = 1, .seen_by_torchinfo = false});
    y = layer_norm(graph, name + ".norm", add(graph, name + "/add", x, y), kEpsilon);
    x = relu(graph, name + ".act", y);
  }
  graph.output(x, "output");
  return graph.status();
}

}  // namespace

Family family() {
  return {.name = "mha_block",
          .meaning = "stacked multi-head attention, addition, LayerNorm, ReLU",
          .parameters = {{"embed", "int", 256, 1, 65536, "features of a token", {}},
                         {"depth", "int", 1, 1, 1000, "number of blocks", {}},
                         {"heads", "int", 8, 1, 65536, "attention heads; they divide embed", {}},
                         {"sequence", "int", 10, 1, 65536, "tokens in a sample", {}}},
          .group = "mha_block",
          .style = "transformer",
          .build = &build};
}

}  // namespace ngb::zoo::mha_block
