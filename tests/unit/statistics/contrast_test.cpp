// SPDX-License-Identifier: Apache-2.0
// Expected values: scipy 1.17.1 (ttest_rel, ttest_ind(equal_var=False), ttest_1samp) on logarithms; a slope's estimate
// comes from linregress, its standard error and degrees of freedom from Satterthwaite's formula.
#include "statistics/contrast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ngb::statistics {
namespace {

const std::vector<double> kA{100.0, 104.0, 98.0, 101.0, 97.0};
const std::vector<double> kB{110.0, 113.0, 109.0, 108.0, 111.0};

std::vector<double> logs(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

std::vector<double> log_ratios(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> result;
  for (std::size_t i = 0; i < above.size(); ++i) result.push_back(std::log(above[i] / below[i]));
  return result;
}

// ratio, low, high
void expect_ratio(const Contrast& found, double ratio, double low, double high) {
  ASSERT_TRUE(found.interval);
  EXPECT_NEAR(std::exp(found.estimate), ratio, 1e-9);
  EXPECT_NEAR(std::exp(found.interval->low), low, 1e-9);
  EXPECT_NEAR(std::exp(found.interval->high), high, 1e-9);
}

TEST(Contrast, OfOnePartOfLogRatiosIsThePairedTInterval) {
  const Contrast found = contrast({{Part{log_ratios(kB, kA)}}});
  expect_ratio(found, 1.102194824895, 1.067745197778, 1.137755931427);
  EXPECT_DOUBLE_EQ(found.degrees.value(), 4);
}

TEST(Contrast, OfTwoIndependentPartsIsWelchs) {
  const Contrast found = contrast({{Part{logs(kB)}, Part{logs(kA), -1}}});
  expect_ratio(found, 1.102194824895, 1.064911334170, 1.140783643712);
  EXPECT_NEAR(found.degrees.value(), 6.796151368930, 1e-9);
}

TEST(Contrast, OfPartsOfUnequalCountsIsWelchs) {
  const Contrast found = contrast({{Part{logs({110.0, 113.0, 109.0})}, Part{logs(kA), -1}}});
  expect_ratio(found, 1.106866824866, 1.063054740922, 1.152484553078);
  EXPECT_NEAR(found.degrees.value(), 5.705232303639, 1e-9);
}

TEST(Contrast, OfOneListOfLogsBoundsTheGeometricMean) {
  expect_ratio(contrast({{Part{logs(kA)}}}), 99.970187029034, 96.642874629340, 103.412055290686);
}

TEST(Contrast, OfTwoRoundsHasOneDegreeOfFreedomAndAWideInterval) {
  const Contrast found = contrast({{Part{log_ratios({60.0, 64.0}, {50.0, 51.0})}}});
  expect_ratio(found, 1.227143982156, 0.923557508094, 1.630523643350);
  EXPECT_DOUBLE_EQ(found.degrees.value(), 1);
}

TEST(Contrast, OfTwoPairedPartsIsARatioOfRatios) {
  const std::vector<double> a{95.0, 99.0, 97.0, 94.0, 96.0};
  const std::vector<double> b{90.0, 99.0, 91.0, 93.0, 88.0};
  const Contrast found = contrast({{Part{log_ratios(kB, kA)}, Part{log_ratios(b, a), -1}}});
  expect_ratio(found, 1.150766864782, 1.097812707305, 1.206275322073);
  EXPECT_NEAR(found.degrees.value(), 7.143756168365, 1e-9);
}

TEST(Contrast, WithWeightsOfDepthsIsASlope) {
  // Seconds of three processes at depths 1 to 4; weights (depth - 2.5) / 5.
  const Contrast found = contrast({{Part{{1.0, 1.1, 1.05}, -0.3}, Part{{2.1, 2.0, 2.2}, -0.1},
                                    Part{{2.9, 3.1, 3.0}, 0.1}, Part{{4.2, 4.0, 4.1}, 0.3}}});
  EXPECT_NEAR(found.estimate, 1.005, 1e-12);
  EXPECT_NEAR(found.standard_error.value(), 0.021015867022, 1e-12);
  EXPECT_NEAR(found.degrees.value(), 3.987224982257, 1e-9);
  EXPECT_NEAR(found.interval->low, 0.946576795224, 1e-9);
  EXPECT_NEAR(found.interval->high, 1.063423204776, 1e-9);
}

TEST(Contrast, OfASingleValueHasNoIntervalAndNoStandardError) {
  const Contrast found = contrast({{Part{{2.0, 3.0}}, Part{{1.0}, -1}}});
  EXPECT_DOUBLE_EQ(found.estimate, 1.5);
  EXPECT_FALSE(found.interval);
  EXPECT_FALSE(found.standard_error);
}

TEST(Contrast, OfEqualValuesIsThatValueWithoutDegreesOfFreedom) {
  const Contrast found = contrast({{Part{{0.25, 0.25, 0.25}}}});
  EXPECT_DOUBLE_EQ(found.interval->low, 0.25);
  EXPECT_DOUBLE_EQ(found.interval->high, 0.25);
  EXPECT_FALSE(found.degrees);
}

}  // namespace
}  // namespace ngb::statistics
