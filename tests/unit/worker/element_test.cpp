// SPDX-License-Identifier: Apache-2.0
#include "worker/element.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace ngb::worker {
namespace {

// Bit patterns from IEEE 754-2019, table 3.6, and numpy.float16.
TEST(Element, HalfPrecisionIsReadExactly) {
  EXPECT_EQ(float_from_half(0x3C00), 1.0F);
  EXPECT_EQ(float_from_half(0xC000), -2.0F);
  EXPECT_EQ(float_from_half(0x7BFF), 65504.0F);
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24F);
  EXPECT_EQ(float_from_half(0x0400), 0x1p-14F);
  EXPECT_EQ(float_from_half(0x3555), 0.333251953125F);
  EXPECT_EQ(float_from_half(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(float_from_half(0x7E00)));
  EXPECT_TRUE(std::signbit(float_from_half(0x8000)));
}

TEST(Element, HalfPrecisionIsWrittenToTheNearest) {
  EXPECT_EQ(half_from_float(1.0F), 0x3C00);
  EXPECT_EQ(half_from_float(1.0F / 3.0F), 0x3555);
  EXPECT_EQ(half_from_float(65519.0F), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(half_from_float(-0.0F), 0x8000);
  EXPECT_EQ(half_from_float(0x1p-25F), 0x0000);  // a tie, to even
  EXPECT_EQ(half_from_float(0x1.8p-24F), 0x0002);
  EXPECT_EQ(half_from_float(0x1.FFFp-1F), 0x3C00);  // a tie, to even, into the next exponent
}

TEST(Element, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_half(half);
    if (!std::isnan(value)) {
      ASSERT_EQ(half_from_float(value), half) << bits;
    }
  }
}

TEST(Element, BfloatIsTheUpperHalfOfAFloatRoundedToEven) {
  EXPECT_EQ(float_from_bfloat(0x3F80), 1.0F);
  EXPECT_EQ(bfloat_from_float(1.0F), 0x3F80);
  EXPECT_EQ(bfloat_from_float(std::bit_cast<float>(0x3F808000U)), 0x3F80);
  EXPECT_EQ(bfloat_from_float(std::bit_cast<float>(0x3F818000U)), 0x3F82);
  EXPECT_TRUE(std::isnan(float_from_bfloat(bfloat_from_float(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Element, IsReadFromAnyAlignment) {
  std::array<char, 9> bytes{};
  const std::int32_t value = -70000;
  std::memcpy(bytes.data() + 5, &value, sizeof value);
  const double read = with_reader(DataType::i32, bytes.data() + 1, [](auto&& at) { return at(1); });
  EXPECT_EQ(read, -70000.0);
}

}  // namespace
}  // namespace ngb::worker
