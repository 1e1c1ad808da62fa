// SPDX-License-Identifier: Apache-2.0
// Builds the blocks of EfficientNet and MobileNetV3 as timm 1.0 does (timm.models._efficientnet_blocks).
#pragma once

#include <cstdint>
#include <string>

#include "zoo/graph.h"
#include "zoo/layers.h"

namespace ngb::zoo {

// Squeeze and excitation: Hu et al., "Squeeze-and-excitation networks", 2017.
struct Squeeze {
  std::int64_t channels = 0;  // between its two convolutions; 0: none
  Activation activation = Activation::silu;
  Activation gate = Activation::sigmoid;
};

struct MobileBlock {
  std::int64_t channels = 0;  // of the output
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t expanded = 0;  // channels inside; 0: no expansion (a depthwise-separable block)
  Activation activation = Activation::silu;
  Squeeze squeeze{};
};

// Adds a convolution, a BatchNorm and the activation.
Tensor conv_bn_act(Graph& graph, const std::string& conv, const std::string& bn, const Tensor& x, const Conv2d& options,
                   Activation activation);

// Adds the block, with a shortcut if input and output have the same shape.
Tensor mobile_block(Graph& graph, const std::string& name, const Tensor& x, const MobileBlock& block);

}  // namespace ngb::zoo
