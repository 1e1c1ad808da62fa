// SPDX-License-Identifier: Apache-2.0
#include "agent/idle_time.h"

#include <gtest/gtest.h>

namespace ngb::agent {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr bool kInABatchJob = true;
constexpr bool kHasAJob = true;

class AnIdleAgent : public testing::Test {
 protected:
  FakeClock clock_;
  IdleTime usual_{clock_, !kInABatchJob};
};

TEST_F(AnIdleAgent, EndsADayAfterItsJobIsFinished) {
  usual_.note(true);
  clock_.advance(hours(24) - seconds(1));
  EXPECT_FALSE(usual_.is_over(kHasAJob));
  clock_.advance(seconds(1));
  EXPECT_TRUE(usual_.is_over(kHasAJob));
}

TEST_F(AnIdleAgent, StaysADayAfterAJobThatTookThreeDaysWithoutAClient) {
  usual_.note(false);
  clock_.advance(hours(72));
  usual_.note(true);
  EXPECT_EQ(usual_.end(kHasAJob), hours(96));
}

TEST_F(AnIdleAgent, StaysAnotherDayWhenAClientHasBeenThere) {
  usual_.note(true);
  clock_.advance(hours(23));
  usual_.note(false);
  EXPECT_EQ(usual_.end(kHasAJob), std::nullopt) << "a client is there";
  clock_.advance(hours(3));
  EXPECT_FALSE(usual_.is_over(kHasAJob));
  usual_.note(true);
  EXPECT_EQ(usual_.end(kHasAJob), hours(26 + 24));
}

TEST_F(AnIdleAgent, EndsAfterHalfAnHourInABatchJobBecauseOthersWaitForTheMachine) {
  IdleTime in_a_batch_job(clock_, kInABatchJob);
  in_a_batch_job.note(true);
  EXPECT_EQ(in_a_batch_job.end(kHasAJob), minutes(30));
}

TEST_F(AnIdleAgent, EndsAfterAMinuteIfNobodySendsItAJob) {
  usual_.note(true);
  clock_.advance(seconds(10));
  usual_.note(true);
  EXPECT_EQ(usual_.end(!kHasAJob), minutes(1)) << "later calls do not begin the time anew";
}

}  // namespace
}  // namespace ngb::agent
