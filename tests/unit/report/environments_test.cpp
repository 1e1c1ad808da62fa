// SPDX-License-Identifier: Apache-2.0
#include "report/environments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"
#include "report/show/show.h"
#include "written.h"

namespace ngb::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Text = Known<std::string>;

store::MeasuredEnvironment described(const std::string& device, const std::string& boot_id, const std::string& kernel) {
  return {device, {{{"boot_id", "", Text::of(boot_id), false}, {"kernel", "", Text::of(kernel), true}}}};
}

TEST(EnvironmentDifferences, AreToldByClass) {
  const auto differences = environment_differences({described("local", "a", "6.1"), described("local", "b", "6.2"),
                                                    described("far", "c", "5.15"), described("local", "b", "6.2")});
  EXPECT_THAT(environment_remarks(differences),
              ElementsAre("local: kernel was 6.1 and 6.2: these results are not pooled", "local: boot_id was a and b"));
  EXPECT_EQ(
      to_json(differences)[1],
      (nlohmann::json{{"device", "local"}, {"entry", "boot_id"}, {"must_be_equal", false}, {"values", {"a", "b"}}}));
}

TEST(EnvironmentDifferences, AreNoneBetweenDevicesAndBetweenEqualDescriptions) {
  EXPECT_THAT(environment_differences(
                  {described("local", "a", "6.1"), described("local", "a", "6.1"), described("far", "b", "6.2")}),
              IsEmpty());
}

TEST(EnvironmentDifferences, NameAnEntryThatOnlyOneDescriptionHas) {
  auto with_variable = described("local", "a", "6.1");
  with_variable.environment.entries.push_back({"variable_OMP_PROC_BIND", "", Text::of("close"), true});
  const auto differences = environment_differences({described("local", "a", "6.1"), with_variable});
  EXPECT_THAT(environment_remarks(differences),
              ElementsAre("local: variable_OMP_PROC_BIND was close and not set: these results are not pooled"));
}

TEST(EnvironmentDifferences, AreShortAndHarmlessToATerminal) {
  std::vector<store::MeasuredEnvironment> many;
  for (int i = 0; i < 5; ++i) many.push_back(described("local", "a", std::to_string(i) + "\x1b[31m"));
  EXPECT_THAT(
      environment_remarks(environment_differences(many)),
      ElementsAre("local: kernel was 0\\x1b[31m and 1\\x1b[31m and 2\\x1b[31m and 2 more: these results are not "
                  "pooled"));
}

TEST(EnvironmentDifferences, OfTheShownDevicesStandBelowTheTable) {
  const std::vector<store::CellData> cells{made_up::cell_of("identity", 1, {made_up::process(0, {10})})};
  const std::vector<store::DerivedValue> derived;
  Results results = all_results(cells, derived);
  add_differences(results, {described("local", "a", "6.1"), described("local", "b", "6.1"), described("far", "a", "1"),
                            described("far", "a", "2")});
  EXPECT_THAT(show_text(results, {}), HasSubstr("\n  local: boot_id was a and b\n"));
  EXPECT_EQ(results.differences.size(), 1U);
}

TEST(Allocator, IsNamedBelowTheTableUnlessItKeepsItsMemory) {
  const std::vector<store::CellData> cells{made_up::cell_of("identity", 1, {made_up::process(0, {10})})};
  const std::vector<store::DerivedValue> derived;
  Results results = all_results(cells, derived);
  EXPECT_THAT(show_text(results, {}), HasSubstr("\n  allocator: default\n"));
  EXPECT_EQ(json_text::parse(show_json(results))["allocator"], "default");
  results.allocator = "steady";
  EXPECT_THAT(show_text(results, {}), testing::Not(HasSubstr("allocator")));
  EXPECT_EQ(json_text::parse(show_json(results))["allocator"], "steady");
}

}  // namespace
}  // namespace ngb::report
