// SPDX-License-Identifier: Apache-2.0
// The paper's figures of made-up results, and figures of report with what the paper has published beside them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../report/figures/made_up_results.h"
#include "paper/figures/published_rows.h"
#include "paper/figures/rows.h"

namespace ngb::paper::figures {

inline const Figure& figure_of(std::string_view name) {
  for (const auto all : {all_figures(), report::figures::all_figures()}) {
    for (const Figure& figure : all) {
      if (figure.name == name) return figure;
    }
  }
  throw std::invalid_argument("no such figure: " + std::string(name));
}

// Returns the figure's rows, with what is published of these devices.
inline std::vector<Row> rows_of_figure(const made_up::ResultsOf& results, std::string_view figure,
                                       std::vector<std::string> devices = {}) {
  return make_rows(figure_of(figure), results.selection(published(std::move(devices)))).rows;
}

// Returns all figures, those of report and the paper's.
inline report::figures::Figures figures_with(const made_up::ResultsOf& results, std::vector<std::string> devices = {},
                                             const report::figures::Form& form = {}) {
  return make_figures(results.selection(published(std::move(devices))), form, all_figures());
}

}  // namespace ngb::paper::figures
