// SPDX-License-Identifier: Apache-2.0
#include "worker/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace ngb::worker {
namespace {

using testing::ElementsAre;

// A compiler whose output is the number of elements that are bound. The visits are counted by that number.
struct Counter {
  std::vector<std::uint64_t> bound{};
  std::vector<std::uint64_t> visited{};
  std::uint64_t fails_at = 0;  // elements
  float output = 0;
};
Counter counter;

ngb_status bind_counter(ngb_session*, const ngb_tensor* inputs, std::uint32_t, ngb_error*) {
  counter.bound.push_back(inputs[0].size_bytes / sizeof(float));
  return NGB_OK;
}
ngb_status run_counter(ngb_session*, ngb_error*) {
  counter.visited.push_back(counter.bound.back());
  counter.output = static_cast<float>(counter.bound.back());
  return counter.bound.back() == counter.fails_at ? NGB_INTERNAL : NGB_OK;
}
ngb_status read_counter(ngb_session*, std::uint32_t index, ngb_tensor* output, std::uint32_t* count, ngb_error*) {
  *count = 1;
  static constexpr std::array<std::int64_t, 1> kShape{1};
  if (index == 0) *output = {"y", NGB_F32, 1, kShape.data(), &counter.output, sizeof counter.output};
  return NGB_OK;
}

class VisitsOfShapes : public testing::Test {
 protected:
  void SetUp() override {
    counter = {};
    compiler_.bind = bind_counter;
    compiler_.run = run_counter;
    compiler_.read = read_counter;
  }
  // Makes visits of shapes with 16 and 128 elements in one session.
  void make(std::size_t of_16, std::size_t of_128, std::uint64_t order_seed = 1) {
    std::vector<ShapeToVisit> shapes;
    for (const auto& [length, visits] : {std::pair(16, of_16), std::pair(128, of_128)}) {
      Inputs inputs = Inputs::make({{"x", DataType::f32, {length}}}, 1).value();
      shapes.push_back(
          {"length=" + std::to_string(length), visits, std::move(inputs), {&compiler_, nullptr, &error_, &done_}});
    }
    visits_ = Visits::make(std::move(shapes), order_seed, &status_).value();
  }
  std::size_t run(std::size_t passes) {
    walls_.assign(passes, -1);
    begins_.assign(passes, -1);
    latencies_.assign(passes * visits_->steps(), -1);
    return visits_->repeat({walls_, begins_}, latencies_, done_, &status_);
  }

  ngb_compiler compiler_{};
  ngb_error error_{};
  samples::RunCount done_{};
  std::unique_ptr<Visits> visits_{};
  std::vector<std::int64_t> walls_{};
  std::vector<std::int64_t> begins_{};
  std::vector<std::int64_t> latencies_{};
  ngb_status status_ = NGB_OK;
};

TEST_F(VisitsOfShapes, VisitEachShapeInItsShareInEveryPass) {
  make(3, 1);
  EXPECT_EQ(visits_->steps(), 4U);
  EXPECT_EQ(run(10), 10U);
  for (std::size_t pass = 0; pass < 10; ++pass) {
    const auto begin = counter.visited.begin() + static_cast<std::ptrdiff_t>(4 * pass);
    EXPECT_EQ(std::count(begin, begin + 4, 16U), 3) << pass;
    EXPECT_EQ(std::count(begin, begin + 4, 128U), 1) << pass;
  }
}

TEST_F(VisitsOfShapes, GoInAnOrderThatTheSeedDrawsAnewForEachPass) {
  make(4, 4, 1);
  run(2);
  const std::vector<std::uint64_t> first = counter.visited;
  EXPECT_NE(std::vector(first.begin(), first.begin() + 8), std::vector(first.begin() + 8, first.end()));
  counter = {};
  make(4, 4, 1);
  run(2);
  EXPECT_EQ(counter.visited, first);
  counter = {};
  make(4, 4, 2);
  run(2);
  EXPECT_NE(counter.visited, first);
}

TEST_F(VisitsOfShapes, LastTogetherAsLongAsTheirPassAndKeepAShapesTimesSideBySide) {
  make(2, 1);
  run(3);
  for (std::size_t pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(latencies_[3 * pass] + latencies_[3 * pass + 1] + latencies_[3 * pass + 2], walls_[pass]);
  }
  EXPECT_THAT((std::array{visits_->is_first(0), visits_->is_first(1), visits_->is_first(2)}),
              ElementsAre(true, false, true));
}

TEST_F(VisitsOfShapes, KeepTheOutputsOfEachShapeUnderItsName) {
  make(2, 1);
  visits_->keep_next();
  run(1);
  const std::vector<OutputView> outputs = visits_->outputs();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].signature.name, "y length=16");
  EXPECT_EQ(*static_cast<const float*>(outputs[0].data), 16);
  EXPECT_EQ(outputs[1].signature.name, "y length=128");
  EXPECT_EQ(*static_cast<const float*>(outputs[1].data), 128);
}

TEST_F(VisitsOfShapes, EndWithTheVisitThatFails) {
  make(1, 1);
  counter.fails_at = 128;
  EXPECT_EQ(run(2), 0U);
  EXPECT_EQ(status_, NGB_INTERNAL);
}

TEST_F(VisitsOfShapes, SayHowOftenAPassVisitsEachAndWhatItsFirstVisitGainedOfMemory) {
  make(3, 1);
  run(1);
  samples::ProcessResult result;
  visits_->add_to(result);
  ASSERT_EQ(result.readings.size(), 4U);
  EXPECT_EQ(result.readings[0].quantity, "length=16");
  EXPECT_EQ(result.readings[0].unit, "1");
  EXPECT_EQ(result.readings[0].moment, "shape");
  EXPECT_EQ(result.readings[0].value.value, 3);
  EXPECT_EQ(result.readings[3].quantity, "length=128");
  EXPECT_EQ(result.readings[3].unit, "byte");
  EXPECT_TRUE(result.readings[3].value.value.has_value());
}

TEST(PaddedInputs, HaveTheirValuesAtTheBeginningOfEachAxisAndZerosBehindThem) {
  const Inputs given = Inputs::make({{"x", DataType::i64, {2, 2}}}, 1).value();
  const auto* const values = static_cast<const std::int64_t*>(given.tensors()[0].data);
  const Inputs padded = given.padded_to({{"x", DataType::i64, {2, 3}}}).value();
  const auto* const found = static_cast<const std::int64_t*>(padded.tensors()[0].data);
  EXPECT_THAT(std::vector(found, found + 6), ElementsAre(values[0], values[1], 0, values[2], values[3], 0));
  EXPECT_FALSE(given.padded_to({{"x", DataType::i64, {2, 1}}}).has_value());
}

}  // namespace
}  // namespace ngb::worker
