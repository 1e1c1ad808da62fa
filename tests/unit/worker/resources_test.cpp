// SPDX-License-Identifier: Apache-2.0
#include "worker/resources.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "temporary_folder.h"
#include "worker/threads.h"

namespace ngb::worker {
namespace {

void burn(std::int64_t cpu_ns) {
  const std::int64_t end_ns = cpu_time_of_tree_ns().value.value() + cpu_ns;
  while (cpu_time_of_tree_ns().value.value() < end_ns) {
  }
}

TEST(PhaseMeter, ReportsPhaseWallTimeAndCpuTime) {
  samples::ProgressPage page;
  const PhaseMeter meter(samples::Phase::compile, &page);
  EXPECT_EQ(page.phase.load(), static_cast<std::int32_t>(samples::Phase::compile));
  burn(20'000'000);
  const samples::PhaseUse use = meter.end();
  EXPECT_EQ(use.phase, samples::Phase::compile);
  EXPECT_GE(use.wall_ns, 15'000'000);
  EXPECT_GE(use.cpu_ns.value.value_or(0), 20'000'000);
}

TEST(PhaseMeter, MeasuresThePeakMemoryOfThePhaseAlone) {
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

// 64 MiB are 16,384 pages of 4 KiB. The kernel gives each page at its first touch and never again.
TEST(PageFaultMeter, CountsPagesThatAreTouchedForTheFirstTime) {
  constexpr std::size_t kBytes = 64 << 20;
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, kBytes, MADV_NOHUGEPAGE);
  const auto faults_while_touching = [&](std::int64_t paused_faults = 0) {
    const std::int64_t begin_ns = system_clock().now().count();
    const PageFaultMeter meter;
    for (std::size_t at = 0; at < kBytes; at += page_bytes) static_cast<volatile char*>(memory)[at] = 1;
    const samples::Reading reading = meter.reading(0, paused_faults);
    EXPECT_EQ(reading.quantity + " " + reading.unit + " " + reading.moment, "page_faults 1/s timed");
    return reading.value.value.value_or(0) * static_cast<double>(system_clock().now().count() - begin_ns) * 1e-9;
  };
  const auto pages = static_cast<double>(kBytes / page_bytes);
  EXPECT_GE(faults_while_touching(), pages);
  EXPECT_LT(faults_while_touching(), pages / 10);
  ::madvise(memory, kBytes, MADV_DONTNEED);
  EXPECT_LT(faults_while_touching(static_cast<std::int64_t>(pages)), pages / 10);  // those of pauses do not count
  ::munmap(memory, kBytes);
}

TEST(Resources, HaveAReasonIfPeakMemoryIsUnknown) {
  EXPECT_FALSE(reset_peak_memory("/nonexistent"));
  const auto peak = peak_memory_bytes("/nonexistent");
  EXPECT_FALSE(peak.value);
  EXPECT_NE(peak.reason.find("/nonexistent"), std::string::npos);
}

TEST(Resources, ReadThePeakInBytes) {
  const TemporaryFolder folder;
  folder.write("self/status", "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t 5 kB\n");
  EXPECT_EQ(peak_memory_bytes(folder.path().string()).value, 1234U * 1024U);
  folder.write("self/status", "Name:\tx\n");
  EXPECT_FALSE(peak_memory_bytes(folder.path().string()).value);
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
