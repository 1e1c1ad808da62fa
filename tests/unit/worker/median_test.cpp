// SPDX-License-Identifier: Apache-2.0
#include "worker/stopping.h"

#include <gtest/gtest.h>

#include <array>

namespace ngb::worker {
namespace {

// Expected values: scipy 1.16 (binom.cdf over all pairs of ranks, of the narrowest the one that covers most, then the
// higher). From the binomial table: n = 6: 1 - 2/64 = 96.9 % between the extremes; n = 9: ranks 2 and 8, 96.1 %;
// n = 10: ranks 2 and 9, 97.9 % (3 and 9 or 2 and 8 have 93.5 %); n = 100: ranks 41 and 61, 95.4 %.
TEST(MedianRanks, AreTheNarrowestThatCoverTheMedianWith95Percent) {
  struct Row {
    std::size_t n;
    RankInterval ranks;
  };
  constexpr std::array kExpected{Row{6, {1, 6}},       Row{7, {1, 7}},     Row{8, {2, 8}},     Row{9, {2, 8}},
                                 Row{10, {2, 9}},      Row{12, {3, 10}},   Row{20, {6, 15}},   Row{50, {19, 33}},
                                 Row{99, {40, 60}},    Row{100, {41, 61}}, Row{101, {41, 61}}, Row{200, {87, 115}},
                                 Row{1000, {470, 532}}};
  for (const Row& row : kExpected) EXPECT_EQ(median_ranks(row.n), row.ranks) << "n = " << row.n;
}

TEST(MedianRanks, DoNotExistBelowSixValues) {
  EXPECT_FALSE(median_ranks(5));
  EXPECT_FALSE(median_ranks(0));
}

}  // namespace
}  // namespace ngb::worker
