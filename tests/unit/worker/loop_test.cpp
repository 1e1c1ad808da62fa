// SPDX-License-Identifier: Apache-2.0
#include "worker/loop.h"

#include <gtest/gtest.h>

#include <array>

namespace ngb::worker {
namespace {

int inferences_run = 0;
int fails_in = -1;

ngb_status count(ngb_session*, ngb_error*) { return ++inferences_run == fails_in ? NGB_DEVICE_LOST : NGB_OK; }

class Loop : public testing::Test {
 protected:
  void SetUp() override {
    inferences_run = 0;
    fails_in = -1;
    compiler_.run = count;
  }
  ngb_compiler compiler_{};
  samples::RunCount done_{.repetitions = 5, .inferences = 50};
  Target target_{&compiler_, nullptr, nullptr, &done_};
  std::array<std::int64_t, 4> walls_ns_{-1, -1, -1, -1};
  std::array<std::int64_t, 4> begins_ns_{-1, -1, -1, -1};
  ngb_status status_ = NGB_INTERNAL;
};

TEST_F(Loop, RunsEachRepetitionsInferencesAndCountsThem) {
  EXPECT_EQ(run_repetitions(target_, 3, {walls_ns_, begins_ns_}, &status_), 4U);
  EXPECT_EQ(status_, NGB_OK);
  EXPECT_EQ(inferences_run, 12);
  EXPECT_EQ(done_.repetitions.load(), 9U);
  EXPECT_EQ(done_.inferences.load(), 62U);
  for (const std::int64_t wall_ns : walls_ns_) EXPECT_GE(wall_ns, 0);
}

TEST_F(Loop, StoresWhenEachRepetitionBeganInTheirOrderWithoutOverlap) {
  ASSERT_EQ(run_repetitions(target_, 3, {walls_ns_, begins_ns_}, &status_), 4U);
  EXPECT_GT(begins_ns_[0], 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(begins_ns_[i], begins_ns_[i - 1] + walls_ns_[i - 1]);
}

TEST_F(Loop, StopsAtTheInferenceThatFails) {
  fails_in = 8;  // within the third repetition
  EXPECT_EQ(run_repetitions(target_, 3, {walls_ns_, begins_ns_}, &status_), 2U);
  EXPECT_EQ(status_, NGB_DEVICE_LOST);
  EXPECT_EQ(inferences_run, 8);
  EXPECT_EQ(done_.repetitions.load(), 7U);
  EXPECT_EQ(walls_ns_[2], -1);
  EXPECT_EQ(begins_ns_[2], -1);
}

}  // namespace
}  // namespace ngb::worker
