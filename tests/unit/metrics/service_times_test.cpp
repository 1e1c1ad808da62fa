// SPDX-License-Identifier: Apache-2.0
#include "metrics/service_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

// Seven of 8 ms and one of 40 ms: mean 12 ms, sample variance (7 · 4² + 28²) / 7 = 128 ms².
TEST(ServiceTimes, VaryByTimeAndNotByRate) {
  const auto times = service_times(made_up::cell_of("fast", 1, {made_up::process(0, {8, 8, 8, 8, 8, 8, 8, 40})}));
  EXPECT_NEAR(times->variation, std::sqrt(128.0) / 12, 1e-12);
  EXPECT_EQ(times->latencies.by_process, std::vector<std::size_t>{8});
  EXPECT_NEAR(times->latencies.seconds.back(), 0.040, 1e-12);
}

// Repetitions of four inferences that take 40 and 48 ms together: 10 and 12 ms each, which vary half as much as single
// ones: 4 · (1² + 1²) ms² / 1.
TEST(ServiceTimes, OfSeveralInferencesTogetherVaryLessThanSingleOnes) {
  const auto times = service_times(made_up::cell_of("fast", 1, {made_up::process(0, {40, 48}, 4)}));
  EXPECT_NEAR(times->variation, std::sqrt(8.0) / 11, 1e-12);
  EXPECT_NEAR(times->latencies.seconds.front(), 0.010, 1e-12);
}

TEST(ServiceTimes, AreUnknownOfOneRepetition) {
  EXPECT_FALSE(service_times(made_up::cell_of("fast", 1, {made_up::process(0, {8})})));
}

// 1, …, 100 ms. The interval of p90 of 100 values is from the 84th to the 96th: P(B <= 83) = 0.0206, P(B >= 96) =
// 0.0237.
TEST(ServiceTimes, HaveAnIntervalOfTheirPercentile) {
  std::vector<double> times_ms;
  for (int ms = 1; ms <= 100; ++ms) times_ms.push_back(ms);
  const auto times = service_times(made_up::cell_of("fast", 1, {made_up::process(0, times_ms)}));
  const statistics::PercentileInterval found = times->latencies.percentile_s(0.9, 0.05);
  EXPECT_NEAR(found.low.value(), 0.084, 1e-9);
  EXPECT_NEAR(found.high.value(), 0.096, 1e-9);
}

}  // namespace
}  // namespace ngb::metrics
