// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "worker/timed_loop.h"

namespace ngb::worker {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

constexpr std::int64_t kMadeUpMs = 1'000'000;

int made_up_inferences = 0;

ngb_status infer_at_once(ngb_session*, ngb_error*) { return ++made_up_inferences == 40 ? NGB_DEVICE_LOST : NGB_OK; }

work::WorkerRequest made_up_process(const std::string& cell, int index) {
  work::WorkerRequest request;
  request.cell_id = cell;
  request.process_index = index;
  return request;
}

class MadeUpTimes : public testing::Test {
 protected:
  void SetUp() override {
    made_up_inferences = 0;
    compiler_.run = infer_at_once;
  }
  TimedRepeater repeater(const char* told, const work::WorkerRequest& request = made_up_process("cell", 0)) {
    return {{&compiler_, nullptr, &error_, &done_}, 1, made_up_times({{"made_up_ns", told}}, request)};
  }
  static std::vector<std::int64_t> walls_of(TimedRepeater repeater) {
    std::vector<std::int64_t> walls(8);
    std::vector<std::int64_t> begins(8);
    EXPECT_EQ(repeater.repeat(1, {walls, begins}, {}), 8U);
    return walls;
  }
  ngb_compiler compiler_{};
  ngb_error error_{};
  samples::RunCount done_{};
};

TEST_F(MadeUpTimes, AreWhatTheCompilerSaysByHalfAPercentAndFollowEachOther) {
  TimedRepeater hour = repeater("1000000000000");  // 1,000 s, of which 5 are half a percent
  std::vector<std::int64_t> walls(3);
  std::vector<std::int64_t> begins(3);
  ASSERT_EQ(hour.repeat(2, {walls, begins}, {}), 3U);
  EXPECT_THAT(walls, Each(AllOf(Ge(1'990'000 * kMadeUpMs), Le(2'010'000 * kMadeUpMs))));
  EXPECT_EQ(begins[1], begins[0] + walls[0]);
  EXPECT_EQ(begins[2], begins[1] + walls[1]);
  EXPECT_EQ(made_up_inferences, 6) << "they are run";
}

TEST_F(MadeUpTimes, AreThoseOfTheInferencesThatSucceeded) {
  TimedRepeater failing = repeater("1000000");
  std::vector<std::int64_t> walls(5, -1);
  std::vector<std::int64_t> begins(5, -1);
  EXPECT_EQ(failing.repeat(10, {walls, begins}, {}), 3U);  // the 40th fails
  EXPECT_EQ(failing.status(), NGB_DEVICE_LOST);
  EXPECT_EQ(walls[3], -1);
}

TEST_F(MadeUpTimes, DifferBetweenProcessesAndCellsAndAreTheSameAgain) {
  const auto first = walls_of(repeater("1000000", made_up_process("a", 0)));
  EXPECT_EQ(first, walls_of(repeater("1000000", made_up_process("a", 0))));
  EXPECT_NE(first, walls_of(repeater("1000000", made_up_process("a", 1))));
  EXPECT_NE(first, walls_of(repeater("1000000", made_up_process("b", 0))));
}

TEST_F(MadeUpTimes, AreNotMadeUpForACompilerThatSaysNothingOfThem) {
  EXPECT_EQ(made_up_times({{"version", "1"}}, made_up_process("cell", 0)).inference_ns, 0);
  TimedRepeater measured({&compiler_, nullptr, &error_, &done_}, 1);
  EXPECT_FALSE(measured.skip_to(7));
  EXPECT_NE(measured.now_ns(), 7);
}

// Two requests, at 10 and 20,000 s, and inferences of 1 s: nobody waits for either.
TEST_F(MadeUpTimes, PassWhileAServerWaitsForRequests) {
  TimedRepeater second = repeater("1000000000");
  TimedServer server(second, 2);
  const std::vector<std::int64_t> arrivals{10'000 * kMadeUpMs, 20'000'000 * kMadeUpMs};
  const Queue queue{arrivals, 1, server.now_ns()};
  const auto latencies = serve_requests(queue, [next = std::size_t{0}]() mutable { return next++; }, server);
  const auto about_a_second = AllOf(Ge(995 * kMadeUpMs), Le(1'005 * kMadeUpMs));
  EXPECT_THAT(latencies, ElementsAre(ElementsAre(about_a_second), ElementsAre(about_a_second)));
}

}  // namespace
}  // namespace ngb::worker
