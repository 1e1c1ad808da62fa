// SPDX-License-Identifier: Apache-2.0
// Expected orders come from a separate implementation in Python of what base/random.h says.
#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace ngb {
namespace {

using testing::ElementsAre;

std::vector<int> shuffled(int size, std::uint64_t seed) {
  std::vector<int> items(static_cast<std::size_t>(size));
  std::iota(items.begin(), items.end(), 0);
  SplitMix64 random(seed);
  shuffle(items, random);
  return items;
}

TEST(SplitMix64, GivesThePublishedValues) {
  SplitMix64 random(1234567);  // published test values of that seed
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
  EXPECT_EQ(random.next(), 4593380528125082431U);
  EXPECT_EQ(splitmix64(1234567, 4), 16408922859458223821U);
}

TEST(Shuffle, IsTheSameOnEveryMachine) {
  EXPECT_THAT(shuffled(10, 1), ElementsAre(4, 2, 8, 1, 9, 3, 0, 6, 7, 5));
  EXPECT_THAT(shuffled(10, 42), ElementsAre(0, 9, 5, 8, 6, 4, 7, 2, 1, 3));
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  std::map<std::vector<int>, int> seen;
  constexpr int kDraws = 60'000;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) ++seen[shuffled(4, seed)];
  ASSERT_EQ(seen.size(), 24U);
  double chi_squared = 0;
  for (const auto& [order, count] : seen) chi_squared += (count - 2500.0) * (count - 2500.0) / 2500.0;
  EXPECT_LT(chi_squared, 49.7);  // 23 degrees of freedom, p = 0.001
}

// Published test values of FNV-1a.
TEST(Fnv1a64, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a64(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a64("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171F73967E8U);
}

}  // namespace
}  // namespace ngb
