// SPDX-License-Identifier: Apache-2.0
// Draws figures with vl-convert, if it is installed on this machine.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "report/figures/draw.h"
#include "report/figures/figure.h"
#include "temporary_folder.h"
#include "toolchain/toolchain.h"
#include "toolchain/tools.h"

namespace ngb::made_up {

class DrawnFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    const toolchain::CompilerDescription tool = toolchain::drawing_tool();
    const auto found = toolchain::find(toolchain::default_root(), tool.name, tool.default_version);
    if (!found || !*found) GTEST_SKIP() << "no toolchain figures on this machine: ngb toolchain install figures";
    drawer_ = {(*found)->python, (*found)->site};
  }
  // Returns what Vega-Lite warned about.
  std::vector<std::string> draw_all(const report::figures::Figures& figures, const std::string& format,
                                    int width_px = 0) {
    std::vector<report::figures::Image> images;
    for (const report::figures::Made& made : figures.made)
      images.push_back({made.figure->name, made.specification, file_of(made, format)});
    const auto drawn = draw(drawer_, format, images, width_px);
    if (!drawn) throw std::runtime_error(drawn.error().text());
    for (std::size_t i = 0; i < images.size(); ++i) {
      sheets_[images[i].name] = drawn->sheets.at(i);
      EXPECT_GT(std::filesystem::file_size(images[i].file), 1000U) << images[i].name;
    }
    return drawn->warnings;
  }
  [[nodiscard]] std::filesystem::path file_of(const report::figures::Made& made, const std::string& format) const {
    return folder_.path() / (made.figure->name + "." + format);
  }
  // Expects that the page of each sheet of the drawn PDF is so many inches wide, and no higher than a sheet.
  void expect_sheets(const report::figures::Made& made, double inches) const {
    for (int sheet = 1; sheet <= sheets_.at(made.figure->name); ++sheet) {
      const std::string pdf = file::read(report::figures::file_of_sheet(file_of(made, "pdf"), sheet)).value();
      std::smatch box;
      ASSERT_TRUE(std::regex_search(pdf, box, std::regex(R"(/MediaBox\s*\[\s*0\s+0\s+([0-9.]+)\s+([0-9.]+)\s*\])")));
      EXPECT_NEAR(std::stod(box[1]) / 72, inches, 0.01 * inches) << made.figure->name << ", sheet " << sheet;
      EXPECT_LE(std::stod(box[2]) / 72, 8.5) << made.figure->name << ", sheet " << sheet;
    }
  }
  report::figures::Drawer drawer_{};
  std::map<std::string, int> sheets_{};  // of each figure, as it was last drawn
  TemporaryFolder folder_;
};

}  // namespace ngb::made_up
