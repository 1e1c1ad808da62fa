// SPDX-License-Identifier: Apache-2.0
#include "plan/time_left.h"

#include "plan_fixture.h"

namespace ngb::plan {
namespace {

// Returns a plan of cells on these devices; only that matters here.
Plan cells_on(const std::vector<std::string>& devices) {
  Plan plan;
  for (const std::string& device : devices) plan.cells.push_back({.device = device});
  return plan;
}

Estimate expecting(const std::vector<CellTime>& cells) { return {.cells = cells}; }

Took process(double wall_s) { return {.wall_s = wall_s, .again_s = wall_s}; }
Took loading(double wall_s) { return {.wall_s = wall_s, .again_s = wall_s, .has_compiled = false}; }

TEST(TimeLeft, IsTheEstimateUntilSomethingHasEnded) {
  const Plan plan = cells_on({"local", "local"});
  const TimeLeft left(plan, expecting({{.first_s = 10, .other_s = 4}, {.first_s = 2, .other_s = 2}}), {3, 2});
  EXPECT_DOUBLE_EQ(left.seconds(0), 10 + 2 * 4 + 2 * 2);
  EXPECT_DOUBLE_EQ(left.seconds(100), 22) << "nothing is known of what passes between processes";
}

TEST(TimeLeft, CorrectsACellByItsOwnProcessesAndTheOthersByTheFactor) {
  const Plan plan = cells_on({"local", "local"});
  TimeLeft left(plan, expecting({{.first_s = 5, .other_s = 5}, {.first_s = 2, .other_s = 2}}), {3, 2});
  left.finish(0, 10, process(10));  // twice as long as expected
  EXPECT_DOUBLE_EQ(left.seconds(10), 2 * 10 + 2 * (2 * 2));
  left.finish(0, 16, process(6));
  EXPECT_DOUBLE_EQ(left.seconds(16), 8 + 1.6 * 4) << "the mean of its processes; 16 s instead of 10 s";
  EXPECT_DOUBLE_EQ(left.seconds(20), 8 + 1.6 * 4) << "what passes while others run is no pause";
}

TEST(TimeLeft, CountsDownWhileAProcessRunsByWhatItShouldTake) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 10, .other_s = 10}}), {4});
  left.work_on(0, 3);  // after a preparation of 3 s
  EXPECT_DOUBLE_EQ(left.seconds(3), 40);
  EXPECT_DOUBLE_EQ(left.seconds(9), 34);
  EXPECT_DOUBLE_EQ(left.seconds(18), 4 * 15 - 15) << "it takes 15 s at least, and so do the others";
  left.finish(0, 13, process(10));
  left.work_on(0, 13);
  EXPECT_DOUBLE_EQ(left.seconds(13), 30);
  EXPECT_DOUBLE_EQ(left.seconds(18), 25);
  EXPECT_DOUBLE_EQ(left.seconds(99), 20) << "one that is late where others were not is disturbed";
}

TEST(TimeLeft, CountsDownThroughARoundInTurns) {
  Plan plan = cells_on({"local", "local", "local"});
  plan.cells[2].model_index = 1;  // of another round
  plan.study.protocol.turns = 20;
  TimeLeft left(plan,
                expecting({{.first_s = 5, .other_s = 5}, {.first_s = 3, .other_s = 3}, {.first_s = 9, .other_s = 9}}),
                {2, 2, 1});
  left.work_on(0, 0);
  EXPECT_DOUBLE_EQ(left.seconds(6), 25 - 6);
  EXPECT_DOUBLE_EQ(left.seconds(8), 25 - 8);
  EXPECT_DOUBLE_EQ(left.seconds(12), 1.5 * 25 - 12) << "one process of each of its two cells should have taken 8 s";
}

TEST(TimeLeft, TakesTheFirstRoundInTurnsAsAWhole) {
  Plan plan = cells_on({"local", "local"});
  TimeLeft left(plan, expecting({{.first_s = 5, .other_s = 5}, {.first_s = 5, .other_s = 5}}), {3, 3});
  left.work_on(0, 7);              // after a preparation
  left.finish(0, 17, process(5));  // they took turns
  left.finish(1, 17, process(5));
  left.finish(0, 29, process(5));  // 2 s later, the second round
  left.finish(1, 29, process(5));
  EXPECT_DOUBLE_EQ(left.seconds(29), 2 * 5 + 2 * (2.0 / 4)) << "2 s passed between four processes";
}

TEST(TimeLeft, ExpectsAPreparationUntilTheFirstProcessRuns) {
  const Plan plan = cells_on({"local"});
  Estimate estimate = expecting({{.first_s = 10, .other_s = 10}});
  estimate.between_s["local"] = 30;
  TimeLeft left(plan, estimate, {2});
  EXPECT_DOUBLE_EQ(left.seconds(0), 50);
  EXPECT_DOUBLE_EQ(left.seconds(12), 38);
  left.work_on(0, 25);
  EXPECT_DOUBLE_EQ(left.seconds(25), 20);
}

TEST(TimeLeft, TakesWhatPassedBeforeTheFirstProcessAsAPreparationThatDoesNotComeAgain) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 2, .other_s = 2}}), {4});
  left.finish(0, 9, process(2));  // 7 s passed before it
  EXPECT_DOUBLE_EQ(left.seconds(9), 3 * 2);
  left.finish(0, 11.5, process(2));  // and half a second between them
  EXPECT_DOUBLE_EQ(left.seconds(11.5), 2 * (2 + 0.5 / 2));
}

