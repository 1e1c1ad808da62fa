// SPDX-License-Identifier: Apache-2.0
#include "zoo/weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace ngb::zoo {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX raw_data is little-endian");

constexpr std::size_t kBlock = 512;  // values made at a time, in the first-level cache

}  // namespace

std::uint64_t tensor_key(std::uint64_t seed, std::string_view tensor_name) {
  std::uint64_t name_hash = 0xCBF29CE484222325ULL;
  for (const char letter : tensor_name) {
    name_hash = (name_hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3ULL;
  }
  return splitmix64(splitmix64(seed, 0) ^ name_hash, 0);
}

Fill scaled_by_fan_in(double gain, std::int64_t fan_in) {
  // A uniform value on [-r, r] has the standard deviation r / sqrt(3). sqrt is correctly rounded everywhere.
  return {.center = 0, .radius = static_cast<float>(std::sqrt(3 * gain / static_cast<double>(fan_in)))};
}

void generate(std::uint64_t key, Fill fill, std::uint64_t first, std::span<std::byte> bytes) {
  const float scale = fill.radius * 0x1p-23F;
  std::array<std::int32_t, kBlock + 2> draws{};
  std::array<float, kBlock + 2> values{};
  std::uint64_t index = first;
  std::size_t done = 0;
  const std::size_t count = bytes.size() / sizeof(float);
  while (done < count) {
    const std::size_t wanted = std::min(kBlock, count - done);
    const std::size_t skipped = index % 2;
    const std::size_t pairs = (skipped + wanted + 1) / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::uint64_t draw = splitmix64(key, index / 2 + i);
      std::memcpy(&draws[2 * i], &draw, sizeof draw);
    }
    for (std::size_t i = 0; i < 2 * pairs; ++i) {
      const float unit = static_cast<float>(draws[i] >> 8U);
      values[i] = fill.center + scale * unit;
    }
    std::memcpy(bytes.data() + done * sizeof(float), &values[skipped], wanted * sizeof(float));
    done += wanted;
    index += wanted;
  }
}

}  // namespace ngb::zoo
