// SPDX-License-Identifier: Apache-2.0
// A made-up compiler with a clock that it moves itself: its kernels take what the test says.
#include "worker/profiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ngb::worker {
namespace {

using samples::FailureKind;
using samples::Repetition;
using testing::ElementsAre;
using testing::HasSubstr;

// What the made-up compiler does, and what it was asked.
struct Play {
  std::vector<std::string> log{};
  std::vector<std::vector<double>> kernel_ns{};  // of each profile; the last one repeats
  std::size_t profiles = 0;
  std::size_t calls = 1;  // of the kernel "b" in the third profile and later
  bool swaps = false;     // the two kernels from the third profile on
  bool fails_to_end = false;
};
Play play;  // the C table has no context before a session
int session_of_play = 0;

ngb_status run(ngb_session* /*session*/, ngb_error* /*error*/) {
  play.log.emplace_back("run");
  return NGB_OK;
}
ngb_status begin(ngb_session* /*session*/, ngb_error* /*error*/) {
  play.log.emplace_back("begin");
  return NGB_OK;
}
ngb_status end(ngb_session* /*session*/, std::uint32_t inferences, const ngb_kernel** kernels, std::uint32_t* count,
               ngb_error* error) {
  static const char* const kNode = "conv";
  static std::vector<ngb_kernel> told;
  play.log.push_back("end " + std::to_string(inferences));
  if (play.fails_to_end) {
    error->message[0] = 'x';
    error->message[1] = '\0';
    return NGB_NO_PROFILE;
  }
  const std::vector<double>& times = play.kernel_ns[std::min(play.profiles++, play.kernel_ns.size() - 1)];
  told.clear();
  told.push_back({"a\xff", "Conv", times[0], &kNode, 1, nullptr, 0, "node name"});
  const std::size_t calls = play.profiles > 2 ? play.calls : 1;
  for (std::size_t i = 0; i < calls; ++i) told.push_back({"b", nullptr, times[1], nullptr, 0, nullptr, 0, nullptr});
  if (play.swaps && play.profiles > 2) std::swap(told[0], told[1]);
  *kernels = told.data();
  *count = static_cast<std::uint32_t>(told.size());
  return NGB_OK;
}

ngb_compiler table_of_play() {
  ngb_compiler table{};
  table.abi = NGB_ABI;
  table.struct_size = sizeof table;
  table.describe = [] { return R"({"name": "made up"})"; };
  table.open = [](const ngb_settings* settings, ngb_session** session, ngb_error*) {
    *session = reinterpret_cast<ngb_session*>(&session_of_play);
    if (settings->is_profiled == 1) play.log.emplace_back("open to be profiled");
    return NGB_OK;
  };
  table.run = run;
  table.begin_profile = begin;
  table.end_profile = end;
  table.inspect = [](ngb_session*, std::uint32_t, const char**, const char**) -> std::int32_t { return 0; };
  table.close = [](ngb_session*) {};
  return table;
}

class Profiling : public testing::Test {
 protected:
  Profiling() {
    play = {.kernel_ns = {{100, 10}}};
    EXPECT_TRUE(session_.open({}, {}, {}, nullptr, {.is_profiled = true}));
    play.log.clear();
  }

  // Runs `count` repetitions at once, as a turn does, and returns how many were completed.
  std::size_t turn(std::size_t count, std::uint32_t inferences = 1) {
    std::vector<std::int64_t> walls(count);
    std::vector<std::int64_t> begins(count);
    const std::size_t done = profiling_.repeat(inferences, {walls, begins}, {});
    for (std::size_t i = 0; i < done; ++i) repetitions_.push_back({walls[i], inferences, false, begins[i]});
    return done;
  }

