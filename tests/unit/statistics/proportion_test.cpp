// SPDX-License-Identifier: Apache-2.0
#include "statistics/binomial_intervals.h"

#include <gtest/gtest.h>

namespace ngb::statistics {
namespace {

// By statsmodels 0.14: proportion_confint(count, nobs, method="wilson").
TEST(WilsonInterval, IsThatOfAnIndependentLibrary) {
  EXPECT_NEAR(wilson_interval(9, 10).low, 0.5958499732047615, 1e-12);
  EXPECT_NEAR(wilson_interval(9, 10).high, 0.9821237869049271, 1e-12);
}

// At 64 of 64: low = 1 / (1 + z² / 64) with z = 1.959964, which is 0.94337.
TEST(WilsonInterval, HasAWidthWhereAllCasesAreAlike) {
  EXPECT_NEAR(wilson_interval(64, 64).low, 0.94337, 1e-5);
  EXPECT_EQ(wilson_interval(64, 64).high, 1);
  EXPECT_EQ(wilson_interval(0, 64).low, 0);
  EXPECT_NEAR(wilson_interval(0, 64).high, 1 - 0.94337, 1e-5);
}

}  // namespace
}  // namespace ngb::statistics
