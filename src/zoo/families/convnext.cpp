// SPDX-License-Identifier: Apache-2.0
// ConvNeXt as timm 1.0 builds it (timm.models.convnext.ConvNeXt(depths=depths, dims=channels)): Liu et al., "A ConvNet
// for the 2020s", 2022.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo::convnext {
namespace {

constexpr std::size_t kStages = 4;
constexpr float kEpsilon = 1e-6F;
constexpr float kLayerScale = 0.3F;
constexpr double kMlpGain = 2;

Tensor convnext_block(Graph& graph, const std::string& name, const Tensor& x) {
  if (graph.failed()) return {};
  const std::int64_t channels = x.shape[1];
  Tensor y = conv2d(graph, name + ".conv_dw", x,
                    {.channels = channels, .kernel = 7, .padding = 3, .groups = channels, .bias = true, .gain = 1});
  y = transpose(graph, name + "/channels_last", y, {0, 2, 3, 1});
  y = feed_forward(graph, name + ".mlp", layer_norm(graph, name + ".norm", y, kEpsilon), 4 * channels, kMlpGain);
  y = transpose(graph, name + "/channels_first", y, {0, 3, 1, 2});
  return add(graph, name + "/add", x, layer_scale2d(graph, name + ".gamma", y, kLayerScale));
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto depths = parameters.at("depths").get<std::vector<int>>();
  const auto channels = parameters.at("channels").get<std::vector<std::int64_t>>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();

  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  x = conv2d(graph, "stem.0", x, {.channels = channels[0], .kernel = 4, .stride = 4, .bias = true, .gain = kInputGain});
  x = layer_norm2d(graph, "stem.1", x, kEpsilon);
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const std::string name = fmt::format("stages.{}", stage);
    if (stage > 0) {
      x = layer_norm2d(graph, name + ".downsample.0", x, kEpsilon);
      x = conv2d(graph, name + ".downsample.1", x,
                 {.channels = channels[stage], .kernel = 2, .stride = 2, .bias = true, .gain = 1});
    }
    for (int index = 0; index < depths[stage]; ++index) {
      x = convnext_block(graph, fmt::format("{}.blocks.{}", name, index), x);
    }
  }
  // timm's head normalises after the pooling, when each channel is one number.
  x = flatten(graph, "head.flatten", global_average_pool(graph, "head.global_pool", x));
  x = layer_norm(graph, "head.norm", x, kEpsilon);
  return classify(graph, "head.fc", x, parameters, 1);
}

}  // namespace

Family family() {
  return {
      .name = "convnext",
      .meaning = "convolutional networks in the manner of transformers, as timm builds ConvNeXt",
      .parameters = {{"depths", "int_list", {3, 3, 9, 3}, 1, 1000, "blocks in each of the four stages", {}, kStages},
                     {"channels", "int_list", {96, 192, 384, 768}, 1, 65536, "channels of each stage", {}, kStages},
                     class_parameter(),
                     image_parameter(224, 32, 8192)},
      .variants = {{"convnext_tiny", {{"depths", {3, 3, 9, 3}}}, 1},
                   {"convnext_small", {{"depths", {3, 3, 27, 3}}}, 2},
                   {"convnext_base", {{"depths", {3, 3, 27, 3}}, {"channels", {128, 256, 512, 1024}}}, 3}},
      .group = "ConvNeXts",
      .style = "hybrid",
      .build = &build};
}

}  // namespace ngb::zoo::convnext
