// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin.h"

#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

TEST(AVersion, IsTheSameWhateverItsBuild) {
  EXPECT_TRUE(is_same_version("2.15.0+cpu", "2.15.0"));
  EXPECT_TRUE(is_same_version("2026.4.1-21000-abcdef", "2026.4.1"));
  EXPECT_FALSE(is_same_version("2.15.1", "2.15.0"));
}

TEST(AVersion, OfThreeNumbersIsTheSameAsALongerOneThatBeginsWithIt) {
  EXPECT_TRUE(is_same_version("0.27.0", "0.27.0.post1"));
  EXPECT_TRUE(is_same_version("10.6.0.26", "10.6.0"));
  EXPECT_FALSE(is_same_version("10.60.0", "10.6.0"));
  EXPECT_FALSE(is_same_version("10.6.01", "10.6.0"));
}

TEST(AVersion, OfTwoNumbersIsNotPreciseEnough) {
  EXPECT_FALSE(is_same_version("10.6", "10.6.0"));
  EXPECT_FALSE(is_same_version("10.6.0", "10.6"));
}

}  // namespace
}  // namespace ngb::worker
