// SPDX-License-Identifier: Apache-2.0
// Expected values: scipy 1.17.1 (ttest_rel, ttest_ind(equal_var=False), ttest_1samp) on logarithms; a slope's estimate
// comes from linregress, its standard error and degrees of freedom from Satterthwaite's formula.
#include "statistics/contrast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "statistics/distributions.h"

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

// A contrast has the unit of its values, so its degrees of freedom and its interval relative to the estimate do not
// depend on it.
TEST(Contrast, HasTheSameDegreesOfFreedomInEveryUnit) {
  for (const double unit : {1.0, 1e77, 1e154, 1e200, 1e300, 1e-81, 1e-160, 1e-300}) {
    const Contrast found = contrast({{Part{{1 * unit, 2 * unit, 4 * unit}}, Part{{3 * unit, 5 * unit}, -1}}});
    EXPECT_NEAR(found.estimate / unit, -1.6666666667, 1e-9) << unit;
    EXPECT_NEAR(found.degrees.value(), 2.4265402844, 1e-9) << unit;
    EXPECT_NEAR(found.standard_error.value() / unit, 1.3333333333, 1e-9) << unit;
    EXPECT_NEAR(found.interval->high / unit, 3.2043758500, 1e-9) << unit;
  }
}

TEST(Contrast, OfTheLargestNumbersHasAMean) {
  const std::vector<double> largest(4, 1.7e308);
  EXPECT_DOUBLE_EQ(mean(largest), 1.7e308);
  EXPECT_EQ(standard_deviation(largest), 0);
  EXPECT_EQ(standard_deviation(std::vector<double>{5e-324, 1.5e-323}), 5e-324);  // √2 of the least number, rounded
}

TEST(Uncertainty, OfADeviationThatIsNotFiniteIsWithoutBounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double deviation : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> deviations{deviation, 1};
    const std::vector<double> counts{3, 3};
    EXPECT_EQ(uncertainty_of(deviations, counts).half_width(0.05), infinity);
  }
}

TEST(Distributions, SayNothingWhereTheyDoNotExist) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double degrees : {0.0, -1.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(students_t_quantile(degrees, 0.975)) << degrees;
    EXPECT_FALSE(students_t_exceeds(degrees, 2)) << degrees;
    EXPECT_FALSE(non_central_t_exceeds(degrees, 1, 2)) << degrees;
    EXPECT_FALSE(gamma_quantile(degrees, 1, 0.5)) << degrees;
    EXPECT_FALSE(binomial_at_most(degrees, 0.5, 1)) << degrees;
  }
  EXPECT_FALSE(students_t_exceeds(3, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(students_t_quantile(3, 1));
  EXPECT_FALSE(normal_quantile(2));
  EXPECT_NEAR(students_t_quantile(3, 0.975).value(), 3.182446305284, 1e-9);  // scipy.stats.t.ppf
}

}  // namespace
}  // namespace ngb::statistics
