// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "figure1.vl.json.h"
#include "figure10.vl.json.h"
#include "paper/figures/rows.h"
#include "paper_figures.json.h"

namespace ngb::paper::figures {
namespace {

using report::figures::NamedForm;
using report::figures::RowsOf;

constexpr std::array kForms{NamedForm{"figure1", kText_figure1_vl_json}, NamedForm{"figure10", kText_figure10_vl_json}};

constexpr std::array kRowsOf{RowsOf{"figure1", figure1}, RowsOf{"figure5", figure5}, RowsOf{"figure9", figure9},
                             RowsOf{"figure10", figure10}, RowsOf{"figure11", figure11}};

}  // namespace

std::span<const Figure> all_figures() {
  static const std::vector<Figure> kFigures = report::figures::read_figures(kText_paper_figures_json, kRowsOf, kForms);
  return kFigures;
}

}  // namespace ngb::paper::figures
