// SPDX-License-Identifier: Apache-2.0
#include "report/figures/draw.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/python.h"
#include "draw_figures.py.h"
#include "report/figures/figure.h"

namespace ngb::report::figures {

std::filesystem::path file_of_sheet(const std::filesystem::path& image, int sheet) {
  if (sheet == 1) return image;
  return image.parent_path() / fmt::format("{}-{}{}", image.stem().string(), sheet, image.extension().string());
}

Result<Drawn> draw(const Drawer& drawer, const std::string& format, const std::vector<Image>& images, int width_px) {
  nlohmann::json figures = nlohmann::json::array();
  for (const Image& image : images) {
    figures.push_back({{"name", image.name}, {"specification", image.specification}, {"image", image.file.string()}});
  }
  const nlohmann::json wanted{{"format", format},
                              {"width_px", width_px},
                              {"height_px", width_px > 0 ? kSheetPx : 0},
                              {"figures", std::move(figures)}};
  const Result<std::string> answer = python::ask({.interpreter = python::of_toolchain(drawer.python, drawer.site),
                                                  .program = kPython_draw_figures,
                                                  .input = json_text::dump(wanted),
                                                  .site = drawer.site});
  if (!answer) return fail("cannot draw figures: " + answer.error().what, answer.error().where, answer.error().next);
  try {
    const nlohmann::json drawn = json_text::parse(*answer);
    Drawn made{drawn.at("sheets").get<std::vector<int>>(), drawn.at("warnings").get<std::vector<std::string>>()};
    if (made.sheets.size() == images.size()) return made;
  } catch (const nlohmann::json::exception&) {
    // An answer without these is refused below, as one about other images is.
  }
  return fail("cannot draw figures: vl-convert gave an unexpected answer", drawer.python);
}

}  // namespace ngb::report::figures
