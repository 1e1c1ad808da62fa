// SPDX-License-Identifier: Apache-2.0
#include "worker/check.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ngb::worker {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Tolerance kTolerance{1e-4, 1e-3};

template <class T>
OutputView view(DataType type, const std::vector<T>& values) {
  return {{"y", type, {1, static_cast<std::int64_t>(values.size())}}, values.data()};
}

Verdict check(const std::vector<float>& ours, const std::vector<float>& reference) {
  const OutputView a[] = {view(DataType::f32, ours)};
  const OutputView b[] = {view(DataType::f32, reference)};
  return compare(a, b, "identity", kTolerance);
}

TEST(Check, EqualOutputsAgreeWithoutError) {
  const Verdict verdict = check({1, -2, 0}, {1, -2, 0});
  EXPECT_FALSE(verdict.difference);
  EXPECT_EQ(verdict.check.reference, "identity");
  EXPECT_EQ(verdict.check.compared_elements, 3U);
  EXPECT_EQ(verdict.check.max_absolute_error.value, 0.0);
  EXPECT_EQ(verdict.check.max_relative_error.value, 0.0);
}

// 100 may be off by 1e-4 + 1e-3 · 100 = 0.1001; 0 by 1e-4.
TEST(Check, ToleranceGrowsWithTheReference) {
  EXPECT_FALSE(check({100.1F}, {100}).difference);
  EXPECT_TRUE(check({100.11F}, {100}).difference);
  EXPECT_FALSE(check({0.00009F}, {0}).difference);
  EXPECT_TRUE(check({0.00011F}, {0}).difference);
}

TEST(Check, ReportsTheLargestErrors) {
  const Verdict verdict = check({1.5F, 8, 0.25F}, {1, 10, 0});
  EXPECT_DOUBLE_EQ(verdict.check.max_absolute_error.value.value(), 2.0);
  EXPECT_DOUBLE_EQ(verdict.check.max_relative_error.value.value(), 0.5);
}

TEST(Check, NamesTheFirstElementThatDiffers) {
  const Verdict verdict = check({1, 5, 7}, {1, 2, 3});
  ASSERT_TRUE(verdict.difference);
  EXPECT_EQ(*verdict.difference,
            "output \"y\" is 5 at [0, 1], the reference is 2; 2 of 3 elements differ by more than 0.0001 + "
            "0.001·|reference|");
}

TEST(Check, NanIsADifferenceFromANumberButAReferenceThatIsNanJudgesNothing) {
  EXPECT_FALSE(check({kNan, 1}, {kNan, 1}).difference);
  EXPECT_TRUE(check({kNan}, {1}).difference);
  EXPECT_FALSE(check({-1, 1}, {kNan, 1}).difference);
  EXPECT_TRUE(check({-1, 2}, {kNan, 1}).difference);
}

// Four outputs of which 0 would pass for three.
TEST(Check, CountsTheElementsWhoseReferenceIsAtMostTheAbsoluteTolerance) {
  EXPECT_EQ(check({0, 0, 0, 1}, {1e-6F, -1e-4F, 0, 1}).check.small_elements, 3U);
  EXPECT_EQ(check({1, 2}, {1, 2}).check.small_elements, 0U);
}

template <class T>
std::optional<std::uint64_t> weak_elements(DataType type, const std::vector<T>& values, const Tolerance& tolerance) {
  const OutputView both[] = {view(type, values)};
  return compare(both, both, "identity", tolerance).check.small_elements;
}

// A mask whose pixels are all of one class is what a compiler might return that computes nothing.
TEST(Check, CountsAllElementsOfAnOutputWithOneValueThroughout) {
  const Tolerance of_int8{.absolute = 0.05, .relative = 0.05, .is_of_largest = true};
  for (const Tolerance& tolerance : {kTolerance, of_int8}) {
    EXPECT_EQ(weak_elements<std::int64_t>(DataType::i64, {0, 0, 0}, tolerance), 3U);
    EXPECT_EQ(weak_elements<std::int32_t>(DataType::i32, {7, 7}, tolerance), 2U);
    EXPECT_EQ(weak_elements<std::uint8_t>(DataType::boolean, {1, 1, 1, 1}, tolerance), 4U);
    EXPECT_EQ(weak_elements<float>(DataType::f32, {0, 0}, tolerance), 2U);
    EXPECT_EQ(weak_elements<std::uint8_t>(DataType::boolean, {1, 0, 1, 1}, tolerance), 0U);
    EXPECT_EQ(weak_elements<std::int64_t>(DataType::i64, {0, 0, 1}, tolerance), 0U);
  }
}

TEST(Check, TakesASingleElementForOneThatCouldBeGuessedOnlyIfItIsZero) {
  EXPECT_EQ(weak_elements<std::int64_t>(DataType::i64, {0}, kTolerance), 1U);
  EXPECT_EQ(weak_elements<std::int64_t>(DataType::i64, {3}, kTolerance), 0U);
}

