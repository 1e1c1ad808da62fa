// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::agent {
namespace {

using samples::FailureKind;
using samples::Phase;
using std::chrono::seconds;

const work::Timeouts kTimeouts{.compile_ns = 100'000'000'000, .run_ns = 10'000'000'000};

TEST(Deadlines, AreExceededWhenACompilationExceedsItsTimeLimit) {
  FakeClock clock;
  Deadlines deadlines(kTimeouts, clock.now());
  clock.advance(seconds(99));
  EXPECT_FALSE(deadlines.look(clock.now(), Phase::check));
  clock.advance(seconds(1));
  const auto over = deadlines.look(clock.now(), Phase::check);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->kind, FailureKind::timeout);
  EXPECT_EQ(over->phase, Phase::check);
  EXPECT_EQ(over->message, "ended by the time limit: start, open, compile and check took longer than 1 min 40 s");
  EXPECT_EQ(over->advice, "raise the study's compile timeout");
}

TEST(Deadlines, CountTheRunFromTheFirstCheckThatSeesIt) {
  FakeClock clock;
  Deadlines deadlines(kTimeouts, clock.now());
  EXPECT_EQ(deadlines.next(), Nanoseconds(seconds(100)));
  clock.advance(seconds(60));
  EXPECT_FALSE(deadlines.look(clock.now(), Phase::warm_up));
  EXPECT_EQ(deadlines.next(), Nanoseconds(seconds(70)));
  clock.advance(seconds(9));
  EXPECT_FALSE(deadlines.look(clock.now(), Phase::timed));
  clock.advance(seconds(1));
  const auto over = deadlines.look(clock.now(), Phase::timed);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->message, "ended by the time limit: warm-up and timed repetitions took longer than 10.0 s");
}

TEST(MemoryLimit, IsExceededOnlyAboveTheLimit) {
  EXPECT_FALSE(look_at_memory(1'000'000, 1'000'000, Phase::compile));
  const auto over = look_at_memory(2'500'000, 1'000'000, Phase::compile);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->kind, FailureKind::out_of_memory);
  EXPECT_EQ(over->message, "ended by the memory limit: its processes held 2.5 MB, the limit is 1 MB");
}

TEST(DeviceLimits, AllowNoProcessAfterTheDevicesTime) {
  work::DeviceLimits limits;
  EXPECT_TRUE(may_begin(limits, std::chrono::hours(1000), "/tmp"));
  limits.time_ns = 7'200'000'000'000;
  EXPECT_TRUE(may_begin(limits, seconds(7199), "/tmp"));
  const Status over = may_begin(limits, seconds(7200), "/tmp");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().what, "the device may be used for 2 h 00 min, and that time is over");
}

TEST(DeviceLimits, AllowNoProcessOnADiskThatIsTooFull) {
  work::DeviceLimits limits;
  limits.free_disk_bytes = 1;
  EXPECT_TRUE(may_begin(limits, seconds(0), "/tmp"));
  limits.free_disk_bytes = 1ULL << 62U;
  const Status full = may_begin(limits, seconds(0), "/tmp");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().what.find("the disk is too full"), std::string::npos);
}

TEST(MemoryLimit, TheKernelCountsItsKills) { EXPECT_TRUE(kernel_memory_kills().has_value()); }

}  // namespace
}  // namespace ngb::agent