  ngb_compiler table_ = table_of_play();
  Session session_{table_};
  samples::RunCount counted_{};
  TimedRepeater repeater_{session_.target(&counted_), 1};
  ProfilingRepeater profiling_{repeater_, session_};
  std::vector<Repetition> repetitions_{};
};

TEST_F(Profiling, RunsPlainRepetitionsUntilItBegins) {
  EXPECT_EQ(turn(2), 2U);
  EXPECT_THAT(play.log, ElementsAre("run", "run"));
}

TEST_F(Profiling, FollowsTheRepetitionsOfATurnByAsManyProfiledOnes) {
  profiling_.begin();
  EXPECT_EQ(turn(2, 3), 2U);
  EXPECT_THAT(play.log, ElementsAre("run", "run", "run", "run", "run", "run",  //
                                    "begin", "run", "run", "run", "run", "run", "run", "end 6"));
  EXPECT_EQ(counted_.repetitions, 2U) << "profiled repetitions are none of the process's";
}

TEST_F(Profiling, GivesTheKernelsWithWhatIsKnownOfThem) {
  profiling_.begin();
  turn(1);
  const samples::KernelProfile profile = profiling_.profile(repetitions_, "", {}).value();
  ASSERT_EQ(profile.kernels.size(), 2U);
  EXPECT_EQ(profile.kernels[0].name, "a\xEF\xBF\xBD") << "names that are not text become text";
  EXPECT_EQ(profile.kernels[0].kind, "Conv");
  EXPECT_THAT(profile.kernels[0].nodes, ElementsAre("conv"));
  EXPECT_EQ(profile.kernels[0].found_by, "node name");
  EXPECT_EQ(profile.kernels[1].found_by, "");
  EXPECT_THAT(profile.kernel_ns, ElementsAre(100, 10));
  EXPECT_EQ(profile.inferences, 1U);
}

TEST_F(Profiling, CountsOnlyProfilesWhoseRepetitionsAreKept) {
  play.kernel_ns = {{900, 90}, {100, 10}};
  profiling_.begin();
  turn(1);
  repetitions_.clear();  // its turn was disturbed, so it ran again
  turn(1);
  EXPECT_THAT(profiling_.profile(repetitions_, "", {})->kernel_ns, ElementsAre(100, 10));
}

TEST_F(Profiling, LeavesOutWhatWasTheWarmUp) {
  play.kernel_ns = {{900, 90}, {100, 10}};
  profiling_.begin();
  turn(1);
  repetitions_.front().is_warm_up = true;
  turn(1);
  EXPECT_THAT(profiling_.profile(repetitions_, "", {})->kernel_ns, ElementsAre(100, 10));
}

TEST_F(Profiling, TakesTheMeanOfTheMiddleHalfOfItsTurns) {
  profiling_.begin();
  for (int i = 0; i < 8; ++i) turn(1, 2);
  const samples::KernelProfile profile = profiling_.profile(repetitions_, "", {}).value();
  EXPECT_EQ(profile.inferences, 8U) << "four of eight turns, of two inferences each";
  EXPECT_GT(profile.profiled_ns, 0);
  EXPECT_GT(profile.plain_ns, 0);
}

TEST_F(Profiling, CountsAKernelThatIsNotAlwaysCalledWithZeroWhereItIsNot) {
  play.calls = 2;  // of "b", from the third turn on
  profiling_.begin();
  for (int i = 0; i < 4; ++i) turn(1);
  ASSERT_FALSE(profiling_.failure());
  const samples::KernelProfile profile = profiling_.profile(repetitions_, "", {}).value();
  ASSERT_EQ(profile.kernels.size(), 3U);
  EXPECT_EQ(profile.kernels[2].name, "b");
  EXPECT_EQ(profile.kernel_ns[0], 100);
  EXPECT_EQ(profile.kernel_ns[1], 10);
  EXPECT_THAT(profile.kernel_ns[2], testing::AnyOf(0, 5, 10)) << "of two turns in the middle it is called in 0, 1 or 2";
}

TEST_F(Profiling, FollowsKernelsThatAnotherSessionCallsInAnotherOrder) {
  play.swaps = true;  // from the third turn on
  profiling_.begin();
  for (int i = 0; i < 4; ++i) turn(1);
  ASSERT_FALSE(profiling_.failure());
  const samples::KernelProfile profile = profiling_.profile(repetitions_, "", {}).value();
  EXPECT_THAT(profile.kernel_ns, ElementsAre(100, 10));
}

TEST_F(Profiling, FailsIfInferencesHaveTooLittleInCommon) {
  play.calls = 9;
  profiling_.begin();
  EXPECT_EQ(turn(1), 1U);
  EXPECT_EQ(turn(1), 1U);
  EXPECT_EQ(turn(1), 0U);
  ASSERT_TRUE(profiling_.failure());
  EXPECT_EQ(profiling_.failure()->kind, FailureKind::no_profile);
  EXPECT_THAT(profiling_.failure()->message, HasSubstr("the first one 2, and all together more than 4"));
}

TEST_F(Profiling, FailsWithTheCompilersWords) {
  play.fails_to_end = true;
  profiling_.begin();
  EXPECT_EQ(turn(1), 0U);
  ASSERT_TRUE(profiling_.failure());
  EXPECT_EQ(profiling_.failure()->kind, FailureKind::no_profile);
  EXPECT_EQ(profiling_.failure()->message, "x");
}

TEST_F(Profiling, FailsForACompilerThatTellsNothing) {
  table_.begin_profile = nullptr;
  profiling_.begin();
  EXPECT_EQ(turn(1), 0U);
  EXPECT_EQ(profiling_.failure()->message, "made up does not tell its kernels' times");
}

TEST_F(Profiling, RefusesTimesThatCannotBe) {
  play.kernel_ns = {{-1, 10}};
  profiling_.begin();
  EXPECT_EQ(turn(1), 0U);
  EXPECT_THAT(profiling_.failure()->message, HasSubstr("took -1 ns, which cannot be"));
}

}  // namespace
}  // namespace ngb::worker
