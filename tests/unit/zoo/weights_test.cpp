// SPDX-License-Identifier: Apache-2.0
#include "zoo/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace ngb::zoo {
namespace {

std::vector<float> values(std::uint64_t key, Fill fill, std::uint64_t first, std::size_t count) {
  std::vector<float> result(count);
  generate(key, fill, first, std::as_writable_bytes(std::span(result)));
  return result;
}

constexpr Fill kPlain{.center = 0.5F, .radius = 2};
constexpr Fill kBalanced{.radius = 2, .balanced = true};

// The first draw for 1234567 is 0x599ED017FB08FC85: lower half 0xFB08FC85 (top 24 bits -325380), upper half 0x599ED017
// (top 24 bits 5873360), over 2^23.
TEST(Weights, UseTheLowerHalfOfADrawFirstAndItsTop24Bits) {
  ASSERT_EQ(splitmix64(1234567, 0), 0x599ED017FB08FC85ULL);
  const std::vector<float> unit = values(1234567, {.radius = 1}, 0, 2);
  EXPECT_EQ(unit[0], -325380.0F / 8388608.0F);
  EXPECT_EQ(unit[1], 5873360.0F / 8388608.0F);
}

TEST(Weights, AreTheSameWhereverARangeBegins) {
  for (const Fill fill : {kPlain, kBalanced}) {
    const std::vector<float> all = values(7, fill, 0, 5000);
    for (const std::size_t first : {1U, 2U, 3U, 4U, 1021U, 1024U, 2047U, 4999U}) {
      const std::vector<float> part = values(7, fill, first, all.size() - first);
      EXPECT_EQ(part, std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(first), all.end())) << first;
    }
  }
}

TEST(Weights, CanBeWrittenToAnyAddress) {
  const std::vector<float> expected = values(7, kPlain, 0, 100);
  std::vector<std::byte> bytes(401);
  generate(7, kPlain, 0, std::span(bytes).subspan(1));
  EXPECT_EQ(std::memcmp(bytes.data() + 1, expected.data(), 400), 0);
}

TEST(Weights, AreUniformAroundTheirCenter) {
  const std::vector<float> many = values(11, kPlain, 0, 1000000);
  const double mean = std::accumulate(many.begin(), many.end(), 0.0) / 1e6;
  double squares = 0;
  for (const float value : many) {
    ASSERT_GE(value, -1.5F);
    ASSERT_LT(value, 2.5F);
    squares += std::pow(static_cast<double>(value) - mean, 2);
  }
  EXPECT_NEAR(mean, 0.5, 0.005);  // standard error 0.00115
  EXPECT_NEAR(std::sqrt(squares / 1e6), 2 / std::sqrt(3), 0.005);
}

TEST(Weights, OfABalancedTensorCancelInPairs) {
  const std::vector<float> many = values(11, kBalanced, 0, 10000);
  for (std::size_t i = 0; i < many.size(); i += 2) ASSERT_EQ(many[i], -many[i + 1]);
  EXPECT_NE(many[0], many[2]);
}

TEST(Weights, HaveTheVarianceGainOverFanIn) {
  const Fill fill = scaled_by_fan_in(2, 576);
  double squares = 0;
  for (const float value : values(3, fill, 0, 100000)) squares += std::pow(static_cast<double>(value), 2);
  EXPECT_NEAR(squares / 1e5, 2.0 / 576, 0.01 * 2.0 / 576);
}

TEST(Weights, OfRadiusZeroAreTheCenter) { EXPECT_EQ(values(1, {.center = 1.5F}, 0, 3), std::vector<float>(3, 1.5F)); }

TEST(TensorKey, DependsOnSeedAndOnName) {
  EXPECT_NE(tensor_key(1, "fc.weight"), tensor_key(2, "fc.weight"));
  EXPECT_NE(tensor_key(1, "fc.weight"), tensor_key(1, "fc.bias"));
  EXPECT_EQ(tensor_key(1, "fc.weight"), tensor_key(1, "fc.weight"));
}

}  // namespace
}  // namespace ngb::zoo
