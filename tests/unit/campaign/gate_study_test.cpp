// SPDX-License-Identifier: Apache-2.0
#include "campaign/two_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json_text.h"
#include "made_up_campaign.h"

namespace ngb::campaign::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class GateStudy : public Campaign {
 protected:
  // Writes a study with the null compiler twice, as "plain" and as "slow".
  [[nodiscard]] std::filesystem::path study_file() const {
    nlohmann::json both = study(2);
    both["compilers"] = {{{"null", {{"label", "plain"}}}},
                         {{"null", {{"label", "slow"}, {"options", {{"run_ns", 1'000'000}}}}}}};
    return folder_.write("study.yaml", json_text::dump(both));
  }
  [[nodiscard]] static Sides sides(const std::string& baseline, const std::string& candidate) {
    return {.baseline = baseline, .candidate = candidate, .needs_speeds = false};
  }
};

TEST_F(GateStudy, MeasuresThreeRoundsOfBothSidesIfSpeedsDoNotMatter) {
  const auto measured = measure_sides(installation_, study_file(), sides("plain", "slow"), folder_ / "gate", notes_);
  ASSERT_TRUE(measured) << measured.error().text;
  EXPECT_EQ(measured->baseline, "plain");
  EXPECT_EQ(measured->candidate, "slow");
  EXPECT_EQ(notes_.said, "ngb: results: " + (folder_ / "gate").string() + "\n");
  const auto cells = cells_in(measured->results);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].processes.size(), 3U);
  EXPECT_EQ(cells[1].processes.size(), 3U);
}

TEST_F(GateStudy, RefusesASideThatIsTheOther) {
  const auto measured = measure_sides(installation_, study_file(), sides("plain", "plain"), folder_ / "gate", notes_);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().kind, Refusal::Kind::wrong_usage);
  EXPECT_EQ(measured.error().text,
            "ngb: plain: both sides are the same compiler; give --candidate another version or label\n");
}

TEST_F(GateStudy, RefusesWordsThatMayMeanTwoOfTheStudysCompilers) {
  const auto plan = plan_study(installation_, study_file(), saying(notes_));
  ASSERT_TRUE(plan) << plan.error().text;
  const Status clear = check_sides(plan->study, "null", "slow");
  ASSERT_FALSE(clear);
  EXPECT_THAT(clear.error().text(), AllOf(HasSubstr("the study has several compilers that \"null\" can mean"),
                                          HasSubstr("\"plain\", \"slow\"")));
  EXPECT_TRUE(check_sides(plan->study, "plain", "slow"));
}

}  // namespace
}  // namespace ngb::campaign::test
