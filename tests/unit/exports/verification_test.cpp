// SPDX-License-Identifier: Apache-2.0
#include "exports/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::exports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ProcessSpeed at(double per_s, double page_faults = 0, double processors = 1) {
  return {{per_s, page_faults}, processors};
}
const std::vector<ProcessSpeed> kNgb{at(100), at(101), at(99), at(100), at(100)};

TEST(Verification, CallsAProgramAsFastIfTheIntervalOfTheRatioIsWithinThreePercent) {
  const Verification verified = judge_program(kNgb, {at(101), at(102), at(100), at(101.2), at(101)}, 1, {});
  EXPECT_EQ(verified.outcome, Outcome::as_fast);
  EXPECT_EQ(verified.words, "as fast (within 3 %)");
  EXPECT_NEAR(verified.ratio.value.value(), 1.0104, 1e-4);  // (1.01 · 1.0099 · 1.0101 · 1.012 · 1.01)^(1/5)
  EXPECT_THAT(verified.reasons, IsEmpty());
}

TEST(Verification, TellsByHowMuchAProgramDiffersAndThatItsPageFaultsDo) {
  const Verification verified =
      judge_program(kNgb, {at(50, 2000), at(51, 2000), at(49, 2000), at(50, 2000), at(50, 2000)}, 1, {});
  EXPECT_EQ(verified.outcome, Outcome::differs);
  EXPECT_EQ(verified.words, "differs: 50.0 % slower");
  EXPECT_THAT(verified.reasons, ElementsAre("page faults: 2000 an inference, of ngb 0"));
}

TEST(Verification, NamesAChangedLineAndThreads) {
  const std::vector<ProcessSpeed> twice{at(180, 0, 1.9), at(182, 0, 1.9), at(178, 0, 1.9), at(180, 0, 1.9),
                                        at(180, 0, 1.9)};
  const Verification verified = judge_program(kNgb, twice, 1, {"run.py was changed, line 3: threads = 2"});
  EXPECT_EQ(verified.words, "differs: 80.0 % faster");
  EXPECT_THAT(verified.reasons, ElementsAre("run.py was changed, line 3: threads = 2",
                                            "threads: it keeps 1.90 processors busy, ngb 1.00"));
}

TEST(Verification, DecidesNothingWhereTheTurnsVaryTooMuch) {
  const Verification verified = judge_program(kNgb, {at(80), at(130), at(95), at(110), at(90)}, 1, {});
  EXPECT_EQ(verified.outcome, Outcome::undecided);
  EXPECT_EQ(verified.words, "not decided: the interval contains 1 and is wider than the margin");
}

TEST(Verification, NamesLinesThatAProgramHasAndElseThoseThatItLacks) {
  const std::string before = "threads = 1\n  module = optimize(module)\nrun()\n";
  EXPECT_THAT(lines_changed("run.py", before, "threads = 2\nrun()\n"),
              ElementsAre("run.py was changed, line 1: threads = 2"));
  EXPECT_THAT(lines_changed("run.py", before, "threads = 1\nrun()\n"),
              ElementsAre("run.py was changed: it lacks: module = optimize(module)"));
  EXPECT_THAT(lines_changed("run.py", before, before + "run()\n"),
              ElementsAre("run.py was changed: its lines are in another order or number"));
  EXPECT_THAT(lines_changed("run.py", before, before), IsEmpty());
}

}  // namespace
}  // namespace ngb::exports
