// SPDX-License-Identifier: Apache-2.0
#include "zoo/weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/random.h"

namespace ngb::zoo {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX raw_data is little-endian");

constexpr std::size_t kBlock = 1024;  // values generated at a time; they fit the first-level cache

using Halves = std::array<std::int32_t, kBlock + 2>;
using Values = std::array<float, kBlock + 4>;

void draw(std::uint64_t key, std::uint64_t first_draw, std::size_t draws, Halves& halves) {
  for (std::size_t i = 0; i < draws; ++i) {
    const std::uint64_t bits = splitmix64(key, first_draw + i);
    std::memcpy(&halves[2 * i], &bits, sizeof bits);
  }
}

void to_values(const Halves& halves, std::size_t count, Fill fill, Values& values) {
  const float scale = fill.radius * 0x1p-23F;
  for (std::size_t i = 0; i < count; ++i) values[i] = fill.center + scale * static_cast<float>(halves[i] >> 8U);
}

void to_pairs(const Halves& halves, std::size_t count, Fill fill, Values& values) {
  const float scale = fill.radius * 0x1p-23F;
  for (std::size_t i = 0; i < count; ++i) {
    const float distance = scale * static_cast<float>(halves[i] >> 8U);
    values[2 * i] = fill.center + distance;
    values[2 * i + 1] = fill.center - distance;
  }
}

}  // namespace

std::uint64_t tensor_key(std::uint64_t seed, std::string_view tensor_name) {
  return splitmix64(splitmix64(seed, 0) ^ fnv1a64(tensor_name), 0);
}

Fill scaled_by_fan_in(double gain, std::int64_t fan_in) {
  Fill fill = scaled_unpaired(gain, fan_in);
  fill.balanced = true;
  return fill;
}

Fill scaled_unpaired(double gain, std::int64_t fan_in) {
  // A uniform value on [-r, r] has the standard deviation r / sqrt(3). IEEE 754 requires sqrt to be correctly rounded.
  return {.center = 0, .radius = static_cast<float>(std::sqrt(3 * gain / static_cast<double>(fan_in)))};
}

void generate(std::uint64_t key, Fill fill, std::uint64_t first, std::span<std::byte> bytes) {
  const std::size_t values_per_draw = fill.balanced ? 4 : 2;
  Halves halves{};
  Values values{};
  const std::size_t count = bytes.size() / sizeof(float);
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t index = first + done;
    const std::size_t skipped = index % values_per_draw;
    const std::size_t wanted = std::min(kBlock - skipped, count - done);
    const std::size_t draws = (skipped + wanted + values_per_draw - 1) / values_per_draw;
    draw(key, index / values_per_draw, draws, halves);
    if (fill.balanced) {
      to_pairs(halves, 2 * draws, fill, values);
    } else {
      to_values(halves, 2 * draws, fill, values);
    }
    std::memcpy(bytes.data() + done * sizeof(float), &values[skipped], wanted * sizeof(float));
    done += wanted;
  }
}

}  // namespace ngb::zoo
