// SPDX-License-Identifier: Apache-2.0
// Expected orders come from a separate implementation in Python of what plan.h and shuffle.h say.
#include "plan/order.h"

#include <map>
#include <numeric>
#include <set>

#include "plan/shuffle.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;

std::vector<int> shuffled(int size, std::uint64_t seed) {
  std::vector<int> items(static_cast<std::size_t>(size));
  std::iota(items.begin(), items.end(), 0);
  SplitMix64 random(seed);
  shuffle(items, random);
  return items;
}

// Four groups of three cells: models "aa" and "bb" at batch sizes 1 and 8.
struct SmallPlan {
  std::vector<Model> models;
  std::vector<Cell> cells;
};

SmallPlan small_plan() {
  SmallPlan plan;
  for (const char* const hash : {"aa", "bb"}) {
    for (const int batch : {1, 8}) {
      for (int compiler = 0; compiler < 3; ++compiler) {
        plan.cells.push_back({.device = "local", .model_index = static_cast<int>(plan.models.size())});
      }
      plan.models.push_back({.hash = hash, .batch = batch});
    }
  }
  return plan;
}

TEST(Shuffle, TheGeneratorIsSplitMix64) {
  SplitMix64 random(1234567);  // published test values of that seed
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
  EXPECT_EQ(random.next(), 4593380528125082431U);
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

TEST(Order, GroupsAndRoundsFollowTheWrittenAlgorithm) {
  const SmallPlan plan = small_plan();
  const std::vector<Group> groups = order(plan.models, plan.cells, 3, 7);
  std::vector<int> models;
  std::vector<std::vector<int>> cells;
  for (const Group& group : groups) {
    models.push_back(group.model_index);
    cells.emplace_back();
    for (const Step& step : group.steps) cells.back().push_back(step.cell_index - 3 * group.model_index);
  }
  EXPECT_THAT(models, ElementsAre(1, 2, 0, 3));  // aa 8, bb 1, aa 1, bb 8
  EXPECT_THAT(cells, ElementsAre(ElementsAre(0, 1, 2, 1, 0, 2, 1, 0, 2), ElementsAre(2, 0, 1, 0, 1, 2, 0, 2, 1),
                                 ElementsAre(0, 2, 1, 2, 0, 1, 2, 0, 1), ElementsAre(2, 0, 1, 2, 0, 1, 0, 2, 1)));
}

TEST(Order, EachRoundHasEveryCompilerOnce) {
  const SmallPlan plan = small_plan();
  std::set<std::pair<int, int>> steps;
  for (const Group& group : order(plan.models, plan.cells, 5, 99)) {
    ASSERT_EQ(group.steps.size(), 15U);
    for (std::size_t i = 0; i < group.steps.size(); ++i) {
      const Step& step = group.steps[i];
      EXPECT_EQ(step.process_index, static_cast<int>(i / 3));
      EXPECT_EQ(plan.cells[static_cast<std::size_t>(step.cell_index)].model_index, group.model_index);
      EXPECT_TRUE(steps.emplace(step.cell_index, step.process_index).second);
    }
  }
  EXPECT_EQ(steps.size(), 60U);
}

TEST(Order, AGroupKeepsItsRoundsWhenModelsJoin) {
  SmallPlan plan = small_plan();
  const auto rounds_of = [](const std::vector<Group>& groups, int model) {
    std::vector<int> cells;
    for (const Group& group : groups) {
      for (const Step& step : group.steps) {
        if (group.model_index == model) cells.push_back(step.cell_index);
      }
    }
    return cells;
  };
  const auto before = rounds_of(order(plan.models, plan.cells, 5, 7), 1);
  plan.models.push_back({.hash = "cc", .batch = 1});
  plan.cells.push_back({.device = "local", .model_index = 4});
  EXPECT_EQ(rounds_of(order(plan.models, plan.cells, 5, 7), 1), before);
}

}  // namespace
}  // namespace ngb::plan
