// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/figures/figure.h"
#include "report/figures/specification.h"

namespace ngb::report::figures {

namespace {

void add_figure(const Selection& selection, const Figure& figure, const Form& form, Figures& all) {
  Rows made = make_rows(figure, selection);
  if (made.rows.empty()) {
    all.left_out.push_back({&figure, made.why_none});
    return;
  }
  const std::size_t rows = made.rows.size();
  std::string data = csv_of(figure, made.rows);
  std::string remark = std::move(made.remark);
  std::vector<Row> drawn = drawn_rows(std::move(made.rows), made.most_panels, remark);
  all.made.push_back(
      {&figure, specification_text(selection, figure, std::move(drawn), remark, form), std::move(data), remark, rows});
}

}  // namespace

Figures make_figures(const Selection& selection, const Form& form, std::span<const Figure> more) {
  Figures all;
  for (const Figure& figure : all_figures()) {
    const bool is_renamed = std::any_of(more.begin(), more.end(), [&](const Figure& each) {
      return each.also.substr(0, each.also.find(' ')) == figure.name;
    });
    if (!is_renamed) add_figure(selection, figure, form, all);
  }
  for (const Figure& figure : more) add_figure(selection, figure, form, all);
  return all;
}

std::string words_of(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> parts;
  std::string names;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    names += (names.empty() ? "" : ", ") + std::string(left_out[i].figure->name);
    if (i + 1 < left_out.size() && left_out[i + 1].why == left_out[i].why) continue;
    parts.push_back(fmt::format("{} ({})", names, left_out[i].why));
    names.clear();
  }
  return text::join(parts, ", ");
}

}  // namespace ngb::report::figures
