// SPDX-License-Identifier: Apache-2.0
// What every figure of a table keeps to.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "made_figures.h"

namespace ngb::made_up {

using FigureTable = std::span<const report::figures::Figure>;

// Every axis of numbers has a unit in its title; so has none of the figures `without` such an axis.
inline void expect_units_in_titles(FigureTable figures, const std::string& without) {
  const std::regex unit(
      R"(.*\((samples|samples/s|tokens/s|bits/s|bytes|s|ms|ratio|1 - ratio|count|blocks|%)(, log axis.*)?\))");
  for (const report::figures::Figure& figure : figures) {
    std::size_t axes = 0;
    visit(figure.specification, "", [&](const nlohmann::ordered_json& json, const std::string& key) {
      if ((key != "x" && key != "y") || json.value("type", "") != "quantitative") return;
      ++axes;
      EXPECT_TRUE(std::regex_match(json.value("title", ""), unit)) << figure.name << ": " << json.dump();
    });
    EXPECT_EQ(axes == 0, figure.name == without) << figure.name;
  }
}

// What is drawn are columns of the data, or what a transform makes of them.
inline void expect_only_columns(FigureTable figures) {
  const std::set<std::string> of_transforms{"first",     "last",       "mean",  "interval",   "drawn",
                                            "drawn_low", "drawn_high", "count", "shared_low", "shared_high"};
  for (const report::figures::Figure& figure : figures) {
    const std::vector<std::string> columns = text::split(figure.columns, ' ');
    visit(figure.specification, "", [&](const nlohmann::ordered_json& json, const std::string& /*key*/) {
      const std::string field = json.value("field", "panel");
      if (of_transforms.contains(field)) return;
      EXPECT_NE(std::find(columns.begin(), columns.end(), field), columns.end()) << figure.name << ": " << field;
    });
  }
}

// Rows have the columns of the data and no others.
inline void expect_rows_with_columns(FigureTable figures, const report::figures::Selection& selection) {
  for (const report::figures::Figure& figure : figures) {
    const std::vector<std::string> columns = text::split(figure.columns, ' ');
    const std::set<std::string> wanted(columns.begin(), columns.end());
    for (const report::figures::Row& row : make_rows(figure, selection).rows) {
      std::set<std::string> found;
      for (const auto& [name, value] : row.items()) found.insert(name);
      ASSERT_EQ(found, wanted) << figure.name;
    }
  }
}

// Logarithmic axes of ratios, and no others, have a line at 1.
inline void expect_a_line_at_one(FigureTable figures) {
  for (const report::figures::Figure& figure : figures) {
    bool is_ratio = false;
    bool marks_one = false;
    visit(figure.specification, "", [&](const nlohmann::ordered_json& json, const std::string& key) {
      if (key != "x" && key != "y") return;
      const bool has_title = json.contains("title") && json.at("title").is_string();
      is_ratio = is_ratio || (has_title && json.value("title", "").find("(ratio, log axis)") != std::string::npos);
      marks_one = marks_one || json.value("datum", 0) == 1;
    });
    EXPECT_EQ(is_ratio, marks_one) << figure.name;
  }
}

// docs/report.md has a row for each figure.
inline void expect_documentation(FigureTable figures) {
  const std::string page = file::read(std::filesystem::path(NGB_SOURCE_DIR) / "docs/report.md").value();
  for (const report::figures::Figure& figure : figures) {
    const std::string paper = figure.paper.empty() ? "ours" : figure.paper;
    std::string names = fmt::format("`{}`", figure.name);
    for (const std::string& name : text::split(figure.also, ' ')) {
      if (!name.empty()) names += fmt::format(", `{}`", name);
    }
    EXPECT_THAT(page,
                testing::HasSubstr(fmt::format("| {} | {} | {} | {} |\n", names, figure.title, paper, figure.rows)));
  }
}

}  // namespace ngb::made_up
