// SPDX-License-Identifier: Apache-2.0
// Writes the figures of a report: specifications, data and images.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/figures/draw.h"
#include "report/figures/figure.h"
#include "report/figures/selection.h"
#include "report/page/page.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::report::folder {

struct FiguresRequest {
  std::string image_format{};               // "svg", …; "": no images
  std::optional<figures::Drawer> drawer{};  // nothing: no image is drawn
  figures::Form form{};
  bool with_publication = false;  // also those of the publication
};

struct WrittenFigures {
  std::filesystem::path folder{};
  std::size_t count = 0;
  std::string left_out{};               // figures without data, and why: for people; "" if there are none
  std::vector<std::string> remarks{};   // what figures do not show
  std::vector<std::string> warnings{};  // of the program that drew the images
};

// Loads single cells with their repetitions, for figures that draw these.
class CellLoader {
 public:
  explicit CellLoader(std::vector<store::Source> sources) : sources_(std::move(sources)) {}
  // Returns a function that refers to this object.
  figures::LoadCell loader();
  // Returns the error of the first cell that could not be loaded.
  [[nodiscard]] const ngb::Status& status() const { return status_; }

 private:
  std::optional<store::CellData> load(const std::string& cell_id);

  std::vector<store::Source> sources_;
  std::optional<store::Store> store_{};  // opened for the first cell
  ngb::Status status_{};
};

// Writes NAME.vl.json, NAME.csv and, if images are asked for, NAME.FORMAT (and NAME-2.FORMAT, … of further sheets) of
// each figure into `folder`, each in one step, and removes the files of figures that an earlier report had there. Other
// files in the folder are not changed. Images need a drawer.
Result<WrittenFigures> write_figures(const std::filesystem::path& folder, const figures::Figures& figures,
                                     std::span<const figures::Figure> of_publication, const FiguresRequest& request);

// Returns the figures as the page shows them; of many cells, with fewer rows of each.
page::Figures figures_of_page(const figures::Figures& figures, std::size_t cells);

}  // namespace ngb::report::folder
