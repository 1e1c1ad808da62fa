// SPDX-License-Identifier: Apache-2.0
// Makes the page of a history: a figure of each cell over time, and the table of `ngb history`.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_text.h"
#include "history.vl.json.h"
#include "report/history/lines.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/page_data.h"
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

using nlohmann::json;

// The rows of a figure, in which [] stands for the value of the row above.
class DrawnRows {
 public:
  void add(const char* kind, const std::string& point, std::vector<json> rest) {
    rest.insert(rest.begin(), {json(kind), json(point)});
    json row = json::array();
    for (std::size_t i = 0; i < rest.size(); ++i)
      row.push_back(!last_.empty() && rest[i] == last_[i] ? json::array() : rest[i]);
    last_ = std::move(rest);
    rows_.push_back(std::move(row));
  }
  [[nodiscard]] json whole() && {
    return {{"columns", {"kind", "point", "value", "low", "high", "what", "note"}}, {"rows", std::move(rows_)}};
  }

 private:
  std::vector<json> last_{};
  json rows_ = json::array();
};

// Returns the number with the digits that a figure shows, so that the page is small.
json drawn_number(const std::optional<double>& number) {
  return number ? json_text::parse(fmt::format("{:.5g}", *number)) : json();
}

std::string point_on_axis(const history::History& whole, const history::Point& point) {
  return whole.order == history::Order::date ? time_of_results(whole.sources[point.source])
                                             : name_of_point(whole, point);
}

// Adds the identity at the same results, times the factor that gives both lines one geometric mean: a drift that both
// share is then where both go.
void add_identity(const LineOf& of, DrawnRows& rows) {
  if (!of.line.identity || of.whole.by.is_by_difference()) return;
  const history::Line& identity = of.whole.lines[*of.line.identity];
  if (&identity == &of.line) return;
  std::map<std::uint32_t, double> of_source;
  for (const history::Point& point : identity.points) {
    if (point.value.value) of_source.emplace(point.source, *point.value.value);
  }
  double log_factor = 0;
  std::size_t shared = 0;
  for (const history::Point& point : of.line.points) {
    const auto found = of_source.find(point.source);
    if (!point.value.value || found == of_source.end()) continue;
    log_factor += std::log(*point.value.value / found->second);
    ++shared;
  }
  if (shared == 0) return;
  const double factor = std::exp(log_factor / static_cast<double>(shared));
  for (const history::Point& point : of.line.points) {
    const auto found = of_source.find(point.source);
    if (found == of_source.end()) continue;
    rows.add("identity", point_on_axis(of.whole, point), {drawn_number(factor * found->second), {}, {}, {}, {}});
  }
}

void add_surroundings(const LineOf& of, DrawnRows& rows) {
  const history::Point* last = nullptr;
  for (const history::Point& point : of.line.points) {
    if (!point.is_there) continue;
    const history::Point* const before = std::exchange(last, &point);
    if (before == nullptr) continue;
    const std::vector<history::Difference> differences = history::differences(of.whole, *before, point);
    if (differences.empty()) continue;
    std::string entries = differences.front().entry;
    for (std::size_t i = 1; i < differences.size(); ++i) entries += ", " + differences[i].entry;
    rows.add("surroundings", point_on_axis(of.whole, point), {{}, {}, {}, std::move(entries), words_of(differences)});
  }
}

json rows_of_line(const LineOf& of) {
  DrawnRows rows;
  for (const history::Point& point : of.line.points) {
    if (!point.value.value) continue;
    const metrics::Value& value = point.value;
    rows.add("value", point_on_axis(of.whole, point),
             {drawn_number(value.value), drawn_number(value.low), drawn_number(value.high), {}, {}});
  }
  add_identity(of, rows);
  add_surroundings(of, rows);
  for (const history::Change& change : of.findings.changes) {
    rows.add("change", point_on_axis(of.whole, of.line.points[change.at]),
             {{}, {}, {}, word_of_change(change.verdict, of.whole.by), words_of_change(of.whole, of.line, change)});
  }
  return std::move(rows).whole();
}

