// SPDX-License-Identifier: Apache-2.0
// Prepares figures for the page. The page is one file that people send each other, so images and tables have limits.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"
#include "report/page/page.h"

namespace ngb::report::figures {

// An image on the page is drawn from at most this many rows: of the first panels, which are drawn whole.
inline constexpr std::size_t kMostRowsOfAnImage = 1'200;
// Of a cell's repetitions, at most this many are drawn on the page: every n-th.
inline constexpr std::size_t kMostRepetitionsOfAnImage = 200;
// The images of a page have at most this many bytes together. Those of the last figures of the table are left out.
inline constexpr std::size_t kMostBytesOfImages = 1'100'000;

struct OnPage {
  page::Figure figure{};  // without its image
  // Vega-Lite from which the image is drawn: without title and background, which the page has, and without descriptions
  // of single marks.
  std::string to_draw{};
  std::string remark{};  // what the image leaves out, as a sentence; "" if nothing
};

// Returns the figure with its data as a table of at most `most_rows` rows.
OnPage on_page(const Made& made, std::size_t most_rows);

// Returns the figures with their images. `images` are SVG, in the order of the figures; if there are none, the page has
// none.
page::Figures with_images(std::vector<OnPage> figures, const std::vector<std::string>& images);

// Returns the SVG with a style that replaces the theme's colours where the reader's appearance is dark.
std::string with_dark_colours(std::string svg);

}  // namespace ngb::report::figures
