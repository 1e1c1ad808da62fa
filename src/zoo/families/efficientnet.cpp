// SPDX-License-Identifier: Apache-2.0
// EfficientNet as timm 1.0 builds it (timm.models.efficientnet._gen_efficientnet(channel_multiplier=width,
// depth_multiplier=depth)): Tan and Le, "EfficientNet: rethinking model scaling", 2019.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "zoo/families/inverted_residual.h"
#include "zoo/families/table.h"

namespace ngb::zoo::efficientnet {
namespace {

// Averages over the map are small; this gain spreads the logits by about 1.
constexpr double kHeadGain = 8;

struct Stage {
  int blocks;
  std::int64_t kernel;
  std::int64_t stride;     // of its first block
  std::int64_t expansion;  // 1: no expansion
  std::int64_t channels;
};

constexpr std::array<Stage, 7> kStages{{{1, 3, 1, 1, 16},
                                        {2, 3, 2, 6, 24},
                                        {2, 5, 2, 6, 40},
                                        {3, 3, 2, 6, 80},
                                        {3, 5, 1, 6, 112},
                                        {4, 5, 2, 6, 192},
                                        {1, 3, 1, 6, 320}}};

MobileBlock block_of(const Stage& stage, double width, std::int64_t channels_in, int index) {
  const auto expansion = static_cast<double>(stage.expansion);
  const std::int64_t expanded = stage.expansion == 1 ? 0 : round_channels(static_cast<double>(channels_in) * expansion);
  const auto inside = static_cast<double>(expanded == 0 ? channels_in : expanded);
  return {.channels = round_channels(static_cast<double>(stage.channels) * width),
          .kernel = stage.kernel,
          .stride = index == 0 ? stage.stride : 1,
          .expanded = expanded,
          // The squeeze has a quarter of the block's input channels, computed as timm does and rounded half to even.
          .squeeze = {.channels = static_cast<std::int64_t>(std::nearbyint(inside * (0.25 / expansion)))}};
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto width = parameters.at("width").get<double>();
  const auto depth = parameters.at("depth").get<double>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  x = conv_bn_act(graph, "conv_stem", "bn1", x,
                  {.channels = round_channels(32 * width), .kernel = 3, .stride = 2, .padding = 1, .gain = kInputGain},
                  Activation::silu);
  for (std::size_t i = 0; i < kStages.size() && !graph.failed(); ++i) {
    const int blocks = static_cast<int>(std::ceil(kStages[i].blocks * depth));
    for (int index = 0; index < blocks && !graph.failed(); ++index) {
      const MobileBlock block = block_of(kStages[i], width, x.shape[1], index);
      x = mobile_block(graph, fmt::format("blocks.{}.{}", i, index), x, block);
    }
  }
  x = conv_bn_act(graph, "conv_head", "bn2", x, {.channels = round_channels(1280 * width), .gain = 1},
                  Activation::silu);
  x = flatten(graph, "global_pool.flatten", global_average_pool(graph, "global_pool.pool", x));
  return classify(graph, "classifier", x, parameters, kHeadGain);
}

nlohmann::json scaled(double width, double depth) { return {{"width", width}, {"depth", depth}}; }

}  // namespace

Family family() {
  return {.name = "efficientnet",
          .meaning = "inverted residuals with squeeze and excitation, as timm builds EfficientNet",
          .parameters = {{"width", "float", 1.0, 0.1, 64, "multiplies the channels, which are rounded to eights", {}},
                         {"depth", "float", 1.0, 0.1, 64, "multiplies the blocks of each stage, rounded up", {}},
                         class_parameter(),
                         image_parameter(224, 32, 8192)},
          .variants = {{"efficientnet_b3", scaled(1.2, 1.4), 1},
                       {"efficientnet_b4", scaled(1.4, 1.8), 2},
                       {"efficientnet_b5", scaled(1.6, 2.2), 3}},
          .group = "EfficientNets",
          .style = "convolutional",
          .build = &build};
}

}  // namespace ngb::zoo::efficientnet
