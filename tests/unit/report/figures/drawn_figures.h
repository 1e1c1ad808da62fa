// SPDX-License-Identifier: Apache-2.0
// Draws figures with vl-convert, if it is installed on this machine.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
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
    const auto warnings = draw(drawer_, format, images, width_px);
    EXPECT_TRUE(warnings) << warnings.error().text();
    for (const report::figures::Made& made : figures.made) {
      EXPECT_GT(std::filesystem::file_size(file_of(made, format)), 1000U) << made.figure->name;
    }
    return warnings.value_or(std::vector<std::string>{});
  }
  [[nodiscard]] std::filesystem::path file_of(const report::figures::Made& made, const std::string& format) const {
    return folder_.path() / (made.figure->name + "." + format);
  }
  // Returns how wide the page of the drawn PDF is.
  [[nodiscard]] double inches_of(const report::figures::Made& made) const {
    const std::string pdf = file::read(file_of(made, "pdf")).value();
    std::smatch box;
    if (!std::regex_search(pdf, box, std::regex(R"(/MediaBox\s*\[\s*0\s+0\s+([0-9.]+)\s)"))) return 0;
    return std::stod(box[1]) / 72;
  }
  report::figures::Drawer drawer_{};
  TemporaryFolder folder_;
};

}  // namespace ngb::made_up
