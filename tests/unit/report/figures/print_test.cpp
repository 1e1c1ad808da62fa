// SPDX-License-Identifier: Apache-2.0
#include "report/figures/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json_text.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

std::vector<Row> rows_of_columns(const std::vector<std::string>& columns) {
  std::vector<Row> rows;
  for (const char* const panel : {"one", "two"}) {
    for (const std::string& column : columns) rows.push_back({{"panel", panel}, {"column", column}, {"value", 1}});
  }
  return rows;
}

const std::vector<std::string> kFiveLetters{"a", "b", "c", "d", "e"};

ordered_json grid(bool has_own_axes) {
  ordered_json whole = json_text::parse_ordered(R"json({
    "facet": {"row": {"field": "panel"}, "column": {"field": "column"}},
    "spec": {"width": 120, "height": 110, "layer": [{"mark": {"type": "line"}, "encoding": {
      "x": {"field": "batch", "title": "batch size"},
      "y": {"field": "value", "type": "quantitative", "title": "speed (samples/s)"}}}]}})json");
  if (has_own_axes) whole["resolve"]["scale"]["y"] = "independent";
  return whole;
}

// 687 pixels, of which 6 are padding, 40 the axis and 12 each gap: (687 - 46 - 4 · 12) / 5.
TEST(Print, FillsThePageWithAllPanelsOfALine) {
  ordered_json whole = grid(true);
  fit_to_width(whole, rows_of_columns(kFiveLetters), kPagePx);
  EXPECT_EQ(whole.at("spec").at("width"), 118);
  EXPECT_EQ(whole.at("usermeta").at("side_by_side"), 5);
}

// In a column five panels would have 48 pixels each, four have (336 - 46 - 3 · 12) / 4.
TEST(Print, PutsAsManyPanelsSideBySideAsCanBeRead) {
  ordered_json whole = grid(true);
  fit_to_width(whole, rows_of_columns(kFiveLetters), kColumnPx);
  EXPECT_EQ(whole.at("spec").at("width"), 63);
  EXPECT_EQ(whole.at("usermeta").at("side_by_side"), 4);
}

// "EfficientNets" takes 13 · 6 pixels, so three are side by side: (336 - 46 - 2 · 12) / 3.
TEST(Print, LeavesRoomForTheNamesOfPanels) {
  ordered_json whole = grid(true);
  fit_to_width(whole, rows_of_columns({"ResNets", "EfficientNets", "DeiTs", "Swins"}), kColumnPx);
  EXPECT_EQ(whole.at("spec").at("width"), 88);
  EXPECT_EQ(whole.at("usermeta").at("side_by_side"), 3);
}

// Names of 20 letters and the gap take 12 + 120 pixels: 336 - 6 - 132.
TEST(Print, LeavesRoomForTheNamesOfAnAxis) {
  ordered_json whole = json_text::parse_ordered(R"({
    "facet": {"field": "panel"}, "columns": 2,
    "spec": {"width": 420, "layer": [{"mark": "point", "encoding": {"y": {"field": "side", "type": "nominal"}}}]}})");
  const std::vector<Row> rows{{{"panel", "a"}, {"side", "abcdefghijklmnopqrst"}}, {{"panel", "b"}, {"side", "b"}}};
  fit_to_width(whole, rows, kColumnPx);
  EXPECT_EQ(whole.at("columns"), 2);
  EXPECT_EQ(whole.at("spec").at("width"), (336 - 6 - 132 - 12) / 2);
}

// A legend of 27 letters takes 30 + 27 · 6 pixels, of which the axis has 40; of two panels each had (336 - 6 - 12) / 2
// - 40 = 119.
TEST(Print, LeavesRoomForTheLegendThatEachPanelHas) {
  ordered_json whole = json_text::parse_ordered(R"json({
    "facet": {"field": "panel"}, "columns": 2,
    "resolve": {"scale": {"y": "independent"}, "legend": {"color": "independent"}},
    "spec": {"width": 200, "height": 150, "layer": [{"mark": "bar", "encoding": {
      "color": {"field": "model", "type": "nominal"}, "y": {"field": "value", "type": "quantitative"}}}]}})json");
  const std::vector<Row> rows{{{"panel", "a"}, {"model", "mha_block embed=256 depth=4"}},
                              {{"panel", "b"}, {"model", "b"}}};
  fit_to_width(whole, rows, kColumnPx);
  EXPECT_EQ(whole.at("columns"), 1);
  EXPECT_EQ(whole.at("spec").at("width"), 336 - 6 - 40);
}

// A step for each of 6 batch sizes of 4 compilers: ((687 - 46 - 3 · 12) / 4) / 6 = 25; in a column of two compilers 23.
TEST(Print, MakesTheStepsOfAHeatMapNarrowerAndItsNumbersSmaller) {
  const ordered_json heat_map = json_text::parse_ordered(R"({
    "facet": {"row": {"field": "panel"}, "column": {"field": "compiler"}},
    "spec": {"width": {"step": 30}, "layer": [
      {"mark": {"type": "rect"}, "encoding": {"x": {"field": "batch"}, "y": {"field": "value", "type": "quantitative"}}},
      {"mark": {"type": "text", "fontSize": 10}}]}})");
  std::vector<Row> rows;
  for (int i = 0; i < 24; ++i)
    rows.push_back({{"panel", "one"}, {"compiler", fmt::format("{}", i / 6)}, {"batch", i % 6}});
  ordered_json whole = heat_map;
  fit_to_width(whole, rows, kPagePx);
  EXPECT_EQ(whole.at("spec").at("width").at("step"), 25);
  EXPECT_EQ(whole.at("spec").at("layer")[1].at("mark").at("fontSize"), 10);
  whole = heat_map;
  fit_to_width(whole, rows, kColumnPx);
  EXPECT_EQ(whole.at("usermeta").at("side_by_side"), 2);
  EXPECT_EQ(whole.at("spec").at("width").at("step"), 23);
  EXPECT_EQ(whole.at("spec").at("layer")[1].at("mark").at("fontSize"), 8);
}

