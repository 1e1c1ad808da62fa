// SPDX-License-Identifier: Apache-2.0
#include "worker/judging.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "temporary_folder.h"

namespace ngb::worker {
namespace {

// Boxes and scores of a detector, as the reference has them. Its boxes are sensitive.
class SensitiveOutputs : public testing::Test {
 protected:
  Verdict judge_with(float box, float score, const std::vector<bool>& is_sensitive) {
    const std::array reference{1.0F, 2.0F};
    const std::array outputs{view("boxes", &reference[0]), view("scores", &reference[1])};
    ReferenceFacts facts{.made_by = "identity 2.15.0", .key = "key"};
    facts.is_sensitive = is_sensitive;
    EXPECT_TRUE(write_reference(folder_ / "outputs", facts, outputs));
    const std::array judged{view("boxes", &box), view("scores", &score)};
    return judge(judged, Reference::open(folder_ / "outputs").value(), request_);
  }

  static OutputView view(const char* name, const float* data) { return {{name, DataType::f32, {1}}, data}; }

  TemporaryFolder folder_;
  work::WorkerRequest request_{};
};

constexpr const char* kWhy =
    "boxes differs, and cannot be judged, because a change by 2^-17 of the inputs, or of what TopK, ArgMax and the "
    "like compare, changes identity 2.15.0's own by more than the tolerance";

TEST_F(SensitiveOutputs, ThatDifferAreLeftOutAndTheOthersAreCompared) {
  const Verdict verdict = judge_with(7, 2, {true, false});
  EXPECT_FALSE(verdict.difference);
  EXPECT_EQ(verdict.check.reference, "identity 2.15.0");
  EXPECT_EQ(verdict.check.compared_elements, 1U);
  EXPECT_EQ(verdict.check.reference_reason, kWhy);
}

TEST_F(SensitiveOutputs, DoNotExcuseAnother) {
  const Verdict verdict = judge_with(7, 3, {true, false});
  ASSERT_TRUE(verdict.difference);
  EXPECT_EQ(verdict.difference->substr(0, verdict.difference->find(';')),
            "output \"scores\" is 3 at [0], the reference is 2");
}

TEST_F(SensitiveOutputs, ThatAgreeAreCompared) {
  const Verdict verdict = judge_with(1, 2, {true, true});
  EXPECT_EQ(verdict.check.compared_elements, 2U);
  EXPECT_EQ(verdict.check.reference_reason, "");
}

TEST_F(SensitiveOutputs, OfWhichNoneIsLeftAreNotChecked) {
  const Verdict verdict = judge_with(7, 3, {true, true});
  EXPECT_FALSE(verdict.difference);
  EXPECT_EQ(verdict.check.reference, "none");
  EXPECT_TRUE(verdict.check.is_lacking());
  EXPECT_EQ(verdict.check.reference_reason.find("boxes, scores differ, and cannot be judged"), 0U);
}

TEST_F(SensitiveOutputs, AreNoneUnlessTheReferenceSaysSo) { EXPECT_TRUE(judge_with(7, 2, {}).difference); }

// The study's reference computes in f16 and has NaN, so another compiler, which computes in f32, makes the reference
// outputs. Nobody is wrong.
TEST_F(SensitiveOutputs, OfAFileInF16ThatOverflowAreNotCheckedIfTheUsualReferenceOverflows) {
  request_.model.arithmetic = "f16";
  EXPECT_TRUE(judge_with(std::nanf(""), 2, {}).difference);
  request_.reference_reason = "identity 2.15.0: output \"boxes\" is nan at [0]";
  const Verdict verdict = judge_with(std::nanf(""), 2, {});
  EXPECT_FALSE(verdict.difference);
  EXPECT_TRUE(verdict.check.is_lacking());
  EXPECT_EQ(
      verdict.check.reference_reason,
      "identity 2.15.0: output \"boxes\" is nan at [0]; not finite here or in the reference: numbers of f16 end at "
      "65504, beyond which this file computes infinity or NaN; a compiler that computes it in f32 hides that");
  EXPECT_TRUE(judge_with(7, 2, {}).difference);  // a wrong number stays one
}

}  // namespace
}  // namespace ngb::worker
