// SPDX-License-Identifier: Apache-2.0
#include "base/bisection.h"

#include <gmock/gmock.h>

#include <string>

namespace ngb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A finished search, and the entries in the order in which they were tried.
struct Searched {
  Bisection end;
  std::vector<std::size_t> tried;
};

// Searches a list whose entries are, by letter: good, bad, undecided, unusable (x).
Searched search(const std::string& letters) {
  const auto finding = [](char letter) {
    return letter == 'g'   ? Finding::good
           : letter == 'b' ? Finding::bad
           : letter == 'u' ? Finding::undecided
                           : Finding::unusable;
  };
  std::vector<std::optional<Finding>> findings(letters.size());
  findings.front() = Finding::good;
  findings.back() = Finding::bad;
  std::vector<std::size_t> tried;
  for (;;) {
    const Bisection state = bisect(findings);
    if (!state.next) return {state, tried};
    EXPECT_FALSE(findings[*state.next]) << "entry " << *state.next << " is tried twice";
    tried.push_back(*state.next);
    findings[*state.next] = finding(letters[*state.next]);
  }
}

TEST(Bisection, FindsTheFirstBadEntryWhereverItIs) {
  for (std::size_t first = 1; first < 100; ++first) {
    const std::string letters = std::string(first, 'g') + std::string(100 - first, 'b');
    const Searched found = search(letters);
    EXPECT_EQ(found.end.first_bad, first);
    EXPECT_EQ(found.end.last_good, first - 1);
    EXPECT_TRUE(found.end.is_certain());
    EXPECT_LE(found.tried.size(), 7U);  // 98 entries lie between the ends, and 2^7 = 128
  }
}

TEST(Bisection, OfTwoEntriesTriesNothing) {
  const Searched found = search("gb");
  EXPECT_EQ(found.end.first_bad, 1U);
  EXPECT_THAT(found.tried, IsEmpty());
  EXPECT_TRUE(found.end.is_certain());
}

TEST(Bisection, BeginsInTheMiddleAndSaysHowManyStepsAreLeft) {
  std::vector<std::optional<Finding>> findings(9);
  findings.front() = Finding::good;
  findings.back() = Finding::bad;
  EXPECT_EQ(bisect(findings).next, 4U);
  EXPECT_EQ(bisect(findings).steps_left, 3U);
  findings[4] = Finding::bad;
  EXPECT_EQ(bisect(findings).next, 2U);
  EXPECT_EQ(bisect(findings).steps_left, 2U);
  findings[2] = Finding::good;
  EXPECT_EQ(bisect(findings).next, 3U);
  EXPECT_EQ(bisect(findings).first_bad, 4U);
  EXPECT_EQ(bisect(findings).last_good, 2U);
}

TEST(Bisection, StepsOverWhatIsUnusableAndNamesItIfItIsNextToTheAnswer) {
  const Searched found = search("ggxxxbb");
  EXPECT_THAT(found.tried, ElementsAre(3, 2, 4, 1, 5));
  EXPECT_EQ(found.end.first_bad, 5U);
  EXPECT_EQ(found.end.last_good, 1U);
  EXPECT_THAT(found.end.unusable, ElementsAre(2, 3, 4));
  EXPECT_TRUE(found.end.is_certain());
  EXPECT_THAT(search("gxggggb").end.unusable, IsEmpty());
}

TEST(Bisection, EndsAtTheLastEntryIfNothingBetweenIsUsable) {
  const Searched found = search("gxxxb");
  EXPECT_THAT(found.tried, ElementsAre(2, 1, 3));
  EXPECT_EQ(found.end.first_bad, 4U);
  EXPECT_EQ(found.end.last_good, 0U);
}

TEST(Bisection, ContinuesAboveAnUndecidedEntryAndIsNotCertainThen) {
  const Searched found = search("ggguuubbb");
  EXPECT_THAT(found.tried, ElementsAre(4, 6, 5));
  EXPECT_EQ(found.end.first_bad, 6U);
  EXPECT_EQ(found.end.last_good, 0U);  // nothing between it and the undecided entry 4 was tried
  EXPECT_THAT(found.end.undecided, ElementsAre(4, 5));
  EXPECT_FALSE(found.end.is_certain());
}

TEST(Bisection, IsCertainIfAGoodEntryFollowsTheUndecidedOne) {
  const Searched found = search("gggguggbb");
  EXPECT_EQ(found.end.first_bad, 7U);
  EXPECT_EQ(found.end.last_good, 6U);
  EXPECT_TRUE(found.end.is_certain());
}

TEST(Bisection, IgnoresFindingsThatItsOwnPathDoesNotReach) {
  std::vector<std::optional<Finding>> findings(9);
  findings.front() = Finding::good;
  findings.back() = Finding::bad;
  findings[7] = Finding::bad;
  EXPECT_EQ(bisect(findings).next, 4U);
  EXPECT_EQ(bisect(findings).first_bad, 8U);
}

}  // namespace
}  // namespace ngb
