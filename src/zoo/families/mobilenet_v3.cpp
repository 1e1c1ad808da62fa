// SPDX-License-Identifier: Apache-2.0
// MobileNetV3 as timm 1.0 builds it (timm.models.mobilenetv3._gen_mobilenet_v3(channel_multiplier=width)): Howard et
// al., "Searching for MobileNetV3", 2019.
#include <fmt/format.h>

#include <vector>

#include "zoo/families/inverted_residual.h"
#include "zoo/families/table.h"

namespace ngb::zoo::mobilenet_v3 {
namespace {

constexpr double kHeadGain = 2.8;         // hard-swish keeps 0.36 of the second moment
constexpr double kPooledGain = 8;         // averages over the map are small
constexpr double kFixedStemBelow = 0.75;  // a width below this leaves the stem's channels unchanged

struct Row {
  int blocks;
  std::int64_t kernel;
  std::int64_t stride;  // of the first block
  double expansion;     // 1: no expansion
  std::int64_t channels;
  bool squeeze;
  Activation activation;
};
using Stage = std::vector<Row>;

struct Size {
  std::vector<Stage> stages{};
  std::int64_t last_channels = 0;  // of the 1×1 convolution after the stages
  std::int64_t features = 0;       // before the classifier
};

Size large() {
  constexpr Activation kRelu = Activation::relu;
  constexpr Activation kSwish = Activation::hard_swish;
  return {.stages = {{{1, 3, 1, 1, 16, false, kRelu}},
                     {{1, 3, 2, 4, 24, false, kRelu}, {1, 3, 1, 3, 24, false, kRelu}},
                     {{3, 5, 2, 3, 40, true, kRelu}},
                     {{1, 3, 2, 6, 80, false, kSwish},
                      {1, 3, 1, 2.5, 80, false, kSwish},
                      {2, 3, 1, 2.3, 80, false, kSwish}},
                     {{2, 3, 1, 6, 112, true, kSwish}},
                     {{3, 5, 2, 6, 160, true, kSwish}}},
          .last_channels = 960,
          .features = 1280};
}

Size small() {
  constexpr Activation kRelu = Activation::relu;
  constexpr Activation kSwish = Activation::hard_swish;
  return {.stages = {{{1, 3, 2, 1, 16, true, kRelu}},
                     {{1, 3, 2, 4.5, 24, false, kRelu}, {1, 3, 1, 3.67, 24, false, kRelu}},
                     {{1, 5, 2, 4, 40, true, kSwish}, {2, 5, 1, 6, 40, true, kSwish}},
                     {{2, 5, 1, 3, 48, true, kSwish}},
                     {{3, 5, 2, 6, 96, true, kSwish}}},
          .last_channels = 576,
          .features = 1024};
}

MobileBlock block_of(const Row& row, double width, std::int64_t channels_in, int index) {
  const auto input = static_cast<double>(channels_in);
  const std::int64_t expanded = row.expansion == 1 ? 0 : round_channels(input * row.expansion);
  const auto inside = static_cast<double>(expanded == 0 ? channels_in : expanded);
  MobileBlock block{.channels = round_channels(static_cast<double>(row.channels) * width),
                    .kernel = row.kernel,
                    .stride = index == 0 ? row.stride : 1,
                    .expanded = expanded,
                    .activation = row.activation,
                    .squeeze = {.activation = Activation::relu, .gate = Activation::hard_sigmoid}};
  if (row.squeeze) block.squeeze.channels = round_channels(inside * 0.25);
  return block;
}

Tensor stage_of(Graph& graph, const std::string& name, const Tensor& x, const Stage& stage, double width) {
  Tensor y = x;
  int number = 0;
  for (const Row& row : stage) {
    for (int index = 0; index < row.blocks && !graph.failed(); ++index) {
      y = mobile_block(graph, fmt::format("{}.{}", name, number++), y, block_of(row, width, y.shape[1], index));
    }
  }
  return y;
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto width = parameters.at("width").get<double>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  const Size size = parameters.at("size") == "large" ? large() : small();
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  const std::int64_t stem = width < kFixedStemBelow ? 16 : round_channels(16 * width);
  x = conv_bn_act(graph, "conv_stem", "bn1", x,
                  {.channels = stem, .kernel = 3, .stride = 2, .padding = 1, .gain = kInputGain},
                  Activation::hard_swish);
  std::size_t number = 0;
  for (const Stage& stage : size.stages) x = stage_of(graph, fmt::format("blocks.{}", number++), x, stage, width);
  const std::string last = fmt::format("blocks.{}.0", number);
  x = conv_bn_act(graph, last + ".conv", last + ".bn1", x,
                  {.channels = round_channels(static_cast<double>(size.last_channels) * width), .gain = 1},
                  Activation::hard_swish);
  x = global_average_pool(graph, "global_pool.pool", x);
  x = conv2d(graph, "conv_head", x, {.channels = size.features, .bias = true, .gain = kPooledGain});
  x = flatten(graph, "flatten", activate(graph, "act2", x, Activation::hard_swish));
  return classify(graph, "classifier", x, parameters, kHeadGain);
}

}  // namespace

Family family() {
  return {.name = "mobilenet_v3",
          .meaning = "inverted residuals for small devices, as timm builds MobileNetV3",
          .parameters = {{.name = "size",
                          .type = "string",
                          .default_value = "large",
                          .meaning = "which of the paper's two networks",
                          .values = {"large", "small"}},
                         {"width", "float", 1.0, 0.1, 64, "multiplies the channels, which are rounded to eights", {}},
                         class_parameter(),
                         image_parameter(224, 32, 8192)},
          .variants = {{"mobilenetv3_large_100", {{"size", "large"}}, 2},
                       {"mobilenetv3_small_100", {{"size", "small"}}, 1}},
          .group = "MobileNets",
          .style = "convolutional",
          .build = &build};
}

}  // namespace ngb::zoo::mobilenet_v3
