// SPDX-License-Identifier: Apache-2.0
#include "base/processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb {
namespace {

using testing::ElementsAre;

TEST(Processors, AreChosenFromTheHighestDown) {
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 1, 2, 3}, 1), ElementsAre(3));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 1, 2, 3}, 2), ElementsAre(2, 3));
}

TEST(Processors, IncludeEveryCoreBeforeASecondProcessorOfAny) {
  // Processors 4 … 7 are second threads of the cores of 0 … 3.
  const std::vector<int> cores{0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_THAT(choose_cpus({0, 1, 2, 3, 4, 5, 6, 7}, cores, 4), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3, 4, 5, 6, 7}, cores, 5), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_THAT(choose_cpus({0, 1, 2, 3}, {0, 0, 2, 2}, 2), ElementsAre(1, 3));
}

TEST(Processors, AreAllIfThereAreNotMore) { EXPECT_THAT(choose_cpus({2, 3}, {2, 3}, 8), ElementsAre(2, 3)); }

TEST(Processors, OfOneCoreAreInOnePartWhereThatIsPossible) {
  const std::vector<int> cpus{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<int> cores{0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_THAT(part_of_cpus(cpus, cores, 0, 2), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(part_of_cpus(cpus, cores, 1, 2), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(part_of_cpus({2, 3}, {2, 3}, 1, 2), ElementsAre(3));
  EXPECT_THAT(part_of_cpus({1, 5, 6}, {1, 5, 6}, 1, 2), ElementsAre(5)) << "one is left over";
}

TEST(Processors, LeaveTheOthersToTheAgentOrAllIfThereAreNone) {
  EXPECT_THAT(other_cpus({0, 1, 2}, {1, 2}), ElementsAre(0));
  EXPECT_THAT(other_cpus({0, 1}, {0, 1}), ElementsAre(0, 1));
}

}  // namespace
}  // namespace ngb
