// SPDX-License-Identifier: Apache-2.0
// The paper's convolution block, stacked: 3×3 convolution with bias (stride 1, padding 1), BatchNorm, ReLU. The first
// block maps the image's 3 channels to `width`; every further one keeps the width and has 9·width² + 3·width
// parameters, which paper/table5_blocks.csv counts.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/layers.h"

namespace ngb::zoo::conv_block {
namespace {

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto width = parameters.at("width").get<std::int64_t>();
  const auto depth = parameters.at("depth").get<int>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  for (int index = 0; index < depth; ++index) {
    const std::string name = fmt::format("blocks.{}.", index);
    const Conv2d options{
        .channels = width, .kernel = 3, .padding = 1, .bias = true, .gain = index == 0 ? kInputGain : 2};
    x = conv2d(graph, name + "conv", x, options);
    x = relu(graph, name + "act", batch_norm2d(graph, name + "bn", x));
  }
  graph.output(x, "output");
  return graph.status();
}

}  // namespace

Family family() {
  return {.name = "conv_block",
          .meaning = "stacked 3x3 convolution with bias, BatchNorm, ReLU",
          .parameters = {{"width", "int", 64, 1, 65536, "channels of every block", {}},
                         {"depth", "int", 1, 1, 1000, "number of blocks", {}},
                         {"image_size", "int", 244, 1, 8192, "height and width of the input in pixels", {}}},
          .variants = {},
          .build = &build};
}

}  // namespace ngb::zoo::conv_block
