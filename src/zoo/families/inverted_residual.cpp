// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/inverted_residual.h"

namespace ngb::zoo {
namespace {

// The gain undoes that SiLU and hard-swish keep 0.36 of the second moment of an input with variance 1.
constexpr double kActivatedGain = 2.8;
// A gate halves the values that it multiplies.
constexpr double kGatedGain = 4 * kActivatedGain;
// kBranchScale is the scale of a block's last BatchNorm if a shortcut is added.
constexpr float kBranchScale = 0.2F;

Tensor squeeze_excite(Graph& graph, const std::string& name, const Tensor& x, const Squeeze& squeeze) {
  if (graph.failed()) return {};
  Tensor y = global_average_pool(graph, name + ".pool", x);
  y = conv2d(graph, name + ".conv_reduce", y, {.channels = squeeze.channels, .bias = true});
  y = activate(graph, name + ".act1", y, squeeze.activation);
  y = conv2d(graph, name + ".conv_expand", y, {.channels = x.shape[1], .bias = true});
  return multiply(graph, name + ".mul", x, activate(graph, name + ".gate", y, squeeze.gate));
}

}  // namespace

Tensor conv_bn_act(Graph& graph, const std::string& conv, const std::string& bn, const Tensor& x, const Conv2d& options,
                   Activation activation) {
  return activate(graph, bn + ".act", batch_norm2d(graph, bn, conv2d(graph, conv, x, options), 1, false), activation);
}

Tensor mobile_block(Graph& graph, const std::string& name, const Tensor& x, const MobileBlock& block) {
  if (graph.failed()) return {};
  const bool expands = block.expanded != 0;
  const std::int64_t inside = expands ? block.expanded : x.shape[1];
  Tensor y = x;
  if (expands) {
    y = conv_bn_act(graph, name + ".conv_pw", name + ".bn1", y, {.channels = inside, .gain = 1}, block.activation);
  }
  const Conv2d depthwise{.channels = inside,
                         .kernel = block.kernel,
                         .stride = block.stride,
                         .padding = (block.kernel - 1) / 2,
                         .groups = inside,
                         .gain = kActivatedGain};
  y = conv_bn_act(graph, name + ".conv_dw", name + (expands ? ".bn2" : ".bn1"), y, depthwise, block.activation);
  if (block.squeeze.channels != 0) y = squeeze_excite(graph, name + ".se", y, block.squeeze);
  const double gain = block.squeeze.channels != 0 ? kGatedGain : kActivatedGain;
  y = conv2d(graph, name + (expands ? ".conv_pwl" : ".conv_pw"), y, {.channels = block.channels, .gain = gain});
  const bool has_shortcut = !graph.failed() && y.shape == x.shape;
  y = batch_norm2d(graph, name + (expands ? ".bn3" : ".bn2"), y, has_shortcut ? kBranchScale : 1, false);
  return has_shortcut ? add(graph, name + "/add", y, x) : y;
}

}  // namespace ngb::zoo
