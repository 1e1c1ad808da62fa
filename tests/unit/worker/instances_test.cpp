// SPDX-License-Identifier: Apache-2.0
// Instances are real forks of this test.
#include "worker/instances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace ngb::worker {
namespace {

using samples::Phase;
using samples::PhaseUse;
using samples::ProcessResult;
using samples::Repetition;
using testing::ElementsAre;
using testing::Pair;

constexpr std::int64_t kMsNs = 1'000'000;

// Runs `work` in each of the instances, and returns what became of them all.
Instances::Outcome run(int count, const std::function<ProcessResult(const Instance&)>& work) {
  const Result<Instances> started = Instances::start(count, ::fork);
  if (!started) {
    ADD_FAILURE() << started.error().text();
    return {};
  }
  if (started->mine()) ::_exit(started->deliver(work(*started->mine())) ? 0 : 1);
  return started->wait();
}

std::int64_t clock_ns() { return system_clock().now().count(); }

// Returns a count, at first 0, that all instances which are forked later share.
std::atomic<int>& shared_count() {
  void* const page =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(page, MAP_FAILED);
  return *new (page) std::atomic<int>(0);
}

// Waits until others have raised the count to `least`, at most a minute.
void await(const std::atomic<int>& count, int least) {
  for (int i = 0; i < 60'000 && count < least; ++i) ::usleep(1'000);
}

TEST(Instances, ArePreparedOneAloneThenTheOthersAndBeginTogether) {
  std::atomic<int>& others = shared_count();  // that prepare themselves
  const Instances::Outcome outcome = run(3, [&others](const Instance& mine) {
    ProcessResult result;
    const auto note = [&](std::int64_t begin_ns) { result.repetitions.push_back({1, 1, true, begin_ns}); };
    mine.first_alone([&] {
      note(clock_ns());
      if (mine.is_first()) {
        ::usleep(30'000);
      } else {
        ++others;
        await(others, 2);
      }
      note(clock_ns());
      return true;
    });
    mine.meet([&] { ::usleep(20'000); });
    note(clock_ns());
    return result;
  });
  ASSERT_TRUE(outcome.result);
  const auto at_ns = [&](std::size_t instance, std::size_t note) {
    return outcome.result->repetitions.at(3 * instance + note).started_ns.value();
  };
  EXPECT_GE(at_ns(1, 0), at_ns(0, 1)) << "the second waits for the first";
  EXPECT_GE(at_ns(2, 0), at_ns(0, 1));
  EXPECT_LT(at_ns(2, 0), at_ns(1, 1)) << "the second and the third prepare at once";
  for (std::size_t instance = 0; instance < 3; ++instance) {
    EXPECT_GE(at_ns(instance, 2), std::max(at_ns(1, 1), at_ns(2, 1)) + 20 * kMsNs) << "all wait for the first's signal";
  }
}

TEST(Instances, GoOnUntilAllHaveEnough) {
  std::atomic<int>& repeated = shared_count();  // by the first, which needs one repetition
  const Instances::Outcome outcome = run(2, [&repeated](const Instance& mine) {
    ProcessResult result;
    while (!mine.all_have_enough()) {
      const std::int64_t begin_ns = clock_ns();
      ::usleep(1'000);
      result.repetitions.push_back({clock_ns() - begin_ns, 1, false, begin_ns});
      if (mine.is_first()) ++repeated;
      if (result.repetitions.size() > 1) continue;
      if (!mine.is_first()) await(repeated, 6);
      mine.has_enough();
    }
    return result;
  });
  ASSERT_TRUE(outcome.result);
  const auto of_first = std::count_if(outcome.result->repetitions.begin(), outcome.result->repetitions.end(),
                                      [](const Repetition& each) { return each.instance == 0; });
  EXPECT_GT(of_first, 5);
}

TEST(Instances, EndWithTheOneThatFailed) {
  const Instances::Outcome outcome = run(2, [](const Instance& mine) {
    ProcessResult result;
    if (mine.is_first()) {
      mine.meet([] {});  // for ever, because the other one does not come
    } else {
      result.failure = samples::Failure{samples::FailureKind::inaccurate, Phase::check, "too far off"};
    }
    return result;
  });
  ASSERT_TRUE(outcome.result);
  EXPECT_EQ(outcome.result->failure->message, "too far off");
}

TEST(Instances, EndWithTheOneThatCrashedAndSayHow) {
  const Instances::Outcome outcome = run(2, [](const Instance& mine) {
    if (!mine.is_first()) ::raise(SIGKILL);
    mine.meet([] {});
    return ProcessResult{};
  });
  EXPECT_FALSE(outcome.result);
  EXPECT_EXIT((void)end_like(outcome.wait_status), testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(end_like(3 << 8), 3) << "an exit code";
}

TEST(Instances, OfAProcessWithSeveralThreadsAreRefused) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer has a thread of its own";
#endif
  std::atomic<bool> is_over{false};
  std::thread second([&] {
    while (!is_over) ::usleep(1'000);
  });
  const auto refused = Instances::start(2, ::fork);
  is_over = true;
  second.join();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the worker has 2 threads before it loads its compiler, so it cannot be forked");
}

// Each instance takes numbers until none is left. Its repetitions tell which ones, and when it began.
TEST(Instances, BeginTogetherAndTakeEachNumberOnceInAscendingOrder) {
  constexpr std::uint64_t kNumbers = 1'000;
  const Instances::Outcome outcome = run(2, [](const Instance& mine) {
    ProcessResult result;
    const std::int64_t begin_ns = mine.begin_together([&] { return mine.is_first() ? 42 : 43; });
    for (std::uint64_t number = mine.take_number(); number < kNumbers; number = mine.take_number()) {
      result.repetitions.push_back({static_cast<std::int64_t>(number), 1, true, begin_ns});
      ::usleep(10);
    }
    return result;
  });
  ASSERT_TRUE(outcome.result);
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < outcome.result->repetitions.size(); ++i) {
    const Repetition& each = outcome.result->repetitions[i];
    EXPECT_EQ(each.started_ns, 42) << "the first one's time";
    if (i > 0 && outcome.result->repetitions[i - 1].instance == each.instance) {
      EXPECT_GT(each.wall_ns, taken.back());
    }
    taken.push_back(each.wall_ns);
  }
  std::sort(taken.begin(), taken.end());
  ASSERT_EQ(taken.size(), kNumbers);
  EXPECT_EQ(taken.front(), 0);
  EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end());
}

TEST(Instances, ThatAreAloneTakeNumbersToo) {
  const Instance alone;
  const Instance copy = alone;
  EXPECT_EQ(alone.take_number(), 0U);
  EXPECT_EQ(copy.take_number(), 1U) << "a copy is the same instance";
  EXPECT_EQ(alone.begin_together([] { return 7; }), 7);
}

PhaseUse phase(Phase phase, std::int64_t begin_ms, std::int64_t wall_ms, std::int64_t cpu_ms, std::uint64_t peak) {
  return {phase, wall_ms * kMsNs, Known<std::int64_t>::of(cpu_ms * kMsNs), Known<std::uint64_t>::of(peak),
          begin_ms * kMsNs};
}

Repetition at(std::int64_t begin_ms, std::int64_t wall_ms, bool is_warm_up = false) {
  return {wall_ms * kMsNs, 1, is_warm_up, begin_ms * kMsNs};
}

// instance  0 … 10 … 20 … 30 … 40 … 50 … 60 … 70 ms; w: warm-up
//    0      [ w  ][    ][    ][    ][    ][    ]
//    1           [  w   ][         ][         ][         ]
// All run steady repetitions from 25 to 60 ms.
TEST(JoinedInstances, CountOnlyRepetitionsWithinTheTimeInWhichAllRanSteadyOnes) {
  std::vector<ProcessResult> results(2);
  results[0].repetitions = {at(0, 10, true), at(10, 10), at(20, 10), at(30, 10), at(40, 10), at(50, 10)};
  results[1].repetitions = {at(10, 15, true), at(25, 20), at(45, 15), at(60, 20)};
  const ProcessResult joined = join_instances(std::move(results));
  std::vector<std::pair<std::uint32_t, std::int64_t>> counted;
  for (const Repetition& each : joined.repetitions) {
    if (!each.is_warm_up) counted.emplace_back(each.instance, *each.started_ns / kMsNs);
  }
  EXPECT_THAT(counted, ElementsAre(Pair(0, 30), Pair(0, 40), Pair(0, 50), Pair(1, 25), Pair(1, 45)));
  EXPECT_EQ(joined.repetitions.size(), 10U) << "all are kept";
}

TEST(JoinedInstances, CountNothingIfOneHadNoSteadyRepetition) {
  std::vector<ProcessResult> results(2);
  results[0].repetitions = {at(0, 10), at(10, 10)};
  results[1].repetitions = {at(0, 10, true)};
  for (const Repetition& each : join_instances(std::move(results)).repetitions) EXPECT_TRUE(each.is_warm_up);
}

TEST(JoinedInstances, CountEachRepetitionThatAnsweredRequests) {
  std::vector<ProcessResult> results(2);
  results[0].repetitions = {at(0, 10, true), at(10, 10), at(50, 10)};
  results[1].repetitions = {at(0, 10, true), at(25, 20)};
  std::vector<bool> are_warm_up;
  for (const Repetition& each : join_instances(std::move(results), Counted::all).repetitions) {
    are_warm_up.push_back(each.is_warm_up);
  }
  EXPECT_THAT(are_warm_up, ElementsAre(true, false, false, true, false));
}

TEST(JoinedInstances, HaveTheFirstOnesPreparationAndTheProcessorTimeAndMemoryOfAll) {
  std::vector<ProcessResult> results(2);
  results[0].phases = {phase(Phase::compile, 0, 30, 40, 100), phase(Phase::timed, 100, 50, 45, 200)};
  results[1].phases = {phase(Phase::compile, 30, 35, 45, 110), phase(Phase::timed, 101, 52, 44, 210)};
  const ProcessResult joined = join_instances(std::move(results));
  ASSERT_EQ(joined.phases.size(), 2U);
  EXPECT_EQ(joined.phases[0].wall_ns, 30 * kMsNs);
  EXPECT_EQ(joined.phases[0].cpu_ns.value, 40 * kMsNs);
  EXPECT_EQ(joined.phases[1].started_ns, 100 * kMsNs);
  EXPECT_EQ(joined.phases[1].wall_ns, 53 * kMsNs) << "from 100 to 153 ms";
  EXPECT_EQ(joined.phases[1].cpu_ns.value, 89 * kMsNs);
  EXPECT_EQ(joined.phases[1].peak_rss_bytes.value, 410U);
}

TEST(JoinedInstances, HaveTheWorstCheckAndTheLongestWait) {
  std::vector<ProcessResult> results(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double more = static_cast<double>(i);
    results[i].check =
        samples::Check{"identity", 10, Known<double>::of(1e-6 + more), Known<double>::of(0.5 - more), 9 - i};
    results[i].readings = {{"run_queue_wait", "percent", "timed", Known<double>::of(1 + more)},
                           {"page_faults", "1/s", "timed", Known<double>::of(10 + more)},
                           {"load_1min", "1", "end", Known<double>::of(more)}};
    results[i].facts = {{"affinity", std::to_string(i)}};
    results[i].threads_used = Known<int>::of(1 + static_cast<int>(i));
    results[i].stop_reason = i == 0 ? "repetitions" : "max_time";
  }
  results[1].is_steady = false;
  const ProcessResult joined = join_instances(std::move(results));
  EXPECT_EQ(joined.check->max_absolute_error.value, 1e-6 + 1);
  EXPECT_EQ(joined.check->max_relative_error.value, 0.5);
  EXPECT_EQ(joined.check->finite_elements, 8U);
  EXPECT_EQ(joined.readings[0].value.value, 2);
  EXPECT_EQ(joined.readings[1].value.value, 21);
  EXPECT_EQ(joined.readings[2].value.value, 0);
  EXPECT_EQ(joined.facts.at("affinity"), "0 | 1");
  EXPECT_EQ(joined.threads_used.value, 2);
  EXPECT_FALSE(joined.is_steady);
  EXPECT_EQ(joined.stop_reason, "max_time");
}

TEST(JoinedInstances, KeepTheLatenciesOfEachRepetition) {
  std::vector<ProcessResult> results(2);
  results[0].repetitions = {at(0, 10), at(10, 10)};
  results[0].latencies_ns = {{1}};  // those of the second repetition were not kept
  results[1].repetitions = {at(0, 10), at(10, 10)};
  results[1].latencies_ns = {{2}, {3, 4}};
  EXPECT_THAT(join_instances(std::move(results)).latencies_ns,
              ElementsAre(ElementsAre(1), ElementsAre(), ElementsAre(2), ElementsAre(3, 4)));
}

}  // namespace
}  // namespace ngb::worker
