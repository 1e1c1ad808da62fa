// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "made_up_cells.h"
#include "metrics/resampling.h"
#include "metrics/statistics.h"

namespace ngb::metrics {
namespace {

TEST(Bootstrap, DrawsProcessesFirst) {
  // Two processes without spread inside: means 1, 2 and 3 with probabilities 1/4, 1/2 and 1/4.
  const std::vector<std::vector<double>> processes{{1, 1, 1, 1}, {3, 3, 3, 3}};
  const std::vector<double> means = resampled_means(processes, 42);
  ASSERT_EQ(means.size(), 10'000U);
  EXPECT_NEAR(static_cast<double>(std::count(means.begin(), means.end(), 1.0)), 2500, 4 * std::sqrt(10'000 * 3.0 / 16));
  EXPECT_NEAR(static_cast<double>(std::count(means.begin(), means.end(), 2.0)), 5000, 4 * std::sqrt(10'000 / 4.0));
  EXPECT_NEAR(static_cast<double>(std::count(means.begin(), means.end(), 3.0)), 2500, 4 * std::sqrt(10'000 * 3.0 / 16));
}

TEST(Bootstrap, DrawsRepetitionsWithinAProcess) {
  // Equal processes: the mean of 6 draws from {0, 6} is a binomial, with variance 36 · (1/4) / 6 = 1.5.
  const std::vector<std::vector<double>> processes{{0, 6, 0}, {6, 0, 6}};
  const std::vector<double> means = resampled_means(processes, 7);
  // Between processes: each process's mean is 2 or 4, so 1/2 of variance for the mean of 2; within: 8 / 6.
  EXPECT_NEAR(mean(means), 3.0, 0.06);
  EXPECT_NEAR(std::pow(standard_deviation(means).value(), 2), 0.5 + 8.0 / 6, 0.1);
}

TEST(Bootstrap, SaysNothingFromOneProcess) {
  EXPECT_TRUE(resampled_means(std::vector<std::vector<double>>{{1, 2, 3}}, 1).empty());
}

TEST(Bootstrap, IsTheSameForTheSameSeedOnly) {
  const std::vector<std::vector<double>> processes{{1, 2, 3}, {2, 3, 4}};
  EXPECT_EQ(resampled_means(processes, 5), resampled_means(processes, 5));
  EXPECT_NE(resampled_means(processes, 5), resampled_means(processes, 6));
}

// Throughputs base · (1 + 0.02 sin(1.7 p + phase) + 0.01 cos(2.3 r + p + phase)) of 5 processes with 20 repetitions.
store::CellData waves(const std::string& compiler, double base, double phase) {
  std::vector<samples::ProcessResult> processes;
  for (int p = 0; p < 5; ++p) {
    std::vector<double> times_ms;
    for (int r = 0; r < 20; ++r) {
      const double factor = 1 + 0.02 * std::sin(1.7 * p + phase) + 0.01 * std::cos(2.3 * r + p + phase);
      times_ms.push_back(1e3 / (base * factor));
    }
    processes.push_back(made_up::process(p, times_ms));
  }
  return made_up::cell_of(compiler, 1, processes);
}

TEST(Bootstrap, AgreesWithNumpyAboutTheIntervalOfASpeedUp) {
  // numpy, default_rng(12345), 400,000 hierarchical resamples of the same series: [1.96175, 2.03167]. The ends of an
  // interval from 10,000 resamples have standard deviations of 0.00038 and 0.00048 there; three of them are allowed.
  const auto value =
      made_up::value_of({waves("identity", 100, 1.1), waves("fast", 200, 0.3)}, "fast-1", "speed_up_ratio");
  EXPECT_NEAR(value.value.value(), 1.9958514074338731, 1e-6);
  EXPECT_NEAR(value.low.value(), 1.96174788, 3 * 0.00038);
  EXPECT_NEAR(value.high.value(), 2.03166892, 3 * 0.00048);
}

TEST(Bootstrap, GivesTheSameValuesWithAnyNumberOfThreadsAndAnyOtherCells) {
  std::vector<store::CellData> cells{waves("identity", 100, 1.1), waves("fast", 200, 0.3), waves("slow", 50, 2)};
  for (int i = 0; i < 6; ++i) {
    cells.push_back(waves("fast", 100 + i, i));
    cells.back().model_hash = "model " + std::to_string(i);
    cells.back().cell_id = "cell " + std::to_string(i);
  }
  const auto one = compute_all(cells, 1);
  const auto many = compute_all(cells, 5);
  const auto few = compute_all({cells[0], cells[1]}, 1);
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].metric, many[i].metric);
    EXPECT_EQ(one[i].value, many[i].value);
    EXPECT_EQ(one[i].low, many[i].low);
    EXPECT_EQ(one[i].high, many[i].high);
  }
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(one[i].low, few[i].low) << one[i].metric;
  }
}

}  // namespace
}  // namespace ngb::metrics
