// SPDX-License-Identifier: Apache-2.0
#include "worker/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "worker/element.h"

namespace ngb::worker {
namespace {

using samples::InputAgreement;
using testing::HasSubstr;

OutputView view(const std::string& name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return {{name, DataType::f32, std::move(shape)}, values.data()};
}

TEST(Agreement, OfEqualOutputsHasNoNoise) {
  const std::vector<float> values{1, 3, 2};
  const OutputView output[] = {view("y", {1, 3}, values)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(output, output));
  EXPECT_THAT(agreement.inputs(), testing::ElementsAre(InputAgreement{true, std::nullopt, 1.0, 0.0}));
}

// b = (3, 4), a = (3, 3): Σ b² = 25, Σ (a - b)² = 1, so 10·log10 25 = 13.9794 dB; cosine 21 / (5·√18) = 0.98995.
TEST(Agreement, IsComputedByItsFormulas) {
  const std::vector<float> ours{3, 3};
  const std::vector<float> exact{3, 4};
  const OutputView a[] = {view("y", {1, 2}, ours)};
  const OutputView b[] = {view("y", {1, 2}, exact)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  ASSERT_EQ(agreement.inputs().size(), 1U);
  const InputAgreement& input = agreement.inputs()[0];
  EXPECT_EQ(input.decides_alike, false);  // the first of two equal scores counts: class 0, and 1 of the exact model
  EXPECT_NEAR(*input.sqnr_db, 13.9794, 1e-4);
  EXPECT_NEAR(*input.cosine, 0.98995, 1e-5);
  EXPECT_EQ(input.max_absolute_error, 1);
  EXPECT_EQ(agreement.max_absolute_error(), 1);
  EXPECT_EQ(agreement.compared_elements(), 2U);
}

TEST(Agreement, CountsEachSampleOfABatchAsAnInput) {
  const std::vector<float> ours{1, 2, 2, 1};
  const std::vector<float> exact{1, 2, 1, 2};
  const OutputView a[] = {view("y", {2, 2}, ours)};
  const OutputView b[] = {view("y", {2, 2}, exact)};
  Agreement agreement(2);
  EXPECT_FALSE(agreement.add(a, b));
  ASSERT_EQ(agreement.inputs().size(), 2U);
  EXPECT_EQ(agreement.inputs()[0].decides_alike, true);
  EXPECT_EQ(agreement.inputs()[1].decides_alike, false);
}

TEST(Agreement, IsThatOfTheWorstOutput) {
  const std::vector<float> good{1, 2};
  const std::vector<float> bad{2, 2};
  const std::vector<float> exact{1, 2};
  const OutputView a[] = {view("p", {1, 2}, good), view("q", {1, 2}, bad)};
  const OutputView b[] = {view("p", {1, 2}, exact), view("q", {1, 2}, exact)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_EQ(agreement.inputs()[0].decides_alike, false);
  EXPECT_NEAR(*agreement.inputs()[0].sqnr_db, 6.9897, 1e-4);  // 10·log10(5 / 1)
}

TEST(Agreement, OfAnOutputThatHasNoClassesHasNoDecision) {
  const std::vector<float> values{1, 2, 3, 4};
  const OutputView output[] = {view("hidden", {1, 2, 2}, values)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(output, output));
  EXPECT_FALSE(agreement.inputs()[0].decides_alike);
  EXPECT_EQ(agreement.inputs()[0].cosine, 1);
}

TEST(Agreement, OfIntegersIsThatTheyAreEqual) {
  const std::vector<std::int64_t> ours{7, 8};
  const std::vector<std::int64_t> exact{7, 9};
  const OutputView a[] = {{{"ids", DataType::i64, {1, 2}}, ours.data()}};
  const OutputView b[] = {{{"ids", DataType::i64, {1, 2}}, exact.data()}};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_EQ(agreement.inputs()[0].decides_alike, false);
  EXPECT_FALSE(agreement.inputs()[0].cosine);
}

TEST(Agreement, FindsOutputsOfAnotherOrderByTheirNames) {
  const std::vector<float> one{1, 0};
  const std::vector<float> other{0, 5};
  const OutputView a[] = {view("q", {1, 2}, other), view("p", {1, 2}, one)};
  const OutputView b[] = {view("p", {1, 2}, one), view("q", {1, 2}, other)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_EQ(agreement.inputs()[0].max_absolute_error, 0);
}

TEST(Agreement, ComparesOtherFloatingTypesByTheirValues) {
  const std::vector<std::uint16_t> halves{half_from_float(1), half_from_float(2)};
  const std::vector<float> exact{1, 2};
  const OutputView a[] = {{{"y", DataType::f16, {1, 2}}, halves.data()}};
  const OutputView b[] = {view("y", {1, 2}, exact)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_EQ(agreement.inputs()[0].max_absolute_error, 0);
}

TEST(Agreement, SaysWhyOutputsCannotBeCompared) {
  const std::vector<float> values{1, 2, 3, 4};
  const std::vector<float> broken{1, std::numeric_limits<float>::infinity()};
  const OutputView two[] = {view("y", {1, 2}, values)};
  const OutputView four[] = {view("y", {1, 4}, values)};
  const OutputView twice[] = {view("y", {1, 2}, values), view("z", {1, 2}, values)};
  const OutputView infinite[] = {view("y", {1, 2}, broken)};
  EXPECT_EQ(Agreement(1).add(twice, two), "2 outputs, the exact model has 1");
  EXPECT_EQ(Agreement(1).add(four, two), "output \"y\" is f32 [1, 4], the exact model's \"y\" is f32 [1, 2]");
  EXPECT_THAT(*Agreement(1).add(infinite, two), HasSubstr("element 1 of output \"y\" is inf, the exact model's is 2"));
}

// Of the second sample, 5 and 5 are equal: class 0 counts as the higher one.
TEST(LabelRanks, AreThoseOfTheLabelsAmongTheScoresOfEachSample) {
  const std::vector<float> scores{1, 3, 2, 5, 5, 0};
  const OutputView output[] = {view("y", {2, 3}, scores)};
  std::vector<InputAgreement> inputs(3);
  const std::vector<std::int64_t> labels{2, 1};
  EXPECT_FALSE(add_label_ranks(output, labels, inputs));
  EXPECT_FALSE(inputs[0].label_rank);
  EXPECT_EQ(inputs[1].label_rank, 2);
  EXPECT_EQ(inputs[2].label_rank, 2);
}

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

TEST(Agreement, OfAnInputWithoutAFiniteScoreIsNone) {
  const std::vector<float> ours{5, 1, 5, 1};
  const std::vector<float> exact{kNoNumber, kNoNumber, 5, 1};
  const OutputView a[] = {view("y", {2, 2}, ours)};
  const OutputView b[] = {view("y", {2, 2}, exact)};
  Agreement agreement(2);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_TRUE(agreement.inputs()[0].is_not_finite);
  EXPECT_FALSE(agreement.inputs()[1].is_not_finite);
  EXPECT_EQ(agreement.compared_elements(), 4U);
  EXPECT_EQ(agreement.finite_elements(), 2U);
}

TEST(Agreement, OfEqualInfinitiesAloneIsNone) {
  const std::vector<float> values{kEndless, -kEndless};
  const OutputView output[] = {view("y", {1, 2}, values)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(output, output));
  EXPECT_TRUE(agreement.inputs()[0].is_not_finite);
}

TEST(Agreement, OfMaskedClassesIsThatOfTheOthers) {
  const std::vector<float> ours{-kEndless, 1, 2};
  const std::vector<float> exact{-kEndless, 2, 1};
  const OutputView a[] = {view("y", {1, 3}, ours)};
  const OutputView b[] = {view("y", {1, 3}, exact)};
  Agreement agreement(1);
  EXPECT_FALSE(agreement.add(a, b));
  EXPECT_FALSE(agreement.inputs()[0].is_not_finite);
  EXPECT_EQ(agreement.inputs()[0].decides_alike, false);
}

// Outputs without classes: only an input of which nothing at all is finite says nothing.
TEST(Agreement, OfSeveralOutputsNeedsAFiniteNumberInOneOfThem) {
  const std::vector<float> nothing(4, kNoNumber);
  const std::vector<float> something{1, 2, 3, 4};
  const OutputView one[] = {view("mask", {1, 2, 2}, nothing), view("hidden", {1, 2, 2}, something)};
  const OutputView none[] = {view("mask", {1, 2, 2}, nothing)};
  Agreement with(1);
  EXPECT_FALSE(with.add(one, one));
  EXPECT_FALSE(with.inputs()[0].is_not_finite);
  Agreement without(1);
  EXPECT_FALSE(without.add(none, none));
  EXPECT_TRUE(without.inputs()[0].is_not_finite);
}

// b = (3, 4), a = (3, 3) in other units: 13.9794 dB and 0.98995 as above.
TEST(Agreement, IsTheSameInEveryUnit) {
  for (const double unit : {1e90, 1e160, 1e300, 1e-100, 1e-160, 1e-300}) {
    const std::vector<double> ours{3 * unit, 3 * unit};
    const std::vector<double> exact{3 * unit, 4 * unit};
    const OutputView a[] = {{{"y", DataType::f64, {1, 2}}, ours.data()}};
    const OutputView b[] = {{{"y", DataType::f64, {1, 2}}, exact.data()}};
    Agreement agreement(1);
    EXPECT_FALSE(agreement.add(a, b));
    EXPECT_NEAR(*agreement.inputs()[0].sqnr_db, 13.9794, 1e-4) << unit;
    EXPECT_NEAR(*agreement.inputs()[0].cosine, 0.98995, 1e-5) << unit;
    EXPECT_DOUBLE_EQ(*agreement.inputs()[0].max_absolute_error, unit) << unit;
  }
}

TEST(LabelRanks, OfScoresThatAreNotFiniteAreTheLast) {
  const std::vector<float> scores{kNoNumber, 3, 2, kEndless, 3, 2, kNoNumber, kNoNumber, kNoNumber};
  const OutputView output[] = {view("y", {3, 3}, scores)};
  std::vector<InputAgreement> inputs(3);
  EXPECT_FALSE(add_label_ranks(output, std::vector<std::int64_t>{0, 1, 2}, inputs));
  EXPECT_EQ(inputs[0].label_rank, 3);
  EXPECT_EQ(inputs[1].label_rank, 1);  // infinity is no score, so 3 is the highest
  EXPECT_EQ(inputs[2].label_rank, 3);
  EXPECT_FALSE(inputs[0].is_not_finite);
  EXPECT_FALSE(inputs[1].is_not_finite);
  EXPECT_TRUE(inputs[2].is_not_finite);
}

TEST(LabelRanks, OfLabelsThatDoNotFitAreRefused) {
  const std::vector<float> scores{1, 3, 2, 5};
  const OutputView classes[] = {view("y", {1, 4}, scores)};
  const OutputView hidden[] = {view("h", {1, 2, 2}, scores)};
  std::vector<InputAgreement> inputs(1);
  const std::vector<std::int64_t> labels{4};
  EXPECT_EQ(add_label_ranks(classes, labels, inputs), "label 4 is none of the 4 classes of output \"y\"");
  EXPECT_THAT(*add_label_ranks(hidden, labels, inputs), HasSubstr("no output has classes"));
}

}  // namespace
}  // namespace ngb::worker
