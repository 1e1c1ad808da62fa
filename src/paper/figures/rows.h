// SPDX-License-Identifier: Apache-2.0
// The paper's own figures: 1 and 5 to 12. Own results and the paper's published numbers are drawn alike; the published
// ones are of the devices that the selection shows of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures/rows.h"
#include "report/figures/series_rows.h"

namespace ngb::paper::figures {

using report::figures::add_number;
using report::figures::empty_panel;
using report::figures::Figure;
using report::figures::grid_with;
using report::figures::Number;
using report::figures::number_of;
using report::figures::place_in_figure;
using report::figures::Row;
using report::figures::row_of;
using report::figures::Rows;
using report::figures::rows_with;
using report::figures::Selection;
using report::figures::series_numbers;
using report::figures::SeriesNumber;
using report::figures::sort_by_numbers;
using report::figures::State;
using report::figures::state_of;

// Returns the figures of paper_figures.json, in the order of their numbers.
std::span<const Figure> all_figures();

// The two compilers that a figure of one device contrasts: the vendor's and the one to which speed-ups refer.
struct Contrasted {
  std::string place{};
  std::string vendor{};    // as Selection::compiler names it
  std::string baseline{};  // likewise; "" if none was measured
};
// Returns one for each place, in the order of the cells. The vendor's compiler is tensorrt, tensorrt-cpp or openvino,
// whichever was measured there first in this order; without one of them, the compiler whose speed-ups have the highest
// geometric mean.
std::vector<Contrasted> contrasted_compilers(const Selection& selection);

// The widths and depths of a kind of block that the cells have, in ascending order.
struct Stacks {
  std::vector<double> widths{};
  std::vector<int> depths{};
};
Stacks stacks_of(const Selection& selection, const char* family);

// One number of Table VI.
struct PublishedNumber {
  std::string device{};
  std::string family{};
  std::string style{};
  std::string compiler{};  // as Selection::compilers names it
  bool is_identity = false;
  std::string batch_sizes{};  // "2-4" or "8-16"
  int first_batch = 0;
  double batch = 0;             // geometric mean of the two, at which it is drawn
  double throughput_per_s = 0;  // and its ± of the mean
  double throughput_std_per_s = 0;
  double cpu_percent = 0;
  double cpu_std_percent = 0;
  double identity_per_s = 0;  // of the same family, device and batch sizes
  double identity_cpu_percent = 0;
};
// Returns those of the devices that the selection shows, in the order of the table.
std::vector<PublishedNumber> published_numbers(const Selection& selection);

// Returns the row of a published number: panel, column, device, model_group, model_style, batch_sizes, batch and
// compiler.
Row row_of(const PublishedNumber& number, std::string panel, std::string column);

// The functions of the table of figures.
Rows figure1(const Selection& selection);
Rows figure5(const Selection& selection);
Rows figure9(const Selection& selection);
Rows figure10(const Selection& selection);
Rows figure11(const Selection& selection);

}  // namespace ngb::paper::figures
