// SPDX-License-Identifier: Apache-2.0
// Makes the page of a comparison: before, after and the verdict on each pair.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_text.h"
#include "comparison.vl.json.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

// The axis has what the ratios take and a little more; an interval that reaches beyond is cut there.
nlohmann::json scale_of_ratios(const std::vector<double>& ratios) {
  constexpr double kLeastMargin = 1.12;
  constexpr double kShare = 0.15;
  double low = 1;
  double high = 1;
  for (const double ratio : ratios) {
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  const double margin = std::max(kLeastMargin, std::pow(high / low, kShare));
  return {{"type", "log"}, {"domain", {low / margin, high * margin}}, {"nice", false}};
}

std::size_t column_called(const Table& table, std::string_view json) {
  return static_cast<std::size_t>(
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& each) { return each.json == json; }) -
      table.columns.begin());
}

std::string text_of_number(const std::optional<double>& number) { return number ? fmt::format("{:.7g}", *number) : ""; }

// Returns the figure of all pairs that have a ratio.
Figure figure_of_pairs(const Document& document) {
  const std::size_t verdict = column_called(document.table, "outcome");
  const std::size_t ratio = column_called(document.table, "ratio");
  Figure figure{.name = "comparison",
                .title = "Candidate over baseline",
                .reading =
                    "Right of 1, the candidate is faster. Lines are 95 % intervals; the verdicts are about all pairs "
                    "together.",
                .columns = {"cell", "verdict", "ratio", "low", "high"}};
  std::vector<double> ratios;
  document.table.sections.front().each_row([&](const Row& row) {
    const Entry& value = row.entries.at(ratio);
    if (!value.number() || *value.number() <= 0) return;
    ratios.push_back(*value.number());
    figure.rows.push_back({{row.entries.front().value.get<std::string>(), false},
                           {row.entries.at(verdict).value.get<std::string>(), false},
                           {text_of_number(value.number())},
                           {text_of_number(value.low)},
                           {text_of_number(value.high)}});
  });
  nlohmann::json whole = json_text::parse(kText_comparison_vl_json);
  for (nlohmann::json& layer : whole.at("layer")) layer["encoding"]["x"]["scale"] = scale_of_ratios(ratios);
  const nlohmann::json no_rows(figure.rows.size(), nlohmann::json::array());
  whole["datasets"]["places"] = {{"columns", nlohmann::json::array()}, {"rows", no_rows}};
  figure.specification = json_text::dump(whole);
  return figure;
}

}  // namespace

std::string comparison_html(const Document& document, const std::string& title, const std::string& made_by) {
  const Figures figures{{figure_of_pairs(document)}, ""};
  std::string html = fmt::format(
      "<section id=\"comparison\" aria-labelledby=\"comparison-heading\"><h2 id=\"comparison-heading\">{}</h2>\n",
      escaped(document.summary));
  if (!figures.shown.front().rows.empty()) html += figure_html(figures.shown.front());
  html += document_table(document, document.table.sections.front()) + "<ul>\n" + html_items(document.remarks);
  return whole_page({.title = title,
                     .summary = "<p class=\"machines\">Before → after: from the baseline to the candidate</p>",
                     .first = "comparison",
                     .body = html + "</ul>\n</section>\n",
                     .data = data_without_cells(),
                     .specifications = specifications_of(figures),
                     .made_by = made_by});
}

}  // namespace ngb::report::page
