// SPDX-License-Identifier: Apache-2.0
#include "worker/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::worker {
namespace {

using testing::ElementsAre;

TEST(Affinity, TakesTheHighestOfTheAllowedProcessors) {
  const std::vector<int> allowed = {0, 2, 3, 7};
  EXPECT_THAT(choose_cpus(allowed, 2), ElementsAre(3, 7));
  EXPECT_THAT(choose_cpus(allowed, 4), ElementsAre(0, 2, 3, 7));
}

TEST(Affinity, TakesAllWhenThereAreFewerThanThreads) {
  const std::vector<int> allowed = {0, 1};
  EXPECT_THAT(choose_cpus(allowed, 5), ElementsAre(0, 1));
}

TEST(Affinity, WritesListsAsTheKernelDoes) {
  EXPECT_EQ(cpu_list(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(cpu_list(std::vector<int>{3}), "3");
  EXPECT_EQ(cpu_list(std::vector<int>{}), "");
}

}  // namespace
}  // namespace ngb::worker
