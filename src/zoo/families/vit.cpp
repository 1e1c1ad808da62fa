// SPDX-License-Identifier: Apache-2.0
// Vision transformers as timm 1.0 builds them (timm.models.vision_transformer.VisionTransformer): Dosovitskiy et al.,
// "An image is worth 16x16 words", 2020. With layer scale and no position for the class token they are DeiT III:
// Touvron et al., 2022.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo::vit {
namespace {

constexpr float kEpsilon = 1e-6F;
constexpr float kLayerScale = 0.3F;
// kMlpGain is the gain of a branch's last projection; GELU keeps about half of the second moment.
constexpr double kMlpGain = 2;
// kQuietGain keeps the branches small in models without layer scale.
constexpr double kQuietGain = 0.2;

struct Encoder {
  std::int64_t heads = 0;
  std::int64_t hidden = 0;
  bool layer_scale = false;
};

Tensor residual(Graph& graph, const std::string& name, const std::string& scale, const Tensor& x, const Tensor& branch,
                const Encoder& encoder) {
  const Tensor scaled = encoder.layer_scale ? layer_scale(graph, scale, branch, kLayerScale) : branch;
  return add(graph, name, x, scaled);
}

Tensor encoder_block(Graph& graph, const std::string& name, const Tensor& x, const Encoder& encoder) {
  if (graph.failed()) return {};
  const std::int64_t width = x.shape.back();
  Tensor y = layer_norm(graph, name + ".norm1", x, kEpsilon);
  y = linear(graph, name + ".attn.qkv", y, {.features = 3 * width, .gain = kAttentionGain});
  y = attention(graph, name + ".attn", y, encoder.heads, {});
  y = linear(graph, name + ".attn.proj", y, {.features = width, .gain = encoder.layer_scale ? 1 : kQuietGain});
  const Tensor attended = residual(graph, name + "/add1", name + ".ls1.gamma", x, y, encoder);
  y = layer_norm(graph, name + ".norm2", attended, kEpsilon);
  y = feed_forward(graph, name + ".mlp", y, encoder.hidden, encoder.layer_scale ? kMlpGain : kQuietGain);
  return residual(graph, name + "/add2", name + ".ls2.gamma", attended, y, encoder);
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  const auto patch = parameters.at("patch").get<std::int64_t>();
  const auto width = parameters.at("width").get<std::int64_t>();
  const bool class_position = parameters.at("class_position").get<bool>();
  const Encoder encoder{
      .heads = parameters.at("heads").get<std::int64_t>(),
      .hidden = static_cast<std::int64_t>(static_cast<double>(width) * parameters.at("mlp_ratio").get<double>()),
      .layer_scale = parameters.at("layer_scale").get<bool>()};
  if (image_size % patch != 0) {
    return fail(fmt::format("patches of {} do not divide an image of {}", patch, image_size), "patch");
  }
  if (!can_have_heads(graph, "heads", width, encoder.heads)) return graph.status();

  const std::int64_t patches = (image_size / patch) * (image_size / patch);
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  x = conv2d(graph, "patch_embed.proj", x,
             {.channels = width, .kernel = patch, .stride = patch, .bias = true, .gain = kInputGain});
  x = transpose(graph, "patch_embed/tokens", reshape(graph, "patch_embed/flat", x, {batch, width, patches}), {0, 2, 1});
  const Tensor class_token =
      repeat_for_batch(graph, "cls_token/of_batch", parameter(graph, "cls_token", {1, 1, width}, {.radius = 0.5F}), x);
  const Tensor position =
      parameter(graph, "pos_embed", {1, patches + (class_position ? 1 : 0), width}, {.radius = 0.5F});
  if (!class_position) x = add(graph, "pos_embed/add", x, position);
  x = concatenate(graph, "cls_token/before_patches", {class_token, x}, 1);
  if (class_position) x = add(graph, "pos_embed/add", x, position);
  const int depth = parameters.at("depth").get<int>();
  for (int index = 0; index < depth; ++index) x = encoder_block(graph, fmt::format("blocks.{}", index), x, encoder);
  x = select(graph, "fc_norm/class_token", layer_norm(graph, "norm", x, kEpsilon), 1, 0);
  return classify(graph, "head", x, parameters, 1);
}

nlohmann::json vit_of(int width, int heads) { return {{"width", width}, {"heads", heads}}; }

nlohmann::json deit3_of(int width, int heads) {
  return {{"width", width}, {"heads", heads}, {"layer_scale", true}, {"class_position", false}};
}

}  // namespace

Family family() {
  const std::string deit = "DeiTs";
  return {.name = "vit",
          .meaning = "vision transformers, as timm builds ViT and DeiT III",
          .parameters = {{"width", "int", 384, 1, 65536, "features of a token", {}},
                         {"depth", "int", 12, 1, 1000, "encoder blocks", {}},
                         {"heads", "int", 6, 1, 65536, "attention heads; they divide the width", {}},
                         {"mlp_ratio", "float", 4.0, 0.01, 64, "hidden features of the MLP, in widths", {}},
                         {"patch", "int", 16, 1, 8192, "height and width of a patch in pixels", {}},
                         {"layer_scale", "bool", false, 0, 1, "a learned factor for each feature of a branch", {}},
                         {"class_position", "bool", true, 0, 1, "whether the class token has a position", {}},
                         class_parameter(),
                         image_parameter(224, 1, 8192)},
          .variants = {{"vit_tiny_patch16_224", vit_of(192, 3), 1},
                       {"vit_small_patch16_224", vit_of(384, 6), 2},
                       {"vit_base_patch16_224", vit_of(768, 12), 3},
                       {"deit3_small_patch16_224", deit3_of(384, 6), 1, deit},
                       {"deit3_medium_patch16_224", deit3_of(512, 8), 2, deit},
                       {"deit3_base_patch16_224", deit3_of(768, 12), 3, deit}},
          .group = "ViTs",
          .style = "transformer",
          .build = &build};
}

}  // namespace ngb::zoo::vit