TEST(Check, SaysThatOnlyTheShapeDiffersIfTheValuesAgree) {
  const std::vector<float> values{1, 2, 3};
  const std::vector<float> others{1, 2, 4};
  const OutputView reference[] = {{{"y", DataType::f32, {3}}, values.data()}};
  const OutputView longer[] = {{{"y", DataType::f32, {3, 1}}, values.data()}};
  const OutputView wrong[] = {{{"y", DataType::f32, {3, 1}}, others.data()}};
  const Verdict found = compare(longer, reference, "identity", kTolerance);
  EXPECT_EQ(found.difference, "output \"y\" is f32 [3, 1], the reference is f32 [3]; the values agree");
  EXPECT_TRUE(found.differs_in_shape_only);
  EXPECT_FALSE(found.is_comparable);
  EXPECT_EQ(compare(wrong, reference, "identity", kTolerance).difference,
            "output \"y\" is f32 [3, 1], the reference is f32 [3]");
}

Tolerance for_arithmetic(const std::string& arithmetic, const work::Tolerances& asked = {},
                         DataType type = DataType::f32) {
  const OutputView reference[] = {{{"y", type, {0}}, nullptr}};
  return tolerance_for(asked, arithmetic, reference);
}

TEST(Tolerances, FollowTheArithmeticOfTheFile) {
  EXPECT_EQ(describe(for_arithmetic("")), "0.0001 + 0.001·|reference|");
  EXPECT_EQ(describe(for_arithmetic("f16")), "0.01·largest |reference| + 0.01·|reference| (f16)");
  EXPECT_EQ(describe(for_arithmetic("bf16")), "0.05·largest |reference| + 0.05·|reference| (bf16)");
  EXPECT_EQ(describe(for_arithmetic("int8")), "0.05·largest |reference| + 0.05·|reference| (int8)");
}

TEST(Tolerances, FollowTheTypeOfAnOutputThatIsCoarserThanWhatIsKnownOfTheFile) {
  EXPECT_EQ(for_arithmetic("", {}, DataType::f16).arithmetic, "f16");
  EXPECT_EQ(for_arithmetic("", {}, DataType::i8).arithmetic, "");  // integers are compared exactly
}

TEST(Tolerances, AreTheStudysWhereItSetsThem) {
  EXPECT_EQ(describe(for_arithmetic("f16", {.absolute = 1e-3, .relative = 0})), "0.001 + 0·|reference|");
  EXPECT_EQ(describe(for_arithmetic("f16", {.absolute = 1e-3})), "0.001 + 0.01·|reference| (f16)");
}

// The largest is 2, so 0.01·2 is allowed everywhere, and 0.01·|b| beside it.
TEST(Tolerances, OfASmallElementAllowForTheRoundingOfTheLargest) {
  const std::vector<float> reference{2, 0};
  const std::vector<float> near{2, 0.019F};
  const std::vector<float> far{2, 0.021F};
  const OutputView b[] = {view(DataType::f32, reference)};
  const OutputView in[] = {view(DataType::f32, near)};
  const OutputView out[] = {view(DataType::f32, far)};
  EXPECT_FALSE(compare(in, b, "", for_arithmetic("f16")).difference);
  EXPECT_TRUE(compare(out, b, "", for_arithmetic("f16")).difference);
}

