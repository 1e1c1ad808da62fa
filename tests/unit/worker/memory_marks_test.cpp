// SPDX-License-Identifier: Apache-2.0
#include "worker/memory_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "player.h"
#include "temporary_folder.h"

namespace ngb::worker {
namespace {

TEST(OwnMemory, IsThatOfTheRollup) {
  const TemporaryFolder proc;
  proc.write("self/smaps_rollup",
             "00400000-7ffd000 ---p 00000000 00:00 0 [rollup]\nRss:    2048 kB\nPss:    1024 kB\n");
  const OwnMemory memory = own_memory(proc.path().string());
  EXPECT_EQ(memory.resident.value, 2048 * 1024);
  EXPECT_EQ(memory.proportional.value, 1024 * 1024);
}

TEST(OwnMemory, OfAKernelWithoutARollupIsResidentOnly) {
  const TemporaryFolder proc;
  proc.write("self/statm", "9999 100 1 1 0 1 0\n");
  const OwnMemory memory = own_memory(proc.path().string());
  EXPECT_EQ(memory.resident.value, 100.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_THAT(memory.proportional.reason, testing::HasSubstr("smaps_rollup"));
}

TEST(MemoryMarks, AreReadingsOfOneTimeEach) {
  MemoryMarks marks(true);
  marks.add(7);
  std::vector<samples::Reading> readings;
  marks.add_to(readings);
  ASSERT_EQ(readings.size(), 3U);
  EXPECT_EQ(readings[0].quantity, "inferences");
  EXPECT_EQ(readings[0].value.value, 7);
  EXPECT_EQ(readings[1].quantity, "memory");
  EXPECT_GT(readings[1].value.value, 0);
  EXPECT_EQ(readings[1].at_ns, readings[0].at_ns);
  MemoryMarks none(false);
  none.add(7);
  readings.clear();
  none.add_to(readings);
  EXPECT_TRUE(readings.empty());
}

// Returns after how many inferences a process is marked whose inferences take so long, and which has run so many.
std::vector<std::uint64_t> marks_of(std::int64_t inference_ns, std::int64_t most_ns) {
  Player player([inference_ns](std::size_t) { return inference_ns; });
  Repetitions timed({.repetitions = 3, .warm_up = 0}, player);
  EXPECT_TRUE(timed.infer_first() && timed.warm_up() && timed.time());
  const std::size_t kept = timed.repetitions().size();
  std::vector<std::uint64_t> marks;
  EXPECT_TRUE(timed.watch(most_ns, [&](std::uint64_t inferences) { marks.push_back(inferences); }));
  EXPECT_EQ(timed.repetitions().size(), kept) << "what it runs then does not count";
  for (std::uint64_t& each : marks) each -= timed.inferences();
  return marks;
}

TEST(AWatchedProcess, RunsAThousandInferencesAndIsMarkedAHundredTimes) {
  const std::vector<std::uint64_t> marks = marks_of(10 * kMillisecondNs, 30'000 * kMillisecondNs);
  ASSERT_EQ(marks.size(), 101U);
  EXPECT_EQ(marks[0], 0U);
  EXPECT_EQ(marks[1], 10U);
  EXPECT_EQ(marks[100], 1000U);
}

// Inferences of 100 ms: ten from a mark to the next, and 30 s end after the thirtieth.
TEST(AWatchedProcess, EndsAfterAWhileWhereInferencesTakeLong) {
  const std::vector<std::uint64_t> marks = marks_of(100 * kMillisecondNs, 30'000 * kMillisecondNs);
  ASSERT_EQ(marks.size(), 31U);
  EXPECT_EQ(marks.back(), 300U);
}

// Of 0.01 ms, 120 of which are a repetition.
TEST(AWatchedProcess, RunsAHundredRepetitionsOfShortInferences) {
  const std::vector<std::uint64_t> marks = marks_of(kMillisecondNs / 100, 30'000 * kMillisecondNs);
  ASSERT_EQ(marks.size(), 101U);
  EXPECT_EQ(marks.back(), 100 * marks[1]);
  EXPECT_GE(marks[1], 100U);
}

}  // namespace
}  // namespace ngb::worker
