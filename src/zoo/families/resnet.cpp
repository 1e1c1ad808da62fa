// SPDX-License-Identifier: Apache-2.0
// ResNet as timm 1.0 builds it: He et al., "Deep residual learning for image recognition", 2015, with the stride in the
// bottleneck's 3×3 convolution (v1.5). timm.models.resnet.ResNet(block, depths, channels=channels,
// num_classes=classes).
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/layers.h"

namespace ngb::zoo::resnet {
namespace {

constexpr std::size_t kStages = 4;
constexpr std::int64_t kStemChannels = 64;
// The last BatchNorm of a residual branch has this scale, so that activations neither grow nor vanish with depth.
constexpr float kBranchScale = 0.2F;
// Averages over the map are small; this gain spreads the logits by about 1.
constexpr double kHeadGain = 24;

struct Block {
  std::string name{};
  bool bottleneck = false;
  std::int64_t channels = 0;  // inside; a bottleneck has four times as many at its output
  std::int64_t stride = 1;
};

std::int64_t output_channels(const Block& block) { return block.channels * (block.bottleneck ? 4 : 1); }

Tensor shortcut(Graph& graph, const Block& block, const Tensor& x) {
  if (graph.failed() || (block.stride == 1 && x.shape[1] == output_channels(block))) return x;
  const std::string name = block.name + ".downsample.";
  const Tensor y = conv2d(graph, name + "0", x, {.channels = output_channels(block), .stride = block.stride});
  return batch_norm2d(graph, name + "1", y);
}

Tensor basic_branch(Graph& graph, const Block& block, const Tensor& x) {
  const std::string& name = block.name;
  Tensor y = conv2d(graph, name + ".conv1", x,
                    {.channels = block.channels, .kernel = 3, .stride = block.stride, .padding = 1});
  y = relu(graph, name + ".act1", batch_norm2d(graph, name + ".bn1", y));
  y = conv2d(graph, name + ".conv2", y, {.channels = block.channels, .kernel = 3, .padding = 1});
  return batch_norm2d(graph, name + ".bn2", y, kBranchScale);
}

Tensor bottleneck_branch(Graph& graph, const Block& block, const Tensor& x) {
  const std::string& name = block.name;
  Tensor y = conv2d(graph, name + ".conv1", x, {.channels = block.channels});
  y = relu(graph, name + ".act1", batch_norm2d(graph, name + ".bn1", y));
  y = conv2d(graph, name + ".conv2", y,
             {.channels = block.channels, .kernel = 3, .stride = block.stride, .padding = 1});
  y = relu(graph, name + ".act2", batch_norm2d(graph, name + ".bn2", y));
  y = conv2d(graph, name + ".conv3", y, {.channels = output_channels(block)});
  return batch_norm2d(graph, name + ".bn3", y, kBranchScale);
}

Tensor residual_block(Graph& graph, const Block& block, const Tensor& x) {
  const Tensor branch = block.bottleneck ? bottleneck_branch(graph, block, x) : basic_branch(graph, block, x);
  const Tensor sum = add(graph, block.name + ".add", branch, shortcut(graph, block, x));
  return relu(graph, block.name + (block.bottleneck ? ".act3" : ".act2"), sum);
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto depths = parameters.at("depths").get<std::vector<int>>();
  const auto width = parameters.at("width").get<double>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  const bool bottleneck = parameters.at("block") == "bottleneck";

  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  x = conv2d(graph, "conv1", x,
             {.channels = kStemChannels, .kernel = 7, .stride = 2, .padding = 3, .gain = kInputGain});
  x = relu(graph, "act1", batch_norm2d(graph, "bn1", x));
  x = max_pool2d(graph, "maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const std::int64_t channels = round_channels(static_cast<double>(kStemChannels << stage) * width);
    for (int index = 0; index < depths[stage]; ++index) {
      x = residual_block(graph,
                         {.name = fmt::format("layer{}.{}", stage + 1, index),
                          .bottleneck = bottleneck,
                          .channels = channels,
                          .stride = stage > 0 && index == 0 ? 2 : 1},
                         x);
    }
  }
  x = flatten(graph, "global_pool.flatten", global_average_pool(graph, "global_pool.pool", x));
  return classify(graph, "fc", x, parameters, kHeadGain);
}

}  // namespace

Family family() {
  const nlohmann::json bottleneck = "bottleneck";
  return {.name = "resnet",
          .meaning = "residual networks, as timm builds them",
          .parameters =
              {{.name = "block",
                .type = "string",
                .default_value = "basic",
                .meaning = "residual block: two 3x3 convolutions, or 1x1, 3x3, 1x1 with four times the "
                           "channels behind",
                .values = {"basic", "bottleneck"}},
               {"depths", "int_list", {2, 2, 2, 2}, 1, 1000, "blocks in each of the four stages", {}, kStages},
               {"width",
                "float",
                1.0,
                0.1,
                64,
                "multiplies the channels inside the blocks (64, 128, 256, 512), which are rounded to eights; the stem "
                "keeps its 64",
                {}},
               class_parameter(),
               image_parameter(224, 32, 8192)},
          .variants = {{"resnet18", {{"block", "basic"}, {"depths", {2, 2, 2, 2}}}, 1},
                       {"resnet50", {{"block", bottleneck}, {"depths", {3, 4, 6, 3}}}, 2},
                       {"resnet101", {{"block", bottleneck}, {"depths", {3, 4, 23, 3}}}, 3}},
          .group = "ResNets",
          .style = "convolutional",
          .build = &build};
}

}  // namespace ngb::zoo::resnet
