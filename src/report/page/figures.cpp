// SPDX-License-Identifier: Apache-2.0
// Makes the section of figures.
#include <fmt/format.h>

#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

std::string image_html(const Figure& figure) {
  if (figure.image.empty()) return "";
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}, drawn\"><img alt=\"{0}. The data below are "
      "what it shows.\" src=\"data:image/svg+xml;base64,{1}\"></div>\n",
      escaped(figure.title), base64(figure.image));
}

std::string row_html(const std::vector<Field>& row) {
  std::string html = "<tr>";
  for (const Field& field : row) {
    html += fmt::format("<td{}>{}</td>", field.is_number ? " class=\"n\"" : "", escaped(field.text));
  }
  return html + "</tr>\n";
}

std::string data_html(const Figure& figure) {
  std::string head;
  for (const std::string& column : figure.columns) head += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  std::string rows;
  for (const std::vector<Field>& row : figure.rows) rows += row_html(row);
  const std::string more = figure.has_all_rows
                               ? ""
                               : fmt::format(
                                     "<p>These are the first rows; all are in <code>figures/{}.csv</code> beside "
                                     "this page.</p>\n",
                                     escaped(figure.name));
  return fmt::format(
      "<details><summary>Data of {0}: {1} {2}</summary>{3}<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Data of {0}\"><table class=\"data\"><caption>{0}</caption><thead><tr>{4}</tr></thead><tbody>\n{5}"
      "</tbody></table></div></details>\n",
      escaped(figure.title), figure.rows.size(), figure.rows.size() == 1 ? "row" : "rows", more, head, rows);
}

}  // namespace

std::string figures_html(const Figures& figures) {
  std::string html;
  if (!figures.why_not_drawn.empty()) html += fmt::format("<p>{}</p>\n", escaped(figures.why_not_drawn));
  std::string_view section;
  for (const Figure& figure : figures.shown) {
    if (figure.section != section) {
      html += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", escaped(figure.section), escaped(figure.section_reading));
    }
    section = figure.section;
    html += fmt::format(
        "<figure class=\"drawn\" data-name=\"{}\"><figcaption><h3>{}</h3><p>{}</p></figcaption>\n{}{}</figure>\n",
        escaped(figure.name), escaped(figure.title), escaped(figure.reading), image_html(figure), data_html(figure));
  }
  if (!figures.left_out.empty()) html += fmt::format("<p>Without data: {}.</p>\n", escaped(figures.left_out));
  return html;
}

}  // namespace ngb::report::page
