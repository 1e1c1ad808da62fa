// SPDX-License-Identifier: Apache-2.0
#include "report/figures/width.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json_text.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

std::vector<Row> rows_of_columns(int count) {
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) rows.push_back({{"panel", "one"}, {"column", fmt::format("{}", i)}});
  return rows;
}

ordered_json grid_with_own_axes() {
  return json_text::parse_ordered(R"({
    "facet": {"row": {"field": "panel"}, "column": {"field": "column"}},
    "resolve": {"scale": {"y": "independent"}},
    "spec": {"width": 120, "layer": [{"encoding": {"y": {"field": "value", "type": "quantitative"}}}]}})");
}

// 687 pixels, of which 40 are padding, 15 names of rows, 60 each axis, 20 each gap: (687 - 55 - 5 · 60 - 4 · 20) / 5.
TEST(WidthOfFigures, IsThatOfThePageWhereEachPanelHasItsOwnAxis) {
  ordered_json whole = grid_with_own_axes();
  EXPECT_FALSE(fit_to_width(whole, rows_of_columns(5), kPagePx));
  EXPECT_EQ(whole.at("spec").at("width"), 50);
  EXPECT_TRUE(whole.at("resolve").at("scale").contains("y"));
}

// With eight axes 1 pixel would be left for a panel; with one (687 - 55 - 60 - 7 · 20) / 8.
TEST(WidthOfFigures, LetsPanelsShareAnAxisThatHaveNoRoomForTheirOwn) {
  ordered_json whole = grid_with_own_axes();
  EXPECT_TRUE(fit_to_width(whole, rows_of_columns(8), kPagePx));
  EXPECT_EQ(whole.at("spec").at("width"), 54);
  EXPECT_FALSE(whole.at("resolve").at("scale").contains("y"));
}

// Names of 20 letters take 12 + 118 pixels: 336 - 40 - 130.
TEST(WidthOfFigures, LeavesRoomForTheNamesOfAnAxis) {
  ordered_json whole = json_text::parse_ordered(R"({
    "facet": {"field": "panel"}, "columns": 2,
    "spec": {"width": 420, "layer": [{"encoding": {"y": {"field": "side", "type": "nominal"}}}]}})");
  const std::vector<Row> rows{{{"panel", "a"}, {"side", "abcdefghijklmnopqrst"}}, {{"panel", "b"}, {"side", "b"}}};
  EXPECT_FALSE(fit_to_width(whole, rows, kColumnPx));
  EXPECT_EQ(whole.at("columns"), 1);
  EXPECT_EQ(whole.at("spec").at("width"), 336 - 40 - 130);
}

// A step for each of 6 batch sizes of 4 compilers: (687 - 55 - 60 - 3 · 20) / 4 / 6 = 21.
TEST(WidthOfFigures, MakesTheStepsOfAHeatMapNarrowerAndItsNumbersSmaller) {
  ordered_json whole = json_text::parse_ordered(R"({
    "facet": {"row": {"field": "panel"}, "column": {"field": "compiler"}},
    "spec": {"width": {"step": 30}, "layer": [
      {"mark": {"type": "rect"}, "encoding": {"x": {"field": "batch"}, "y": {"field": "value", "type": "quantitative"}}},
      {"mark": {"type": "text"}}]}})");
  std::vector<Row> rows;
  for (int i = 0; i < 24; ++i)
    rows.push_back({{"panel", "one"}, {"compiler", fmt::format("{}", i / 6)}, {"batch", i % 6}});
  EXPECT_FALSE(fit_to_width(whole, rows, kPagePx));
  EXPECT_EQ(whole.at("spec").at("width").at("step"), 21);
  EXPECT_EQ(whole.at("spec").at("layer")[1].at("mark").at("fontSize"), 7);
}

// In 336 pixels, of which 40 are padding and 60 an axis, a name of 20 letters takes 35 + 124: one, in 687 three.
TEST(WidthOfFigures, LetsTheLegendHaveAsManyColumnsAsFit) {
  const ordered_json whole = json_text::parse_ordered(R"({
    "facet": {"field": "panel"},
    "spec": {"width": 420, "layer": [{"encoding": {"y": {"field": "value", "type": "quantitative"}}}]}})");
  const std::vector<Row> rows{{{"compiler", "abcdefghijklmnopqrst"}}, {{"compiler", "b"}}};
  EXPECT_EQ(columns_of_legend(whole, rows, kColumnPx), 1);
  EXPECT_EQ(columns_of_legend(whole, rows, kPagePx), 3);
}

}  // namespace
}  // namespace ngb::report::figures
