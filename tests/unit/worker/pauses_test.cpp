// SPDX-License-Identifier: Apache-2.0
#include "worker/pauses.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>

#include "worker/resources.h"

namespace ngb::worker {
namespace {

constexpr double kMaxWaitRatio = 0.05;

std::chrono::nanoseconds settling_of(int threads) {
  Pauses pauses([] { return true; }, threads, kMaxWaitRatio);
  pauses.begin();
  EXPECT_TRUE(pauses.settle());
  return std::chrono::nanoseconds(pauses.wall_ns());
}

// The kernel counts a wait when it ends: with 250 ticks a second, up to 4 ms after it began.
TEST(Pauses, SettleForLongerThanATickWhereThreadsMayWaitForEachOther) {
  EXPECT_GE(settling_of(2), std::chrono::milliseconds(10));
  EXPECT_GE(settling_of(1), std::chrono::milliseconds(2));
}

TEST(Pauses, EndWithTheFirstInferenceThatFails) {
  int inferences = 0;
  Pauses pauses([&inferences] { return ++inferences < 3; }, 2, kMaxWaitRatio);
  EXPECT_FALSE(pauses.settle());
  EXPECT_EQ(inferences, 3);
}

TEST(Pauses, CountInNoUseOfTheTimedPhase) {
  Pauses pauses([] { return true; }, 1, kMaxWaitRatio);
  EXPECT_TRUE(pauses.settle());
  samples::PhaseUse timed;
  timed.wall_ns = pauses.wall_ns() + 7;
  pauses.leave_out_of(timed);
  EXPECT_EQ(timed.wall_ns, 7);
}

// A compiler whose every inference takes new pages from the kernel, and gives them back.
bool infer_with_new_pages() {
  constexpr std::size_t kBytes = 1U << 20U;
  void* const pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  std::memset(pages, 1, kBytes);
  ::munmap(pages, kBytes);
  return true;
}

TEST(Pauses, AddNoPageFaultsToTheTimedPhase) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer touches pages of its own";
#endif
  Pauses pauses(infer_with_new_pages, 1, kMaxWaitRatio);
  pauses.begin();
  EXPECT_TRUE(pauses.settle());  // what this process, or a sanitizer, touches for the first time
  const auto before = page_faults().value.value_or(0);
  const auto of_first_pause = pauses.page_faults();
  EXPECT_TRUE(pauses.settle());
  const auto of_second_pause = pauses.page_faults() - of_first_pause;
  EXPECT_GE(of_second_pause, 256) << "of at least one inference";
  EXPECT_LE(page_faults().value.value_or(0) - before - of_second_pause, 100) << "outside of the pause";
}

}  // namespace
}  // namespace ngb::worker
