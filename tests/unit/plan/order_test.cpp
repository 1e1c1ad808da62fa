// SPDX-License-Identifier: Apache-2.0
// The expected orders were computed by a separate implementation, in Python, of the rules in plan.h and base/random.h.
#include "plan/groups.h"

#include <set>

#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;

// Four groups of three cells: models "aa" and "bb" at batch sizes 1 and 8.
struct SmallPlan {
  std::vector<work::Model> models;
  std::vector<work::Cell> cells;
};

SmallPlan small_plan() {
  SmallPlan plan;
  for (const char* const hash : {"aa", "bb"}) {
    for (const int batch : {1, 8}) {
      for (int compiler = 0; compiler < 3; ++compiler) {
        plan.cells.push_back({.device = "local", .model_index = static_cast<int>(plan.models.size())});
      }
      plan.models.push_back({{.key = {hash, batch}}});
    }
  }
  return plan;
}

TEST(Order, GroupsAndRoundsFollowTheWrittenAlgorithm) {
  const SmallPlan plan = small_plan();
  const std::vector<work::Group> groups = order(plan.models, plan.cells, 3, 7);
  std::vector<int> models;
  std::vector<std::vector<int>> cells;
  for (const work::Group& group : groups) {
    models.push_back(group.model_index);
    cells.emplace_back();
    for (const work::Step& step : group.steps) cells.back().push_back(step.cell_index - 3 * group.model_index);
  }
  EXPECT_THAT(models, ElementsAre(1, 2, 0, 3));  // aa 8, bb 1, aa 1, bb 8
  EXPECT_THAT(cells, ElementsAre(ElementsAre(0, 1, 2, 1, 0, 2, 1, 0, 2), ElementsAre(2, 0, 1, 0, 1, 2, 0, 2, 1),
                                 ElementsAre(0, 2, 1, 2, 0, 1, 2, 0, 1), ElementsAre(2, 0, 1, 2, 0, 1, 0, 2, 1)));
}

TEST(Order, EachRoundHasEveryCompilerOnce) {
  const SmallPlan plan = small_plan();
  std::set<std::pair<int, int>> steps;
  for (const work::Group& group : order(plan.models, plan.cells, 5, 99)) {
    ASSERT_EQ(group.steps.size(), 15U);
    for (std::size_t i = 0; i < group.steps.size(); ++i) {
      const work::Step& step = group.steps[i];
      EXPECT_EQ(step.process_index, static_cast<int>(i / 3));
      EXPECT_EQ(plan.cells[static_cast<std::size_t>(step.cell_index)].model_index, group.model_index);
      EXPECT_TRUE(steps.emplace(step.cell_index, step.process_index).second);
    }
  }
  EXPECT_EQ(steps.size(), 60U);
}

TEST(Order, AGroupKeepsItsRoundsWhenModelsAreAdded) {
  SmallPlan plan = small_plan();
  const auto rounds_of = [](const std::vector<work::Group>& groups, int model) {
    std::vector<int> cells;
    for (const work::Group& group : groups) {
      for (const work::Step& step : group.steps) {
        if (group.model_index == model) cells.push_back(step.cell_index);
      }
    }
    return cells;
  };
  const auto before = rounds_of(order(plan.models, plan.cells, 5, 7), 1);
  plan.models.push_back({{.key = {"cc", 1}}});
  plan.cells.push_back({.device = "local", .model_index = 4});
  EXPECT_EQ(rounds_of(order(plan.models, plan.cells, 5, 7), 1), before);
}

}  // namespace
}  // namespace ngb::plan
