// SPDX-License-Identifier: Apache-2.0
#include "bundle/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::bundle {
namespace {

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

TEST(BundledPage, HasItsDataInOneElement) {
  EXPECT_EQ(data_of_page("<p>1</p><script type=\"application/json\" id=\"data\">{\"a\":2}</script>"), "{\"a\":2}");
  EXPECT_EQ(data_of_page("<p>1</p>"), "");
}

TEST(BundledValue, IsComparedWithTheOneOfItsCellAndMetric) {
  const std::vector<store::DerivedValue> follow{{"c1", "median_s", 2.0, 1.0, 3.0, ""},
                                                {"c2", "median_s", {}, {}, {}, "not measured yet"}};
  EXPECT_THAT(differences(follow, follow), SizeIs(0));
  auto given = follow;
  given[0].value = 2.5;
  given[1].reason = "failed";
  const auto changed = differences(given, follow);
  ASSERT_THAT(changed, SizeIs(2));
  EXPECT_EQ(changed[0].where, "cell c1, median_s");
  EXPECT_EQ(changed[0].what, "2.5 is stored, 2 follows");
  EXPECT_THAT(changed[1].what, HasSubstr("\"failed\" is given, \"not measured yet\" follows"));
  given[1].value = 1.0;
  EXPECT_THAT(differences(given, follow)[1].what, HasSubstr("1 is stored, no value follows"));
}

TEST(BundledValue, ThatIsMissingTwiceThereOrFollowsFromNothingIsTold) {
  const store::DerivedValue value{"c1", "median_s", 2.0, {}, {}, ""};
  EXPECT_EQ(differences({}, {value}).front().what, "nothing is stored, 2 follows");
  EXPECT_EQ(differences({value}, {}).front().what, "2 is stored and does not follow");
  EXPECT_EQ(differences({value, value}, {value}).front().what, "it is stored twice");
}

TEST(BundledSeries, IsComparedPartByPart) {
  store::SeriesPart part{"local resnet",
                         {{"depth_slope", "local", "openvino", "s", "8", 1.5, {}, {}, 0.1, 3.0, ""}},
                         {{"claim", "It holds.", R"({"holds":true})"}}};
  EXPECT_THAT(value_differences({part}, {part}), SizeIs(0));
  EXPECT_THAT(conclusion_differences({part}, {part}), SizeIs(0));
  store::SeriesPart given = part;
  given.values[0].standard_error = 0.2;
  given.conclusions[0].json = R"({"holds":false})";
  EXPECT_EQ(value_differences({given}, {part}).front().what, "standard error: 0.2 is stored, 0.1 follows");
  EXPECT_EQ(conclusion_differences({given}, {part}).front().where, "claim 1");
  EXPECT_EQ(value_differences({}, {part}).front().what, "nothing is stored");
  EXPECT_EQ(value_differences({part}, {}).front().what, "it is stored and does not follow");
  given.conclusions.clear();
  EXPECT_EQ(conclusion_differences({given}, {part}).front().what, "0 conclusions are stored, 1 follow");
}

}  // namespace
}  // namespace ngb::bundle
