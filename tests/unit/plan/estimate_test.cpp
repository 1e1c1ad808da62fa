// SPDX-License-Identifier: Apache-2.0
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

// Returns a plan of one cell: 4 GMAC at 40 GMAC/s per thread, 20 million parameters.
Plan one_cell() {
  Plan plan;
  plan.study.protocol.processes = 5;
  plan.study.protocol.repetitions = 20;
  plan.compilers = {{.threads = 1}};
  plan.models = {{.key = {.batch = 1}, .parameters = 20'000'000, .macs = 4'000'000'000}};
  plan.cells = {{}};
  plan.groups = {{}};
  return plan;
}

TEST(Estimate, FollowsTheFormulaOfItsHeader) {
  // 5 + 2 + 5 * (1 + 0.2 + 25 * 0.10005)
  EXPECT_NEAR(estimate_seconds(one_cell()), 25.50625, 1e-9);
}

TEST(Estimate, HalvesTheArithmeticWithTwoThreads) {
  Plan plan = one_cell();
  plan.compilers[0].threads = 2;
  EXPECT_NEAR(estimate_seconds(plan), 5 + 2 + 5 * (1.2 + 25 * 0.05005), 1e-9);
}

TEST(Estimate, ARepetitionLastsAtLeastItsMinimum) {
  Plan plan = one_cell();
  plan.models[0].macs = 0;
  plan.study.protocol.warm_up = 0;
  EXPECT_NEAR(estimate_seconds(plan), 5 + 2 + 5 * (1.2 + 20 * 0.001), 1e-9);
}

TEST(Estimate, AFileCountsAsABillionMacsASample) {
  Plan plan = one_cell();
  plan.models[0] = {.key = {.batch = 4}};
  EXPECT_NEAR(estimate_seconds(plan), 5 + 2 + 5 * (1 + 25 * 0.10005), 1e-9);
}

TEST(Estimate, PrecisionModeStopsAtAHundredRepetitionsOrItsTime) {
  Plan plan = one_cell();
  plan.study.protocol.stop_when = work::StopWhen{};
  EXPECT_NEAR(estimate_seconds(plan), 5 + 2 + 5 * (1.2 + 105 * 0.10005), 1e-9);
  plan.study.protocol.stop_when->max_ns = 3'000'000'000;
  EXPECT_NEAR(estimate_seconds(plan), 5 + 2 + 5 * (1.2 + 5 * 0.10005 + 3), 1e-9);
}

}  // namespace
}  // namespace ngb::plan
