// SPDX-License-Identifier: Apache-2.0
#include "bundle/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/rules.h"

namespace ngb::bundle {
namespace {

using ::testing::HasSubstr;

TEST(BundlePath, IsARelativeNameOfPlainParts) {
  EXPECT_EQ(why_not_a_path("results/results.db"), "");
  EXPECT_EQ(why_not_a_path("report/figures/rtr_by_batch.vl.json"), "");
  EXPECT_EQ(why_not_a_path("read-me_1.json"), "");
}

TEST(BundlePath, ThatLeavesItsFolderOrIsNoneIsRefusedWithTheReason) {
  EXPECT_THAT(why_not_a_path("../results.db"), HasSubstr("leads out of its folder"));
  EXPECT_THAT(why_not_a_path("report/../../x"), HasSubstr("leads out of its folder"));
  EXPECT_THAT(why_not_a_path("/etc/passwd"), HasSubstr("absolute"));
  EXPECT_THAT(why_not_a_path("report//index.html"), HasSubstr("a part of the path is empty"));
  EXPECT_THAT(why_not_a_path("report/"), HasSubstr("a part of the path is empty"));
  EXPECT_THAT(why_not_a_path("./LICENCE"), HasSubstr("begins with a dot"));
  EXPECT_THAT(why_not_a_path("report\\index.html"), HasSubstr("other characters"));
  EXPECT_THAT(why_not_a_path("C:LICENCE"), HasSubstr("other characters"));
  EXPECT_THAT(why_not_a_path(std::string("LICENCE\0.txt", 12)), HasSubstr("other characters"));
  EXPECT_THAT(why_not_a_path("\xC3\xA9.csv"), HasSubstr("other characters"));
  EXPECT_THAT(why_not_a_path(""), HasSubstr("empty"));
  EXPECT_EQ(why_not_a_path(std::string(200, 'a')), "");
  EXPECT_THAT(why_not_a_path(std::string(201, 'a')), HasSubstr("longer than 200"));
}

TEST(BundlePaths, AreTwiceUsedIfAFileSystemWithoutCaseTakesThemForOne) {
  EXPECT_EQ(twice_used_path(std::vector<std::string>{"LICENCE", "README.md", "data/cells.csv"}), "");
  EXPECT_EQ(twice_used_path(std::vector<std::string>{"LICENCE", "README.md", "LICENCE"}), "LICENCE");
  EXPECT_EQ(twice_used_path(std::vector<std::string>{"LICENCE", "Licence"}), "Licence");
  EXPECT_EQ(twice_used_path(std::vector<std::string>{"data", "data/cells.csv"}), "data/cells.csv");
}

TEST(BundleRules, CompareEachFileByOneOfThem) {
  EXPECT_EQ(rule_of_path("results/results.db"), "samples");
  EXPECT_EQ(rule_of_path("data/cells.csv"), "tables");
  EXPECT_EQ(rule_of_path("report/tables/table1_devices.csv"), "tables");
  EXPECT_EQ(rule_of_path("report/figures/samples.csv"), "figures");
  EXPECT_EQ(rule_of_path("report/index.html"), "page");
  EXPECT_EQ(rule_of_path("report/other.html"), "metadata");
}

}  // namespace
}  // namespace ngb::bundle
