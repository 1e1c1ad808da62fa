// SPDX-License-Identifier: Apache-2.0
#include "metrics/queueing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ngb::metrics {
namespace {

// M/M/1: P(wait > t) = busy · exp(-(1 - busy) · t / s) exactly. 10 ms, 50 requests/s: 0.02 s · ln(0.5 / 0.01).
TEST(Queueing, OfExponentialTimesHasTheKnownQuantile) {
  const Service service{.mean_s = 0.01, .deviation_s = 0.01};
  EXPECT_DOUBLE_EQ(utilisation(service, 50), 0.5);
  EXPECT_NEAR(answered_within_s(service, 0, 50, 0.99).value(), 0.0782405, 1e-6);
}

TEST(Queueing, OfEqualTimesWaitsHalfAsLong) {
  EXPECT_NEAR(answered_within_s({.mean_s = 0.01}, 0, 50, 0.99).value(), 0.0391202, 1e-6);
}

TEST(Queueing, NobodyWaitsIfItIsBusyLessOftenThanAsked) {
  EXPECT_DOUBLE_EQ(answered_within_s({.mean_s = 0.001}, 0.0012, 5, 0.99).value(), 0.0012);
}

TEST(Queueing, ThatPilesUpHasNoQuantile) {
  EXPECT_FALSE(answered_within_s({.mean_s = 0.02}, 0.02, 50, 0.99).has_value());
}

// Half the requests of batches of 2 are the second one, which fills the batch: their median waits for nobody. The first
// one waits for the next request: P(longer than t) = exp(-20 t) / 2, which is 1 % at ln(50) / 20 s.
TEST(Queueing, OfPairsHasAMedianWithoutAWaitAndATailOfTheFirst) {
  EXPECT_DOUBLE_EQ(answered_within_s({.batch = 2, .mean_s = 0.003}, 0.003, 20, 0.5).value(), 0.003);
  EXPECT_NEAR(answered_within_s({.batch = 2, .mean_s = 0.003}, 0.003, 20, 0.99).value(),
              std::log(50) / 20 + 0.003 + 0.0015 / 0.97 * std::log(0.03 / 0.01), 1e-9);
}

// Three more requests fill the batch of a first one, two that of a second, and so on: P(longer than t) = exp(-x) · (3 +
// 2x + x²/2) / 4 with x = 100 t, which is 1 % at x = 6.929145. Wait: 25 batches/s · 4e-4 s² / (2 · 0.5) = 10 ms on
// average, half the time: 0.02 s · ln 50.
TEST(Queueing, OfBatchesBeginsWhenTheBatchIsFull) {
  EXPECT_NEAR(answered_within_s({.batch = 4, .mean_s = 0.02}, 0.02, 100, 0.99).value(), 0.06929145 + 0.0782405 + 0.02,
              1e-6);
}

// M/M/2 with 10 ms and 150 requests/s: a = 1.5 Erlang. Erlang's B of 2 servers is (1.5² / 2) / (1 + 1.5 + 1.5² / 2) =
// 9/29; C = B / (1 - 0.75 · (1 - B)) = 9/14. P(wait > t) = 9/14 · exp(-t / (0.01 s / (2 · 0.25))), exactly.
TEST(Queueing, OfTwoServersWithExponentialTimesHasTheKnownQuantile) {
  const Service service{.servers = 2, .mean_s = 0.01, .deviation_s = 0.01};
  EXPECT_DOUBLE_EQ(utilisation(service, 150), 0.75);
  EXPECT_NEAR(answered_within_s(service, 0, 150, 0.99).value(), 0.02 * std::log(9.0 / 14 * 100), 1e-12);
}

// Allen and Cunneen: (1 + variation²) / 2 of that.
TEST(Queueing, OfTwoServersWithEqualTimesWaitsHalfAsLong) {
  const Service service{.servers = 2, .mean_s = 0.01};
  EXPECT_NEAR(answered_within_s(service, 0.01, 150, 0.99).value(), 0.01 + 0.01 * std::log(9.0 / 14 * 100), 1e-12);
}

TEST(Queueing, OfTwoServersPilesUpAtTwiceTheRequestsOfOne) {
  EXPECT_TRUE(answered_within_s({.servers = 2, .mean_s = 0.02}, 0.02, 99, 0.5).has_value());
  EXPECT_FALSE(answered_within_s({.servers = 2, .mean_s = 0.02}, 0.02, 100, 0.5).has_value());
}

}  // namespace
}  // namespace ngb::metrics
