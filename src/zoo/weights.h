// SPDX-License-Identifier: Apache-2.0
// Generates tensor values, each a pure function of (seed, tensor name, position): any thread can make any range of any
// tensor in any order, and every machine makes the same bits. Integers become floats exactly, then one multiplication
// and one addition follow, each rounded once (IEEE 754). The room is compiled without contraction to fused
// multiply-add, and no function of libm is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ngb::zoo {

// Returns the key of a tensor's stream: the name's FNV-1a hash, mixed with the seed by SplitMix64.
std::uint64_t tensor_key(std::uint64_t seed, std::string_view tensor_name);

// Fill describes values center + radius × u, with u uniform on the multiples of 2^-23 in [-1, 1). With radius 0 all are
// `center`. If balanced, values come in pairs center ± radius × u, so that a filter sums to zero. Activations after a
// ReLU have a positive mean whatever the input; a filter that sums to zero removes that mean, so that outputs depend on
// inputs even after a hundred layers.
struct Fill {
  float center = 0;
  float radius = 0;
  bool balanced = false;
};

// Returns a balanced Fill around 0 with the standard deviation sqrt(gain / fan_in). Gain 2 keeps the second moment
// through a convolution and a ReLU (He et al., "Delving deep into rectifiers", 2015).
Fill scaled_by_fan_in(double gain, std::int64_t fan_in);
// Returns the same without pairs, for weights whose rows are not filters.
Fill scaled_unpaired(double gain, std::int64_t fan_in);

// Writes the values `first`, `first`+1, … as little-endian f32. `bytes` may have any alignment; its size is a multiple
// of 4. Each half of a draw, the lower half first, gives one value or one balanced pair, from its top 24 bits.
void generate(std::uint64_t key, Fill fill, std::uint64_t first, std::span<std::byte> bytes);

}  // namespace ngb::zoo
