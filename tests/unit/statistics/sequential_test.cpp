// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.h"

#include <gtest/gtest.h>

namespace ngb::statistics {
namespace {

TEST(Looks, OneLookTestsAtTheWholeErrorRate) {
  EXPECT_NEAR(nominal_error_rate(3), 0.05, 1e-12);
  EXPECT_NEAR(nominal_error_rate(3, 0.01), 0.01, 1e-12);
}

// Reference: 4 million normal paths of another program (numpy, scipy): 0.00912 for rounds 3 … 15, 0.0231, 0.0160 and
// 0.0120 for at most 5, 7 and 10 rounds.
TEST(Looks, ThirteenLooksTestAtAboutAFifthOfTheErrorRate) {
  EXPECT_NEAR(nominal_error_rate(15), 0.00912, 0.00912 * 0.01);
  EXPECT_NEAR(nominal_error_rate(5), 0.0231, 0.0231 * 0.02);
  EXPECT_NEAR(nominal_error_rate(7), 0.0160, 0.0160 * 0.02);
  EXPECT_NEAR(nominal_error_rate(10), 0.0120, 0.0120 * 0.02);
  EXPECT_NEAR(nominal_error_rate(15, 0.01), 0.00147, 0.00147 * 0.02);
  EXPECT_NEAR(nominal_error_rate(15, 0.001), 0.00012, 0.00012 * 0.05);
}

TEST(Looks, BelowTheSimulatedRatesEachLookGetsAnEqualShare) {
  EXPECT_NEAR(nominal_error_rate(15, 1e-5), 1e-5 / 13, 1e-15);
}

TEST(Looks, ThePOfAllLooksIsTheInverseOfTheNominalRate) {
  for (const double total : {0.1, 0.05, 0.03, 0.01, 0.001, 0.0001}) {
    EXPECT_NEAR(p_of_all_looks(nominal_error_rate(15, total), 15), total, total * 1e-9) << total;
  }
  EXPECT_DOUBLE_EQ(p_of_all_looks(1, 15), 1);
  EXPECT_NEAR(p_of_all_looks(1e-7, 15), 13e-7, 1e-15);
}

TEST(Looks, ThePOfAllLooksGrowsWithTheLeastP) {
  double before = 0;
  for (double p = 1e-9; p < 1; p *= 1.1) {
    const double now = p_of_all_looks(p, 15);
    EXPECT_GE(now, before) << p;
    EXPECT_LE(now, 1) << p;
    before = now;
  }
}

}  // namespace
}  // namespace ngb::statistics
