// SPDX-License-Identifier: Apache-2.0
// Draws specifications as images with vl-convert, in a Python process of its own.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::report::figures {

inline constexpr std::array kImageFormats{"svg", "png", "pdf"};

// A Python that can import vl_convert from `site`.
struct Drawer {
  std::string python{};
  std::filesystem::path site{};
};

struct Image {
  std::string name{};            // of the figure
  std::string specification{};   // Vega-Lite as JSON text
  std::filesystem::path file{};  // to be written; its folder exists
};

struct Drawn {
  std::vector<int> sheets{};            // that each image takes, at least 1
  std::vector<std::string> warnings{};  // of Vega-Lite: "compile_time: …"
};

// Returns the file of an image's n-th sheet: the image's own file, then "figure5-2.pdf".
std::filesystem::path file_of_sheet(const std::filesystem::path& image, int sheet);

// Writes the images. `format` is one of kImageFormats. Each image is exactly `width_px` wide, at 96 pixels an inch, and
// its panels fill that width; with 0 an image is as wide as its content. With a given width, an image that would be
// higher than kSheetPx takes several sheets, each with whole panels and axes of its own. Returns an error that names
// the figure if one cannot be drawn; images before it are then written.
Result<Drawn> draw(const Drawer& drawer, const std::string& format, const std::vector<Image>& images, int width_px = 0);

}  // namespace ngb::report::figures
