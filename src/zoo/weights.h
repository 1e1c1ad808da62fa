// SPDX-License-Identifier: Apache-2.0
// Deterministic tensor values, each a pure function of (seed, tensor name, position): any range of any tensor can be
// made on any thread in any order, and every machine makes the same bits. Integers become floats exactly, then one
// multiplication and one addition follow, each rounded once (IEEE 754); the room is compiled without contraction to
// fused multiply-add, and nothing here calls libm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ngb::zoo {

// Output `index` (0 …) of SplitMix64 seeded with `key`, without those before it. Source: Steele, Lea, Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014; Vigna's splitmix64.c.
constexpr std::uint64_t splitmix64(std::uint64_t key, std::uint64_t index) {
  std::uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

// The stream of one tensor: the name's FNV-1a hash, mixed with the seed by SplitMix64.
std::uint64_t tensor_key(std::uint64_t seed, std::string_view tensor_name);

// Value = center + radius × u, with u uniform on the multiples of 2^-23 in [-1, 1). radius 0: the constant `center`.
// balanced: values come in pairs center ± radius × u, so that a filter sums to zero. Activations behind a ReLU have a
// positive mean whatever the input; filters that sum to zero do not carry it on, and outputs keep depending on inputs
// through a hundred layers.
struct Fill {
  float center = 0;
  float radius = 0;
  bool balanced = false;
};

// Balanced, around 0, with the standard deviation sqrt(gain / fan_in). gain 2 keeps the second moment through a
// convolution and a ReLU (He et al., "Delving deep into rectifiers", 2015).
Fill scaled_by_fan_in(double gain, std::int64_t fan_in);
// The same without pairs: for weights whose rows are not filters.
Fill scaled_unpaired(double gain, std::int64_t fan_in);

// Writes values `first`, `first`+1, … as little-endian f32; `bytes` need not be aligned, its size is a multiple of 4.
// Each half of a draw, the lower first, gives one value, or one pair of balanced values; its top 24 bits count.
void generate(std::uint64_t key, Fill fill, std::uint64_t first, std::span<std::byte> bytes);

}  // namespace ngb::zoo
