// SPDX-License-Identifier: Apache-2.0
#include "bundle/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::bundle {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(BundledText, MayDifferByTheRoundingOfItsNumbers) {
  EXPECT_EQ(text_difference("a,1.2345678901234,b\n", "a,1.2345678901239,b\n"), "");
  EXPECT_EQ(text_difference("x 1e-7", "x 1.00000000001e-07"), "");
  EXPECT_EQ(text_difference("a,1.2345,b\nc,2.5\n", "a,1.2345,b\nc,2.6\n"),
            "line 2: \"c,2.5\" is given, \"c,2.6\" follows");
}

TEST(BundledText, MayNotDifferInAWordASignAWholeNumberOrALine) {
  EXPECT_THAT(text_difference("faster 1.5", "slower 1.5"), HasSubstr("line 1"));
  EXPECT_THAT(text_difference("-1.5", "1.5"), HasSubstr("line 1"));
  EXPECT_THAT(text_difference("wall_ns 10000000000000", "wall_ns 10000000000001"), HasSubstr("line 1"));
  EXPECT_THAT(text_difference("a\n", "a\nb\n"), HasSubstr("line 2: \"\" is given, \"b\" follows"));
  EXPECT_THAT(text_difference("1.5 samples", "1.5 sample"), HasSubstr("line 1"));
}

TEST(BundledText, OfAnotherVersionHasTheSameNumbersInAnotherForm) {
  EXPECT_TRUE(have_alike_numbers("<td>1.5</td><td>7</td>", "| 1.50 | 7 |"));
  EXPECT_FALSE(have_alike_numbers("<td>1.5</td><td>7</td>", "| 1.50 | 8 |"));
  EXPECT_FALSE(have_alike_numbers("1.5 7", "1.5"));
}

TEST(BundledValue, IsComparedWithTheOneOfItsCellAndMetric) {
  const std::vector<store::DerivedValue> follow{{"c1", "median_s", 2.0, 1.0, 3.0, ""},
                                                {"c2", "median_s", {}, {}, {}, "not measured yet"}};
  EXPECT_THAT(differences(kept_values(follow), kept_values(follow)), SizeIs(0));
  auto given = follow;
  given[0].value = 2.5;
  given[1].reason = "failed";
  const auto changed = differences(kept_values(given), kept_values(follow));
  ASSERT_THAT(changed, SizeIs(2));
  EXPECT_EQ(changed[0].where, "cell c1, median_s");
  EXPECT_THAT(changed[0].what, ContainsRegex("value 2.5, .*is given, .*value 2.0, .*follows"));
  EXPECT_EQ(changed[1].where, "cell c2, median_s");
  EXPECT_THAT(changed[1].what, HasSubstr("reason failed"));
  given = follow;
  given[0].value = 2.0000000000001;
  EXPECT_THAT(differences(kept_values(given), kept_values(follow)), SizeIs(0)) << "as another processor rounds";
}

TEST(BundledValue, ThatIsMissingTwiceThereOrFollowsFromNothingIsTold) {
  const Kept one = kept_values({{"c1", "median_s", 2.0, {}, {}, ""}});
  const Kept two = kept_values({{"c1", "median_s", 2.0, {}, {}, ""}, {"c1", "median_s", 2.0, {}, {}, ""}});
  EXPECT_EQ(differences({}, one).front().what, "nothing is stored");
  EXPECT_EQ(differences(one, {}).front().what, "it is stored and does not follow");
  EXPECT_THAT(differences(two, one).front().what, HasSubstr("line 2: \"metric median_s"));
}

TEST(BundledSeries, IsComparedNumberByNumberAndConclusionByConclusion) {
  store::SeriesPart part{"local resnet",
                         {{"depth_slope", "local", "openvino", "s", "8", 1.5, {}, {}, 0.1, 3.0, "", {"c1"}}},
                         {{"claim", "It holds.", R"({"holds":true})"}}};
  EXPECT_THAT(differences(kept_numbers({part}), kept_numbers({part})), SizeIs(0));
  EXPECT_THAT(differences(kept_conclusions({part}), kept_conclusions({part})), SizeIs(0));
  store::SeriesPart given = part;
  given.values[0].standard_error = 0.2;
  given.conclusions[0].json = R"({"holds":false})";
  const Problem number = differences(kept_numbers({given}), kept_numbers({part})).front();
  EXPECT_EQ(number.where, "depth_slope, local, openvino, s, batch 8");
  EXPECT_THAT(number.what, ContainsRegex("standard_error 0.2, .*is given, .*standard_error 0.1, .*follows"));
  const Problem claim = differences(kept_conclusions({given}), kept_conclusions({part})).front();
  EXPECT_EQ(claim.where, "claim 1");
  EXPECT_THAT(claim.what, HasSubstr(R"("holds":true)"));
  given = part;
  given.values[0].cell_ids = {"c2"};
  EXPECT_THAT(differences(kept_numbers({given}), kept_numbers({part})).front().what, HasSubstr("of c2"));
  EXPECT_EQ(differences({}, kept_numbers({part})).front().what, "nothing is stored");
  EXPECT_EQ(differences(kept_conclusions({part}), {}).front().what, "it is stored and does not follow");
}

}  // namespace
}  // namespace ngb::bundle