TEST(TimeLeft, IsNotKnownOnceMoreRoundsComeThanWereExpected) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 2, .other_s = 2}}), {2});
  EXPECT_FALSE(left.is_known()) << "from a table of usual times";
  left.finish(0, 2, process(2));
  EXPECT_TRUE(left.is_known());
  left.finish(0, 4, process(2));
  EXPECT_FALSE(left.is_known());
}

TEST(TimeLeft, IsKnownOfWhatWasMeasuredBeforeButNotFromOtherBatchSizes) {
  const Plan plan = cells_on({"local"});
  const auto known_by = [&plan](Basis basis) {
    return TimeLeft(plan, expecting({{.first_s = 2, .other_s = 2, .basis = basis}}), {4}).is_known();
  };
  EXPECT_TRUE(known_by(Basis::same));
  EXPECT_TRUE(known_by(Basis::other_version));
  EXPECT_FALSE(known_by(Basis::other_batch));
}

TEST(TimeLeft, IsNotKnownWhileAttemptsAreLostAndNoneCompletes) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 2, .other_s = 2, .basis = Basis::same}}), {4});
  EXPECT_TRUE(left.is_known());
  left.lose(0, 3, 2);
  left.lose(0, 15, 2);
  EXPECT_FALSE(left.is_known()) << "8 s would be wrong for as long as the machine is busy";
  left.finish(0, 20, process(2));  // 1 s before the first attempt; of the 19 s since, the process took 2
  EXPECT_TRUE(left.is_known());
  EXPECT_DOUBLE_EQ(left.seconds(20), 3 * (2 + 17)) << "the device lost 17 s for the process that it has";
}

TEST(TimeLeft, GrowsWithTheAttemptsThatAreLostLater) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 2, .other_s = 2}}), {4});
  left.finish(0, 2, process(2));
  left.finish(0, 4, process(2));
  EXPECT_DOUBLE_EQ(left.seconds(4), 2 * 2);
  left.lose(0, 10, 2);
  EXPECT_DOUBLE_EQ(left.seconds(10), 2 * (2 + 6.0 / 2));
}

TEST(TimeLeft, KnowsThatOnlyTheFirstProcessCompiles) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 60, .other_s = 5}}), {5});
  EXPECT_DOUBLE_EQ(left.seconds(0), 80);
  left.finish(0, 61, process(61));
  EXPECT_DOUBLE_EQ(left.seconds(61), 4 * 6);
  left.finish(0, 69, loading(8));
  EXPECT_DOUBLE_EQ(left.seconds(69), 3 * 8);
}

TEST(TimeLeft, KnowsALateProcessBeforeItEnds) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 10, .other_s = 10}}), {3});
  left.work_on(0, 0);
  left.work_on(0, 15);  // it compiles still
  EXPECT_DOUBLE_EQ(left.seconds(15), 2 * 15);
  EXPECT_DOUBLE_EQ(left.seconds(20), 2 * 20);
  EXPECT_FALSE(left.is_known()) << "nobody knows how late it will be";
}

TEST(TimeLeft, DoesNotExpectOfOthersWhatOnlyTheFirstProcessDoes) {
  const Plan plan = cells_on({"local"});
  TimeLeft left(plan, expecting({{.first_s = 6, .look_s = 2, .other_s = 4}}), {4});
  EXPECT_DOUBLE_EQ(left.seconds(0), 6 + 3 * 4);
  left.finish(0, 7, {.wall_s = 7, .again_s = 5});
  EXPECT_DOUBLE_EQ(left.seconds(7), 3 * 5);
}

TEST(TimeLeft, ExpectsBeforeEachNewModelWhatPassedBeforeOthers) {
  Plan plan = cells_on({"local", "local", "local"});
  plan.cells[1].model_index = 1;
  plan.cells[2].model_index = 2;
  const CellTime each{.first_s = 2, .other_s = 2};
  Estimate estimate = expecting({each, each, each});
  estimate.between_s["local"] = 12;
  TimeLeft left(plan, estimate, {1, 1, 1});
  left.work_on(0, 8);
  left.finish(0, 10, process(2));
  EXPECT_DOUBLE_EQ(left.seconds(10), 2 * 2 + (12 - 8));
  EXPECT_DOUBLE_EQ(left.seconds(11), 2 * 2 + (12 - 8) - 1) << "the next one is prepared";
  left.work_on(1, 13);
  EXPECT_DOUBLE_EQ(left.seconds(13), 2 * 2 + 3);
}

TEST(TimeLeft, IsThatOfTheSlowestDevice) {
  const Plan plan = cells_on({"one", "two"});
  TimeLeft left(plan, expecting({{.first_s = 10, .other_s = 10}, {.first_s = 3, .other_s = 3}}), {2, 5});
  EXPECT_DOUBLE_EQ(left.seconds(0), 20);
  left.finish(0, 10, process(10));
  EXPECT_DOUBLE_EQ(left.seconds(10), 15);
}

TEST(TimeLeft, LeavesOutProcessesThatWillNotRun) {
  const Plan plan = cells_on({"local", "local"});
  TimeLeft left(plan, expecting({{.first_s = 10, .other_s = 10}, {.first_s = 3, .other_s = 3}}), {2, 2});
  left.skip(0, 2);
  EXPECT_DOUBLE_EQ(left.seconds(0), 6);
  left.finish(1, 3, process(3));
  left.skip(1, 1);
  EXPECT_DOUBLE_EQ(left.seconds(3), 0);
}

}  // namespace
}  // namespace ngb::plan
