// SPDX-License-Identifier: Apache-2.0
#include "campaign/bisect_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json question(int seed) { return {{"study", {{"seed", seed}}}, {"compiler", "iree"}, {"from", "1"}, {"to", "3"}}; }

TEST(BisectFolder, KeepsTheQuestionTheVersionsAndThoseThatWereSteppedOver) {
  const TemporaryFolder folder;
  EXPECT_EQ(BisectFolder::find(folder.path())->has_value(), false);
  auto made = BisectFolder::create(folder / "search", question(7), {"1", "2", "3"});
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->step_over("2", "it has no wheel"));
  const auto found = BisectFolder::find(folder / "search");
  ASSERT_TRUE(found && found->has_value());
  EXPECT_THAT((*found)->versions(), ElementsAre("1", "2", "3"));
  EXPECT_EQ((*found)->why_stepped_over("2"), "it has no wheel");
  EXPECT_EQ((*found)->why_stepped_over("3"), std::nullopt);
  EXPECT_EQ((*found)->results_of("2", true), folder / "search/2-again");
}

TEST(BisectFolder, NamesTheKeysInWhichAnotherQuestionDiffers) {
  const TemporaryFolder folder;
  const auto made = BisectFolder::create(folder / "search", question(7), {"1", "3"});
  json other = question(8);
  other["from"] = "2";
  EXPECT_THAT(made->differences(question(7)), ElementsAre());
  EXPECT_THAT(made->differences(other), ElementsAre("from", "study.seed"));
}

TEST(BisectFolder, RefusesAFolderOfOtherResultsAndAStudyThatItWouldReplace) {
  const TemporaryFolder folder;
  folder.write("measured/results.db", "");
  EXPECT_THAT(BisectFolder::find(folder / "measured").error().text(),
              HasSubstr("this folder has the results of a study"));
  folder.write("search/study.json", "mine");
  EXPECT_THAT(BisectFolder::create(folder / "search", question(7), {"1", "3"}).error().text(),
              HasSubstr("a bisection would replace this file"));
  EXPECT_EQ(file::read(folder / "search/study.json").value(), "mine");
}

}  // namespace
}  // namespace ngb::campaign