// A column of two panels, each with its axis: ((336 - 6 - 12) / 2 - 40) = 119 for two names, at 6 pixels a letter.
TEST(Print, BreaksNamesBelowAnAxisInsteadOfTurningThem) {
  ordered_json whole = json_text::parse_ordered(R"json({
    "facet": {"field": "panel"}, "columns": 2, "resolve": {"scale": {"y": "independent"}},
    "spec": {"width": 200, "height": 150, "layer": [{"mark": "bar", "encoding": {
      "x": {"field": "side", "type": "nominal", "axis": {"labelAngle": -25}},
      "y": {"field": "value", "type": "quantitative"}}}]}})json");
  std::vector<Row> rows;
  for (const char* const panel : {"one", "two"}) {
    for (const char* const side : {"a", "b"}) rows.push_back({{"panel", panel}, {"side", std::string(panel) + side}});
  }
  fit_to_width(whole, rows, kColumnPx);
  const ordered_json& axis = whole.at("spec").at("layer")[0].at("encoding").at("x").at("axis");
  EXPECT_EQ(whole.at("spec").at("width"), 119);
  EXPECT_EQ(whole.at("spec").at("height"), 119) << "no higher than wide";
  EXPECT_EQ(axis.at("labelAngle"), 0);
  EXPECT_EQ(axis.at("labelExpr"), lines_of_at_most(59)) << "119 / 2, nine letters";
}

TEST(Print, GivesEachRowOfPanelsAnAxisOfItsOwnWhereEachPanelHadOne) {
  ordered_json whole = grid(true);
  const std::vector<Row> rows = rows_of_columns(kFiveLetters);
  fit_to_width(whole, rows, kPagePx);
  set_rows_as_views(whole, rows, kPagePx);
  ASSERT_EQ(whole.at("vconcat").size(), 2U);
  EXPECT_FALSE(whole.contains("resolve")) << "views that are one below the other have an axis each";
  const ordered_json& first = whole.at("vconcat")[0];
  EXPECT_EQ(first.at("transform"), ordered_json::parse(R"([{"filter": {"field": "panel", "equal": "one"}}])"));
  EXPECT_EQ(first.at("title").at("text"), ordered_json::parse(R"(["one"])"));
  EXPECT_EQ(first.at("facet").at("field"), "column");
  EXPECT_FALSE(first.at("facet").contains("header"));
  EXPECT_EQ(whole.at("vconcat")[1].at("facet").at("header").at("labelExpr"), "''")
      << "the names stand above the first row";
}

TEST(Print, KeepsOneAxisForAllWhereAllHadOne) {
  const std::vector<Row> rows = rows_of_columns(kFiveLetters);
  ordered_json on_page = grid(false);
  fit_to_width(on_page, rows, kPagePx);
  set_rows_as_views(on_page, rows, kPagePx);
  EXPECT_TRUE(on_page.contains("facet"));
  EXPECT_FALSE(on_page.contains("columns")) << "a grid has none";
  ordered_json in_column = grid(false);
  fit_to_width(in_column, rows, kColumnPx);
  set_rows_as_views(in_column, rows, kColumnPx);
  EXPECT_EQ(in_column.at("vconcat")[1].at("columns"), 4);
  EXPECT_EQ(in_column.at("resolve").at("scale").at("y"), "shared");
}

// Vega refuses views that share an axis of names with steps.
TEST(Print, GivesViewsOfStepsTheirOwnNames) {
  const std::vector<Row> rows = rows_of_columns(kFiveLetters);
  ordered_json whole = grid(false);
  whole["spec"]["height"] = {{"step", 20}};
  fit_to_width(whole, rows, kColumnPx);
  set_rows_as_views(whole, rows, kColumnPx);
  EXPECT_FALSE(whole.contains("resolve"));
}

TEST(Print, TakesTheTitlesOffTheAxes) {
  ordered_json whole = grid(true);
  EXPECT_EQ(take_titles_of_axes(whole), "speed (samples/s) over batch size");
  const ordered_json& encoding = whole.at("spec").at("layer")[0].at("encoding");
  EXPECT_TRUE(encoding.at("x").at("title").is_null());
  EXPECT_TRUE(encoding.at("y").at("title").is_null());
  EXPECT_EQ(take_titles_of_axes(whole), "") << "there are none any more";
  ordered_json names = json_text::parse_ordered(R"json({"spec": {"layer": [{"encoding": {
      "x": {"field": "value", "type": "quantitative", "title": "time (s)"}, "y": {"field": "side", "type": "nominal"}}}]}})json");
  EXPECT_EQ(take_titles_of_axes(names), "time (s)");
}

// A name of 20 letters and its mark take 150 pixels.
TEST(Print, LetsTheLegendHaveAsManyColumnsAsFit) {
  const std::vector<Row> rows{{{"compiler", "abcdefghijklmnopqrst"}}, {{"compiler", "b"}}};
  EXPECT_EQ(columns_of_legend(rows, kColumnPx), 1);
  EXPECT_EQ(columns_of_legend(rows, kPagePx), 4);
}

TEST(Print, BreaksTextsBetweenWordsOnly) {
  EXPECT_EQ(lines_of("lines are 95 % intervals", 12), ordered_json::parse(R"(["lines are", "95 %", "intervals"])"));
  EXPECT_EQ(lines_of("unbreakable", 3), ordered_json::parse(R"(["unbreakable"])"));
}

}  // namespace
}  // namespace ngb::report::figures
