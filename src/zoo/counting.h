// SPDX-License-Identifier: Apache-2.0
// Counts parameters and multiply-accumulates (MACs).
//
// `macs` is exact: a convolution does output positions × output channels × (input channels / groups) × kernel area, a
// matrix product [m, k] × [k, n] does m × k × n, each times the batch. Element-wise operators, normalisation, pooling
// and additions of a bias count nothing.
//
// `macs_torchinfo` is what torchinfo 1.8.0 prints as "Total mult-adds" (LayerInfo.calculate_macs, summed over modules
// without modules inside): for each parameter called "weight" or "bias", its number of elements times
//   - output batch × output positions, if the module's class name contains "Conv";
//   - output batch, for every other module (Linear, LayerNorm, …): a Linear over many tokens counts once.
// torchinfo counts nothing for parameters of a module that contains modules (timm's BatchNormAct2d in EfficientNet and
// MobileNetV3, the attention of Swin, all of torch's MultiheadAttention), for parameters with other names (a layer
// scale, a position embedding) and for functions without a module (attention's matrix products). The paper's Table IV
// follows this convention.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// Returns the product, or nothing if it exceeds 64 bits.
std::optional<std::uint64_t> product(std::initializer_list<std::int64_t> factors);

struct Counts {
  std::uint64_t parameters = 0;
  std::uint64_t macs = 0;
  std::uint64_t macs_torchinfo = 0;
};

// Returns the sums over all rows. Fails if a sum exceeds 64 bits.
Result<Counts> total(const std::vector<Layer>& layers);

}  // namespace ngb::zoo
