// SPDX-License-Identifier: Apache-2.0
// The table of figures, figures.json. The files of a report and the table in docs/report.md derive from its rows. A
// figure is one of the forms, which are Vega-Lite specifications, with values for the names that it leaves open, and a
// selection of numbers or a function that makes its rows of data.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures/selection.h"

namespace ngb::report::figures {

inline constexpr std::size_t kMostPanels = 60;

struct Rows {
  std::vector<Row> rows{};
  std::string why_none{};                 // why there are no rows; "" if there are some
  std::string remark{};                   // what the rows leave out; "" if nothing
  std::size_t most_panels = kMostPanels;  // the image has those of the first rows; the data has all
};

// The numbers that a figure shows which is a mere selection of them: "from" of its row.
struct Selected {
  std::string cells{};      // a metric: a row for each cell
  std::string groups{};     // or a series of groups or styles: a row for each of its numbers, in a grid of panels
  std::string panel{};      // of `cells`: "model" or "batch"
  std::string where{};      // of `cells`: "batch > 1", "raw_bytes" (of models that have them); "": all
  std::string why_none{};   // why the figure is left out if there is no number
  std::string why_empty{};  // of `groups`: why a panel of the grid is empty
};

struct Figure {
  std::string name;                      // of its files: "compile_time"
  std::string also;                      // other names under which the Python package finds it, separated by blanks
  std::string title;                     // for people
  std::string reading;                   // how to read it; part of the figure
  std::string paper;                     // "figure 12": it has that form; "answers the question of figure 12"; "": ours
  std::string rows;                      // what a row of its data is
  std::string columns;                   // of its data, in this order, separated by blanks
  nlohmann::ordered_json specification;  // Vega-Lite without title, theme and data
  Selected selected{};
  Rows (*find_rows)(const Selection& selection) = nullptr;  // null: what is `selected`
  std::string section{};          // of a page, in which it is: "As in the paper"; "": among all others
  std::string section_reading{};  // a sentence on that section
};
// Returns those of figures.json.
std::span<const Figure> all_figures();
// Returns the figure's rows, each with its columns in their order; what a row has not is null.
Rows make_rows(const Figure& figure, const Selection& selection);

// A form: Vega-Lite with names in place of what differs from figure to figure, and of what figures.json has for all.
struct NamedForm {
  std::string_view name{};
  std::string_view text{};
};
// The function that makes the rows of a figure.
struct RowsOf {
  std::string_view figure{};
  Rows (*make)(const Selection& selection) = nullptr;
};
// Returns the figures of a table that is written as figures.json is. One that selects no numbers has its function in
// `rows`; a form is in `forms` or among those beside the code. One with "same_as" is that figure of all_figures() under
// another name.
std::vector<Figure> read_figures(std::string_view table, std::span<const RowsOf> rows,
                                 std::span<const NamedForm> forms = {});

// How figures are set.
struct Form {
  int width_px = 0;         // of the whole image at 96 pixels an inch, for print; 0: by content
  bool has_heading = true;  // title and explanation; in an article its caption has them
};
inline constexpr int kColumnPx = 336;  // 3.5 inches: one of two columns of a page
inline constexpr int kPagePx = 687;    // 7.16 inches: both
inline constexpr int kSheetPx = 816;   // 8.5 inches: the height of a sheet's text, less a caption

// A figure of some results.
struct Made {
  const Figure* figure = nullptr;
  std::string specification{};  // Vega-Lite 6 as JSON text, with theme and data; shows the figure without other files
  std::string data{};           // CSV with a line of names
  std::string remark{};         // what it does not show; "" if nothing
  std::size_t rows = 0;         // of its data
};
struct LeftOut {
  const Figure* figure = nullptr;
  std::string why{};
};
struct Figures {
  std::vector<Made> made{};         // in the order of the table
  std::vector<LeftOut> left_out{};  // those for which the results have no data
};
// Returns the figures of the selection: those of figures.json, then `more`. One that `more` has under another name is
// made under that name only.
Figures make_figures(const Selection& selection, const Form& form = {}, std::span<const Figure> more = {});

// Returns "tcr_by_model (no model has sizes), pareto_compile, pareto_cpu (no two cells have a speed)": figures that
// follow each other with one reason share it. "" if none is left out.
std::string words_of(const std::vector<LeftOut>& left_out);

}  // namespace ngb::report::figures
