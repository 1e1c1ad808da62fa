// SPDX-License-Identifier: Apache-2.0
#include "probe/contention.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "made_up_machine.h"

namespace ngb::probe {
namespace {

using samples::Reading;

constexpr std::int64_t kSecond = 1'000'000'000;

class Contention : public MadeUpMachine {
 protected:
  // Counts in ns of each thread of process 42: on a processor, and waiting for one.
  void put_threads(const std::map<int, std::pair<std::int64_t, std::int64_t>>& threads) {
    for (const auto& [thread, times] : threads) {
      put(fmt::format("/proc/42/task/{}/schedstat", thread), fmt::format("{} {} 7\n", times.first, times.second));
    }
  }
  // Ticks of processors 0 and 1: user, idle, steal.
  void put_ticks(std::array<int, 3> zero, std::array<int, 3> one) {
    const auto line = [](const char* name, const std::array<int, 3>& ticks) {
      return fmt::format("{} {} 0 0 {} 0 0 0 {} 0 0\n", name, ticks[0], ticks[1], ticks[2]);
    };
    put("/proc/stat", line("cpu ", {zero[0] + one[0], zero[1] + one[1], zero[2] + one[2]}) + line("cpu0", zero) +
                          line("cpu1", one) + "intr 1 2 3\n");
  }
  // `at_ns`: on the monotonic clock.
  [[nodiscard]] Counters read(std::int64_t at_ns, std::vector<int> cpus = {1}) const {
    Counters counters = ContentionMeter("42", std::move(cpus), root()).read();
    counters.taken_ns = at_ns;
    return counters;
  }
};

Known<double> value(const std::vector<Reading>& readings, const std::string& quantity) {
  for (const Reading& reading : readings) {
    if (reading.quantity == quantity) return reading.value;
  }
  return Known<double>::unknown("not there");
}

TEST_F(Contention, IsTheLongestWaitOfAThreadThatWorked) {
  put_threads({{42, {1'000'000, 0}}, {43, {5'000'000, 2'000'000}}, {44, {0, 0}}});
  const Counters before = read(0);
  // Thread 44 waited longest, but ran for 0.5 ms of 100, as a helper does.
  put_threads({{42, {71'000'000, 30'000'000}}, {43, {95'000'000, 12'000'000}}, {44, {500'000, 60'000'000}}});
  EXPECT_DOUBLE_EQ(*value(waits_between(before, read(100'000'000)), "run_queue_wait").value, 30);
}

TEST_F(Contention, OfAThreadThatBeganMeanwhileCountsFromItsStart) {
  put_threads({{42, {50'000'000, 0}}});
  const Counters before = read(0);
  put_threads({{42, {50'000'000, 0}}, {45, {80'000'000, 20'000'000}}});
  EXPECT_DOUBLE_EQ(*value(waits_between(before, read(100'000'000)), "run_queue_wait").value, 20);
}

TEST_F(Contention, OfInstancesIsTheLongestWaitOfAThreadOfAnyAndNoneOfThemIsAnotherProgram) {
  const auto both = [&](std::int64_t at_ns) {
    Counters counters = ContentionMeter(std::vector<pid_t>{42, 50}, {0, 1}, root()).read();
    counters.taken_ns = at_ns;
    return counters;
  };
  put_threads({{42, {0, 0}}});
  put("/proc/50/task/50/schedstat", "0 0 7\n");
  put_ticks({0, 0, 0}, {0, 0, 0});
  const Counters before = both(0);
  put_threads({{42, {900'000'000, 10'000'000}}});
  put("/proc/50/task/50/schedstat", "800000000 200000000 7\n");
  put_ticks({90, 10, 0}, {90, 10, 0});
  const auto readings = waits_between(before, both(kSecond));
  EXPECT_DOUBLE_EQ(*value(readings, "run_queue_wait").value, 20);
  EXPECT_NEAR(*value(readings, "other_cpu").value, 5, 1e-9) << "180 of 200 ticks, less the 170 of both";
}

TEST_F(Contention, OfAProcessThatPausedIsThatOfTheTimeInWhichItWorked) {
  put_threads({{42, {0, 0}}});
  put_ticks({0, 0, 0}, {0, 0, 0});
  const Counters before = read(0);
  put_threads({{42, {90'000'000, 10'000'000}}});
  put_ticks({0, 0, 0}, {10, 0, 0});
  const Counters pause_begin = read(100'000'000);
  // Others had the processor, and this process waited when it was to go on.
  put_threads({{42, {91'000'000, 60'000'000}}});
  put_ticks({0, 0, 0}, {60, 0, 0});
  const Counters pause_end = read(600'000'000);
  put_threads({{42, {181'000'000, 70'000'000}}});
  put_ticks({0, 0, 0}, {70, 0, 0});
  const std::vector<Reading> waits = waits_between(without(before, pause_begin, pause_end), read(700'000'000));
  EXPECT_DOUBLE_EQ(*value(waits, "run_queue_wait").value, 10);  // 20 of 200 ms
  EXPECT_DOUBLE_EQ(*value(waits, "other_cpu").value, 10);       // 20 ticks less 180 ms
}

TEST_F(Contention, IsUnknownWhereTheKernelDoesNotCountWaits) {
  const Known<double> none = value(waits_between(read(0), read(kSecond)), "run_queue_wait");
  EXPECT_FALSE(none.value);
  EXPECT_EQ(none.reason, "no /proc/42/task on this machine");
  put("/proc/42/task/42/stat", "");
  EXPECT_EQ(value(waits_between(read(0), read(kSecond)), "run_queue_wait").reason,
            "no /proc/42/task/42/schedstat on this machine");
}

TEST_F(Contention, SeparatesTheHostsShareOfTheProcessorsFromThatOfOtherPrograms) {
  put_threads({{42, {0, 0}}});
  put_ticks({0, 0, 0}, {100, 100, 0});
  const Counters before = read(0);
  put_threads({{42, {600'000'000, 0}}});
  put_ticks({900, 100, 0}, {190, 190, 20});  // of 200 ticks: 90 user, 20 steal; the process had 60 of the 90
  const std::vector<Reading> waits = waits_between(before, read(2 * kSecond));
  EXPECT_DOUBLE_EQ(*value(waits, "core_steal").value, 10);
  EXPECT_DOUBLE_EQ(*value(waits, "other_cpu").value, 15);
}

TEST_F(Contention, IsKnownOfAShortPhaseOnlyFromCountersInNanoseconds) {
  put_threads({{42, {0, 0}}});
  put_ticks({0, 0, 0}, {100, 100, 0});
  const Counters before = read(0);
  put_threads({{42, {9'000'000, 1'000'000}}});
  put_ticks({0, 0, 0}, {100, 100, 1});
  const std::vector<Reading> waits = waits_between(before, read(10'000'000));
  EXPECT_DOUBLE_EQ(*value(waits, "run_queue_wait").value, 10);
  EXPECT_EQ(value(waits, "core_steal").value, std::nullopt) << "one tick would be 100 % of 10 ms";
  EXPECT_EQ(value(waits, "core_steal").reason, "shorter than 20 ticks of the kernel's clock");
}

TEST_F(Contention, CountsTheQuotaOfTheTightestGroupOfVersion2InMicroseconds) {
  put("/proc/self/cgroup", "0::/slice/unit\n");
  put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  put("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
  put("/sys/fs/cgroup/slice/unit/cpu.stat", "usage_usec 5\nthrottled_usec 0\n");
  put("/sys/fs/cgroup/slice/cpu.stat", "usage_usec 5\nthrottled_usec 1000\n");
  const Counters before = read(0);
  EXPECT_EQ(before.throttled_ns.value, 1'000'000U);
  put("/sys/fs/cgroup/slice/cpu.stat", "usage_usec 5\nthrottled_usec 251000\n");
  EXPECT_DOUBLE_EQ(*value(waits_between(before, read(kSecond)), "throttled").value, 25);
}

TEST_F(Contention, CountsTheQuotaOfVersion1InNanoseconds) {
  put("/proc/self/cgroup", "1:cpu:/box\n");
  put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  put("/sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 500000000\n");
  EXPECT_EQ(read(0).throttled_ns.value, 500'000'000U);
}

TEST_F(Contention, WithoutAControlGroupHasNoQuotaAndSaysSo) {
  const Known<double> none = value(waits_between(read(0), read(kSecond)), "throttled");
  EXPECT_FALSE(none.value);
  EXPECT_EQ(none.reason, "no /proc/self/cgroup on this machine");
}

}  // namespace
}  // namespace ngb::probe
