// SPDX-License-Identifier: Apache-2.0
// Writes the figures of a report: specifications, data and images.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/derive.h"
#include "report/figures/draw.h"
#include "report/figures/figure.h"
#include "report/page/page.h"
#include "store/merge.h"

namespace ngb::app {

struct FiguresRequest {
  std::string image_format{};          // "svg", …; "": no images
  std::filesystem::path toolchains{};  // where to look for the program that draws images; "": nothing is drawn
};

struct WrittenFigures {
  std::filesystem::path folder{};
  std::size_t count = 0;
  std::string left_out{};               // figures without data, and why: for people; "" if there are none
  std::vector<std::string> remarks{};   // what figures do not show
  std::vector<std::string> warnings{};  // of the program that drew the images
};

// Returns the installed toolchain that draws figures, or nothing if there is none. If images are asked for, that is an
// error, which says how to install it.
Result<std::optional<report::figures::Drawer>> find_drawer(const FiguresRequest& request);

// Holds cells with phases and repetitions, which figures of single processes need.
class MeasuredCells {
 public:
  // Loads the cells unless `derived` has them, or unless they have too many repetitions to be drawn. `derived` must
  // outlive this object.
  Status load(const std::vector<store::Source>& sources, const metrics::Derived& derived);
  // Adds the cells, or why there are none.
  void add_to(report::figures::Measured& measured) const;

 private:
  const metrics::Derived* derived_ = nullptr;
  std::vector<store::CellData> loaded_{};
  bool are_too_many_ = false;
};

// Writes NAME.vl.json, NAME.csv and, if `format` is not "", NAME.FORMAT of each figure into `folder`, each in one step,
// and removes the files of figures that an earlier report had there. Other files in the folder are not changed. A
// format needs a drawer.
Result<WrittenFigures> write_figures(const std::filesystem::path& folder, const report::figures::Figures& figures,
                                     const std::optional<report::figures::Drawer>& drawer, const std::string& format);

// Of results of at most this many cells, the page has images without being asked for (they take time to draw), and
// longer tables of the figures' data.
inline constexpr std::size_t kFewCells = 500;

// Returns the figures as the page shows them. They have images if there is a drawer, and if the images are asked for or
// the results have few cells; else a remark says why not. Fails if images are asked for and cannot be drawn. `folder`
// exists; nothing is left there.
Result<report::page::Figures> figures_of_page(const std::filesystem::path& folder,
                                              const report::figures::Figures& figures,
                                              const std::optional<report::figures::Drawer>& drawer, bool are_asked_for,
                                              std::size_t cells);

}  // namespace ngb::app
