// SPDX-License-Identifier: Apache-2.0
#include "worker/resources.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "worker/threads.h"

namespace ngb::worker {
namespace {

void burn(std::int64_t cpu_ns) {
  const std::int64_t end_ns = cpu_time_of_tree_ns().value.value() + cpu_ns;
  while (cpu_time_of_tree_ns().value.value() < end_ns) {
  }
}

TEST(PhaseMeter, TellsPhaseWallTimeAndCpuTime) {
  samples::ProgressPage page;
  const PhaseMeter meter(samples::Phase::compile, &page);
  EXPECT_EQ(page.phase.load(), static_cast<std::int32_t>(samples::Phase::compile));
  burn(20'000'000);
  const samples::PhaseUse use = meter.end();
  EXPECT_EQ(use.phase, samples::Phase::compile);
  EXPECT_GE(use.wall_ns, 15'000'000);
  EXPECT_GE(use.cpu_ns.value.value_or(0), 20'000'000);
}

TEST(PhaseMeter, PeakMemoryIsThatOfThePhaseAlone) {
  const auto touch = [](std::size_t bytes) {
    std::vector<char> memory(bytes, 1);
    asm volatile("" : : "r"(memory.data()) : "memory");
  };
  const PhaseMeter large(samples::Phase::compile, nullptr);
  touch(300 << 20);
  const samples::PhaseUse large_use = large.end();
  if (!large_use.peak_rss_bytes.value) GTEST_SKIP() << large_use.peak_rss_bytes.reason;
  const PhaseMeter small(samples::Phase::check, nullptr);
  const samples::PhaseUse small_use = small.end();
  EXPECT_GE(*large_use.peak_rss_bytes.value, std::uint64_t{300} << 20U);
  EXPECT_LT(*small_use.peak_rss_bytes.value, std::uint64_t{200} << 20U);
}

TEST(Resources, SayWhyPeakMemoryIsUnknown) {
  EXPECT_FALSE(reset_peak_memory("/nonexistent"));
  const auto peak = peak_memory_bytes("/nonexistent");
  EXPECT_FALSE(peak.value);
  EXPECT_NE(peak.reason.find("/nonexistent"), std::string::npos);
}

TEST(Resources, ReadThePeakInBytes) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "proc_of_a_test";
  ASSERT_TRUE(file::make_folder(folder / "self"));
  ASSERT_TRUE(file::write_atomically(folder / "self/status", "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t 5 kB\n"));
  EXPECT_EQ(peak_memory_bytes(folder.string()).value, 1234U * 1024U);
  ASSERT_TRUE(file::write_atomically(folder / "self/status", "Name:\tx\n"));
  EXPECT_FALSE(peak_memory_bytes(folder.string()).value);
  std::filesystem::remove_all(folder);
}

TEST(Resources, CountTheCpuTimeOfLiveAndOfEndedChildren) {
  const std::int64_t before_ns = cpu_time_of_tree_ns().value.value();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    burn(100'000'000);
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_GE(cpu_time_of_tree_ns().value.value() - before_ns, 90'000'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(cpu_time_of_tree_ns().value.value() - before_ns, 90'000'000);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(ThreadMeter, CountsThreadsThatUsedMoreThanOnePercent) {
  const std::map<pid_t, std::int64_t> before = {{1, 1000}, {2, 0}, {3, 500}};
  const std::map<pid_t, std::int64_t> after = {{1, 1000 + 20'000}, {2, 10'000}, {3, 500 + 10'001}, {4, 1'500'000}};
  EXPECT_EQ(count_busy(before, after, 1'000'000), 3);  // 1, 3 and the new 4; 2 has 1 % exactly
}

TEST(ThreadMeter, CountsTheWorkingThreadsOfAStarvedProcess) {
  const std::map<pid_t, std::int64_t> before = {{1, 0}, {2, 0}, {3, 0}};
  const std::map<pid_t, std::int64_t> after = {{1, 3'000'000}, {2, 2'000'000}, {3, 1'000}};
  EXPECT_EQ(count_busy(before, after, 30'000'000'000), 2);
}

TEST(ThreadMeter, SeesBusyThreadsAndNotIdleOnes) {
  std::atomic<bool> is_ending{false};
  std::atomic<int> ready{0};
  std::thread idle([&] {
    ++ready;
    is_ending.wait(false);
  });
  std::thread busy([&] {
    ++ready;
    while (!is_ending) {
    }
  });
  while (ready < 2) {
  }
  const ThreadMeter meter;
  const PhaseMeter phase(samples::Phase::timed, nullptr);
  burn(100'000'000);
  const auto used = meter.busy_since(phase.end().wall_ns);
  is_ending = true;
  is_ending.notify_all();
  idle.join();
  busy.join();
  EXPECT_EQ(used.value, 2);
}

}  // namespace
}  // namespace ngb::worker
