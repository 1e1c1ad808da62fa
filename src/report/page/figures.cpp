// SPDX-License-Identifier: Apache-2.0
// Makes the section of figures.
#include <fmt/format.h>

#include <algorithm>

#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

std::string row_html(const std::vector<Field>& row) {
  std::string html = "<tr>";
  for (const Field& field : row) {
    html += fmt::format("<td{}>{}</td>", field.is_number ? " class=\"n\"" : "", escaped(field.text));
  }
  return html + "</tr>\n";
}

// A script fills the table of a figure of which the page lacks rows.
std::string data_html(const Figure& figure) {
  std::string head;
  for (const std::string& column : figure.columns) head += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  std::string rows;
  for (const std::vector<Field>& row : figure.rows) rows += row_html(row);
  const std::string more =
      figure.has_all_rows || !figure.has_file
          ? ""
          : fmt::format("<p>All rows are in <code>figures/{}.csv</code> beside this page.</p>\n", escaped(figure.name));
  return fmt::format(
      "<details{1}><summary>Data of {0}: {2}</summary>{3}<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Data of {0}\"><table class=\"data\"><caption>{0}</caption><thead><tr>{4}</tr></thead><tbody>\n{5}"
      "</tbody></table></div></details>\n",
      escaped(figure.title), figure.has_all_rows ? "" : " class=\"drawn-rows\"",
      figure.has_all_rows ? counted(figure.rows.size(), "row") : "the rows that are drawn", more, head, rows);
}

bool is_elsewhere(const Figure& figure) {
  return figure.name == kFigureOfRegions || figure.name == kFigureOfOperators || figure.name == kFigureOfVariants;
}

}  // namespace

std::string figure_html(const Figure& figure) {
  return fmt::format(
      "<figure data-name=\"{0}\"><figcaption><h3>{1}</h3><p>{2}</p></figcaption>\n<div class=\"wide drawing\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"{1}, drawn\"></div>\n{3}</figure>\n",
      escaped(figure.name), escaped(figure.title), prose(figure.reading), data_html(figure));
}

std::string figure_called(const Figures& figures, std::string_view name) {
  const auto found =
      std::find_if(figures.shown.begin(), figures.shown.end(), [&](const Figure& each) { return each.name == name; });
  return found == figures.shown.end() ? "" : figure_html(*found);
}

Part figures_part(const Figures& figures) {
  std::string html;
  std::size_t count = 0;
  std::string_view section;
  for (const Figure& figure : figures.shown) {
    if (is_elsewhere(figure)) continue;
    if (figure.section != section) {
      html += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", escaped(figure.section), prose(figure.section_reading));
    }
    section = figure.section;
    html += figure_html(figure);
    ++count;
  }
  if (count > 0) {
    html =
        "<p>They show all cells of this report, whatever is chosen above. Numbers have seven digits here, and all of "
        "them in the "
        "files beside this page.</p>\n<noscript><p>They are drawn by a script.</p></noscript>\n" +
        html;
  }
  if (!figures.left_out.empty()) html += fmt::format("<p>Without data: {}.</p>\n", prose(figures.left_out));
  return {"figures", "Figures", counted(count, "figure"), html};
}

}  // namespace ngb::report::page
