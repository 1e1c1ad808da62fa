// SPDX-License-Identifier: Apache-2.0
// The paper's convolution block, stacked: convolution with bias (stride 1, padded to keep the size), BatchNorm, ReLU.
// With 3x3 kernels a block of `width` channels has 9·width² + 3·width parameters, which paper/table5_blocks.csv counts.
// An image has 3 channels. With `stem`, one convolution with bias maps them to `width` before the first block, so that
// all `depth` blocks are the paper's. Without it, the first block does so and is smaller than the others.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/layers.h"

namespace ngb::zoo::conv_block {
namespace {

constexpr double kStemGain = 1;  // after the stem, which has no ReLU that would halve the second moment

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto width = parameters.at("width").get<std::int64_t>();
  const auto kernel_size = parameters.at("kernel_size").get<std::int64_t>();
  const auto depth = parameters.at("depth").get<int>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  const bool has_stem = parameters.at("stem").get<bool>();
  if (kernel_size % 2 == 0) {
    return fail(fmt::format("a kernel of {0}x{0} does not keep the image's size; choose an odd number", kernel_size),
                "kernel_size");
  }
  Conv2d options{
      .channels = width, .kernel = kernel_size, .padding = kernel_size / 2, .bias = true, .gain = kInputGain};
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  if (has_stem) {
    x = conv2d(graph, "stem", x, options);
    options.gain = kStemGain;
  }
  for (int index = 0; index < depth; ++index) {
    const std::string name = fmt::format("blocks.{}.", index);
    x = conv2d(graph, name + "conv", x, options);
    x = relu(graph, name + "act", batch_norm2d(graph, name + "bn", x));
    options.gain = 2;
  }
  graph.output(x, "output");
  return graph.status();
}

}  // namespace

Family family() {
  return {.name = "conv_block",
          .meaning = "stacked convolution with bias, BatchNorm, ReLU",
          .parameters = {{"width", "int", 64, 1, 65536, "channels of every block", {}},
                         {"depth", "int", 1, 1, 1000, "number of blocks; the stem is none of them", {}},
                         {"kernel_size", "int", 3, 1, 255, "height and width of the convolutions' kernels; odd", {}},
                         {"stem",
                          "bool",
                          true,
                          0,
                          0,
                          "whether a convolution of the image's 3 channels comes before the first block, which then "
                          "has the paper's size; without it the first block maps 3 channels to the width itself",
                          {}},
                         image_parameter(244, 1, 8192)},
          .group = "conv_block",
          .style = "convolutional",
          .build = &build};
}

}  // namespace ngb::zoo::conv_block
