// SPDX-License-Identifier: Apache-2.0
#include "report/figures/draw.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/python.h"
#include "draw_figures.py.h"

namespace ngb::report::figures {

Result<std::vector<std::string>> draw(const Drawer& drawer, const std::string& format, const std::vector<Image>& images,
                                      int width_px) {
  nlohmann::json figures = nlohmann::json::array();
  for (const Image& image : images) {
    figures.push_back({{"name", image.name}, {"specification", image.specification}, {"image", image.file.string()}});
  }
  const nlohmann::json wanted{{"format", format}, {"width_px", width_px}, {"figures", std::move(figures)}};
  const Result<std::string> answer = python::ask({.interpreter = python::of_toolchain(drawer.python, drawer.site),
                                                  .program = kPython_draw_figures,
                                                  .input = json_text::dump(wanted),
                                                  .site = drawer.site});
  if (!answer) return fail("cannot draw figures: " + answer.error().what, answer.error().where, answer.error().next);
  const nlohmann::json warnings = json_text::parse(*answer);
  if (!warnings.is_array()) return fail("cannot draw figures: vl-convert gave an unexpected answer", drawer.python);
  std::vector<std::string> texts;
  for (const nlohmann::json& warning : warnings) {
    if (warning.is_string()) texts.push_back(warning.get<std::string>());
  }
  return texts;
}

}  // namespace ngb::report::figures
