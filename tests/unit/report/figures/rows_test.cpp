// SPDX-License-Identifier: Apache-2.0
#include "report/figures/rows.h"

#include <gtest/gtest.h>

namespace ngb::report::figures {
namespace {

Row row_at(const char* panel, const char* column, double speed) {
  return {{"panel", panel}, {"column", column}, {"state", "measured"}, {"speed", speed}};
}

TEST(RowsOfAGrid, SayWhyAPanelIsEmptyAndKeepTheRowsOfPanelsTogether) {
  const Rows made = grid_with({row_at("near", "a", 1), row_at("far", "a", 2), row_at("near", "b", 3)}, "speed",
                              "no speed", "no b there");
  ASSERT_EQ(made.rows.size(), 4U);
  EXPECT_EQ(made.rows[1].at("column"), "b") << "of the panels near, as the first row is";
  EXPECT_EQ(made.rows[3], empty_panel("far", "b", "no b there"));
}

TEST(RowsOfAGrid, AreLeftOutWithoutANumber) {
  const Rows made = grid_with({empty_panel("near", "a", "none")}, "speed", "no speed", "");
  EXPECT_TRUE(made.rows.empty());
  EXPECT_EQ(made.why_none, "no speed");
}

}  // namespace
}  // namespace ngb::report::figures
