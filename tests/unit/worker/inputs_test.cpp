// SPDX-License-Identifier: Apache-2.0
#include "worker/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "worker/element.h"

namespace ngb::worker {
namespace {

using testing::ElementsAre;

template <class T>
std::vector<T> filled(DataType type, std::uint64_t seed, std::string_view name, std::size_t count) {
  std::vector<T> values(count);
  fill(type, seed, name, values.data(), count);
  return values;
}

// Expected values from the header's formula in Python's integers.
TEST(Inputs, FloatsAreTheKnownOnes) {
  EXPECT_THAT(filled<float>(DataType::f32, 1, "input", 4),
              ElementsAre(-0.9579787254333496F, -0.6740870475769043F, 0.7278931140899658F, -0.5724442005157471F));
  EXPECT_THAT(filled<float>(DataType::f32, 2, "input", 2), ElementsAre(0.6911126375198364F, 0.009196639060974121F));
  EXPECT_THAT(filled<float>(DataType::f32, 1, "tokens", 2), ElementsAre(-0.4428154230117798F, 0.5062850713729858F));
}

TEST(Inputs, DoublesAreTheKnownOnes) {
  EXPECT_THAT(filled<double>(DataType::f64, 1, "input", 2), ElementsAre(-0.957978675047102, -0.6740869529174489));
}

TEST(Inputs, HalvesAreTheKnownOnes) {
  const auto halves = filled<std::uint16_t>(DataType::f16, 1, "input", 3);
  EXPECT_EQ(float_from_half(halves[0]), -0.9580078125F);
  EXPECT_EQ(float_from_half(halves[2]), 0.7275390625F);
  const auto bfloats = filled<std::uint16_t>(DataType::bf16, 1, "input", 3);
  EXPECT_EQ(float_from_bfloat(bfloats[0]), -0.9609375F);
  EXPECT_EQ(float_from_bfloat(bfloats[2]), 0.7265625F);
}

TEST(Inputs, IntegersAreZeroOrOne) {
  EXPECT_THAT(filled<std::int64_t>(DataType::i64, 1, "input", 8), ElementsAre(0, 0, 1, 0, 1, 0, 1, 0));
  EXPECT_THAT(filled<std::int32_t>(DataType::i32, 2, "input", 8), ElementsAre(1, 1, 1, 1, 1, 0, 0, 1));
  EXPECT_THAT(filled<std::uint8_t>(DataType::boolean, 1, "tokens", 8), ElementsAre(0, 1, 1, 1, 0, 1, 1, 0));
}

TEST(Inputs, AreNudgedByAPartIn131072UpOrDown) {
  auto inputs = Inputs::make({{"input", DataType::f32, {4}}, {"ids", DataType::i64, {2}}}, 1);
  ASSERT_TRUE(inputs);
  ASSERT_TRUE(inputs->nudge(1));
  const auto* const numbers = static_cast<const float*>(inputs->tensors()[0].data);
  const std::vector<float> before = filled<float>(DataType::f32, 1, "input", 4);
  // The signs are the top bits of which integers and booleans are made: 0, 0, 1, 0.
  EXPECT_EQ(numbers[0], before[0] * (1 - 0x1p-17F));
  EXPECT_EQ(numbers[2], before[2] * (1 + 0x1p-17F));
  EXPECT_NE(numbers[2], before[2]);
  const auto* const ids = static_cast<const std::int64_t*>(inputs->tensors()[1].data);
  EXPECT_THAT(filled<std::int64_t>(DataType::i64, 1, "ids", 2), ElementsAre(ids[0], ids[1]));

  auto whole = Inputs::make({{"ids", DataType::i64, {2}}}, 1);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->nudge(1));
}

TEST(Inputs, ValuesOfARangeAreTheKnownOnes) {
  std::int64_t ids[4];
  fill(DataType::i64, 1, "input", {0, 30521}, ids, 4);
  EXPECT_THAT(ids, ElementsAre(23598, 23844, 17596, 11103));
  std::int32_t negative[4];
  fill(DataType::i32, 1, "input", {-5, -1}, negative, 4);
  EXPECT_THAT(negative, ElementsAre(-4, -4, -1, -5));
  std::uint8_t ones[3];
  fill(DataType::boolean, 1, "input", {1, 1}, ones, 3);
  EXPECT_THAT(ones, ElementsAre(1, 1, 1));
  float real[2];
  fill(DataType::f32, 1, "input", {2, 4}, real, 2);
  EXPECT_THAT(real, ElementsAre(2.0420212745666504F, 2.3259129524230957F));
}

TEST(Inputs, FillTheirRangeEvenly) {
  const auto values = filled<float>(DataType::f32, 3, "x", 100'000);
  double sum = 0;
  for (const float value : values) {
    ASSERT_GE(value, -1.0F);
    ASSERT_LT(value, 1.0F);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 100'000, 0.0, 0.01);  // five standard errors of 1/sqrt(3 · 100,000)
}

TEST(Inputs, LieInAlignedBuffersWithTheirSignatures) {
  const auto inputs = Inputs::make({{"a", DataType::f32, {2, 3}}, {"b", DataType::u8, {}}}, 1);
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->tensors().size(), 2U);
  const ngb_tensor& a = inputs->tensors()[0];
  EXPECT_STREQ(a.name, "a");
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.shape[1], 3);
  EXPECT_EQ(a.size_bytes, 24U);
  EXPECT_EQ(inputs->tensors()[1].size_bytes, 1U);
  for (const ngb_tensor& tensor : inputs->tensors()) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data) % 64, 0U);
}

TEST(Inputs, OfAnImpossibleSizeAreAnError) {
  EXPECT_FALSE(Inputs::make({{"a", DataType::f32, {1LL << 40, 1LL << 40}}}, 1));
  EXPECT_FALSE(Inputs::make({{"a", DataType::f32, {-1}}}, 1));
}

TEST(Inputs, OfSizeZeroAreFine) {
  const auto inputs = Inputs::make({{"a", DataType::f32, {0, 3}}}, 1);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->tensors()[0].size_bytes, 0U);
}

}  // namespace
}  // namespace ngb::worker