json axis_of_points(const history::History& whole) {
  const bool is_date = whole.order == history::Order::date;
  json axis{{"field", "point"}, {"title", nullptr}, {"type", is_date ? "temporal" : "ordinal"}};
  if (is_date) axis["scale"] = {{"type", "utc"}};
  if (!is_date) axis["sort"] = nullptr;
  axis["axis"] = {{"grid", false}, {"labelOverlap", "greedy"}, {"labelLimit", 90}, {"tickCount", 6}};
  return axis;
}

// Returns "peak memory (bytes)"; of a metric that is called after its unit the unit alone.
std::string title_of_axis(const metrics::Metric& metric) {
  const std::string heading = metric.heading;
  return heading == metric.unit ? heading : fmt::format("{} ({})", heading, metric.unit);
}

std::string reading_of(const LineOf& of) {
  std::string words;
  for (const history::Change& change : of.findings.changes)
    words += fmt::format("{}{}", words.empty() ? "" : "; ", words_of_change(of.whole, of.line, change));
  const statistics::LastJudgement& last = of.findings.last;
  const std::string least = least_change_in_words(of);
  return fmt::format("{}. Last point: {}{}.{}", words.empty() ? "No change found" : words,
                     word_of_change(last.verdict, of.whole.by), last.reason.empty() ? "" : ", because " + last.reason,
                     least.empty() ? "" : fmt::format(" A step of {} would have been found.", least));
}

Figure figure_of_line(const LineOf& of, std::size_t number) {
  json whole = json_text::parse(kText_history_vl_json);
  whole["encoding"]["x"] = axis_of_points(of.whole);
  whole["layer"].back()["encoding"]["y"]["title"] = title_of_axis(of.whole.metric());
  whole["datasets"] = {{"drawn", rows_of_line(of)}};
  return {.name = fmt::format("history_{}", number),
          .title = name_of_line(of.whole, of.line),
          .reading = reading_of(of),
          .specification = json_text::dump(whole),
          .columns = {"kind", "point", "value", "low", "high", "what", "note"},
          .has_all_rows = false,
          .has_file = false};
}

// So many figures are shown whatever they say.
constexpr std::size_t kFewFigures = 12;

// A line that somebody should look at.
bool is_told(const LineOf& of) {
  const statistics::Verdict last = of.findings.last.verdict;
  return !of.findings.changes.empty() || last == statistics::Verdict::slower || last == statistics::Verdict::faster;
}

constexpr const char* kReading =
    "<p>Points are values with 95 % intervals. A coloured line is a change (orange: slower or worse; blue: faster or "
    "better; green: within the margin), a dashed one a change of what surrounds the cell. The grey curve is PyTorch "
    "eager (identity) in the same "
    "results, scaled to the cell's mean: where both go alike, the machine changed.</p>\n";

}  // namespace

std::string history_html(const ShownHistory& shown, const std::string& title, const std::string& made_by) {
  Figures figures;
  std::string told;
  std::string others;
  std::size_t count = 0;
  each_line(shown, [&](const LineOf& /*of*/) { ++count; });
  std::size_t count_of_others = 0;
  each_line(shown, [&](const LineOf& of) {
    figures.shown.push_back(figure_of_line(of, figures.shown.size()));
    const bool is_first = count <= kFewFigures || is_told(of);
    (is_first ? told : others) += figure_html(figures.shown.back());
    if (!is_first) ++count_of_others;
  });
  const Document document = history_document(shown);
  std::string html = fmt::format(
      "<section id=\"history\" aria-labelledby=\"history-heading\"><h2 id=\"history-heading\">{}</h2>\n{}{}",
      escaped(document.summary), kReading, told);
  html += fmt::format("<ul>\n{}</ul>\n</section>\n", html_items(document.remarks));
  html += closed_section(
      {.id = "others", .title = "Cells without a change", .holds = counted(count_of_others, "figure"), .html = others});
  html += closed_section({.id = "cells",
                          .title = "All cells",
                          .holds = counted(figures.shown.size(), "cell"),
                          .html = document_table(document, document.table.sections.front())});
  return whole_page({.title = title,
                     .summary = fmt::format("<p class=\"machines\">{} by {}</p>", escaped(shown.lines->by.name()),
                                            name(shown.lines->order)),
                     .first = "history",
                     .body = std::move(html),
                     .data = data_without_cells(),
                     .specifications = specifications_of(figures),
                     .made_by = made_by});
}

}  // namespace ngb::report::page