// Of 10,000 elements that are 1, `count` are off by `error`; 0.0011 is allowed, and ten times as much if that is rare.
bool agrees_if_off(int count, float error, const work::Tolerances& asked = {}) {
  const std::vector<float> reference(10'000, 1);
  std::vector<float> ours = reference;
  for (int i = 0; i < count; ++i) ours[static_cast<std::size_t>(i)] += error;
  const OutputView a[] = {view(DataType::f32, ours)};
  const OutputView b[] = {view(DataType::f32, reference)};
  return !compare(a, b, "", for_arithmetic("", asked)).difference;
}

TEST(Tolerances, AllowOneElementInTenThousandTenTimesAsMuchUnlessTheStudySetsThem) {
  EXPECT_TRUE(agrees_if_off(1, 0.01F));
  EXPECT_FALSE(agrees_if_off(1, 0.012F));
  EXPECT_FALSE(agrees_if_off(2, 0.01F));
  EXPECT_FALSE(agrees_if_off(1, 0.01F, {.absolute = 1e-4}));
}

TEST(Doubts, SayWhereAnOutputIsNan) {
  const std::vector<float> values{1, kNan, kInfinity, kNan};
  const OutputView outputs[] = {view(DataType::f32, values)};
  EXPECT_EQ(describe_nan(outputs), "output \"y\" is nan at [0, 1]; 3 of 4 elements are not finite");
}

TEST(Doubts, AreNoneOfAnInfinityWhichMasksHave) {
  const std::vector<float> values{1, -kInfinity};
  const OutputView outputs[] = {view(DataType::f32, values)};
  EXPECT_EQ(describe_nan(outputs), "");
}

TEST(Doubts, NameAnOutputOfAnotherShapeThanTheFileDeclares) {
  const std::vector<float> values{1};
  const OutputView outputs[] = {{{"y", DataType::f32, {1, 1, 1, 1}}, values.data()}};
  const std::vector<TensorSignature> declared{{"y", DataType::f32, {kOpenExtent, 6, 1, 1}}};
  EXPECT_EQ(describe_other_shape(outputs, declared),
            "output \"y\" has the shape [1, 1, 1, 1], the file declares [any, 6, 1, 1]");
  EXPECT_EQ(describe_other_shape(outputs, {{"y", DataType::f32, {kOpenExtent, 1, 1, 1}}}), "");
  EXPECT_EQ(describe_other_shape(outputs, {}), "");
}

// For example, log(x - 10) is NaN for inputs between 0 and 1.
TEST(Check, CountsTheFiniteNumbersThatAgree) {
  const Verdict nothing = check({kNan, kNan, kNan}, {kNan, kNan, kNan});
  EXPECT_FALSE(nothing.difference);
  EXPECT_EQ(nothing.check.compared_elements, 3U);
  EXPECT_EQ(nothing.check.finite_elements, 0U);
  EXPECT_EQ(nothing.check.max_absolute_error.reason, "no pair of finite numbers to compare");
  EXPECT_EQ(check({1, kInfinity, 2}, {1, kInfinity, 2}).check.finite_elements, 2U);
}

TEST(Check, AnInfinityAgreesOnlyWithTheSameInfinity) {
  EXPECT_FALSE(check({kInfinity, -kInfinity}, {kInfinity, -kInfinity}).difference);
  EXPECT_TRUE(check({-kInfinity}, {kInfinity}).difference);
  EXPECT_TRUE(check({3e38F}, {kInfinity}).difference);
  EXPECT_TRUE(check({kInfinity}, {3e38F}).difference);
}

TEST(Check, ErrorsAreUnknownIfNanMeetsAValue) {
  const Verdict verdict = check({kNan, 2}, {1, 1});
  EXPECT_FALSE(verdict.check.max_absolute_error.value);
  EXPECT_FALSE(verdict.check.max_absolute_error.reason.empty());
}

TEST(Check, RelativeErrorIsUnknownWhenEveryReferenceIsZero) {
  const Verdict verdict = check({0}, {0});
  EXPECT_EQ(verdict.check.max_absolute_error.value, 0.0);
  EXPECT_FALSE(verdict.check.max_relative_error.value);
}

TEST(Check, IntegersMustBeEqual) {
  const std::vector<std::int64_t> ours = {1000};
  const std::vector<std::int64_t> next = {1001};
  const OutputView a[] = {view(DataType::i64, ours)};
  const OutputView b[] = {view(DataType::i64, next)};
  EXPECT_FALSE(compare(a, a, "", kTolerance).difference);
  EXPECT_TRUE(compare(a, b, "", kTolerance).difference);
}

TEST(Check, LongIntegersAreComparedInAllTheirBits) {
  const std::vector<std::int64_t> ours = {(1LL << 60) + 1};
  const std::vector<std::int64_t> theirs = {1LL << 60};
  const OutputView a[] = {view(DataType::i64, ours)};
  const OutputView b[] = {view(DataType::i64, theirs)};
  EXPECT_TRUE(compare(a, b, "", kTolerance).difference);
}

TEST(Check, EveryElementTypeIsCompared) {
  const std::vector<double> zeros(1, 0.0);
  std::vector<char> ones(8, 0);
  for (const DataType type : {DataType::f32, DataType::f16, DataType::bf16, DataType::f64, DataType::i64, DataType::i32,
                              DataType::i8, DataType::u8, DataType::boolean}) {
    ones.assign(8, 0);
    ones[size_bytes(type) - 1] = 0x40;  // 2.0 in each floating type
    const OutputView a[] = {{{"y", type, {1}}, ones.data()}};
    const OutputView b[] = {{{"y", type, {1}}, zeros.data()}};
    EXPECT_FALSE(compare(b, b, "", kTolerance).difference) << name(type);
    EXPECT_TRUE(compare(a, b, "", kTolerance).difference) << name(type);
  }
}

TEST(Check, AnotherNumberTypeOrShapeOfOutputsIsADifference) {
  const std::vector<float> values = {1, 2};
  const OutputView row[] = {{{"y", DataType::f32, {1, 2}}, values.data()}};
  const OutputView column[] = {{{"y", DataType::f32, {2, 1}}, values.data()}};
  const OutputView integers[] = {{{"y", DataType::i32, {1, 2}}, values.data()}};
  EXPECT_EQ(compare({}, row, "", kTolerance).difference, "0 outputs, the reference has 1");
  EXPECT_EQ(compare(column, row, "", kTolerance).difference,
            "output \"y\" is f32 [2, 1], the reference is f32 [1, 2]; the values agree");
  EXPECT_TRUE(compare(integers, row, "", kTolerance).difference);
}

TEST(Check, NamesOfOutputsMayDiffer) {
  const std::vector<float> values = {1};
  const OutputView ours[] = {{{"output", DataType::f32, {1}}, values.data()}};
  const OutputView theirs[] = {{{"logits", DataType::f32, {1}}, values.data()}};
  EXPECT_FALSE(compare(ours, theirs, "", kTolerance).difference);
}

}  // namespace
}  // namespace ngb::worker
