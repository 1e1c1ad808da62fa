// SPDX-License-Identifier: Apache-2.0
// Makes the table of `ngb history` with a row for each cell.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "base/text.h"
#include "report/columns.h"
#include "report/compare/outcomes.h"
#include "report/history/lines.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

using nlohmann::json;
using statistics::Verdict;

Entry entry_of_last(const LineOf& of, bool is_for_people) {
  const statistics::LastJudgement& last = of.findings.last;
  if (!last.difference) return empty_entry(last.reason);
  const statistics::Contrast contrast{.estimate = *last.difference, .interval = last.interval};
  return is_for_people ? shown_contrast(contrast, of.whole.by) : contrast_of(contrast, of.whole.by);
}

Entry verdict_on_last(const LineOf& of) {
  const Verdict verdict = of.findings.last.verdict;
  const Style style = verdict == Verdict::slower ? Style::bad : verdict == Verdict::faster ? Style::good : Style::plain;
  return {.value = std::string(word_of_change(verdict, of.whole.by)), .style = style};
}

// Returns the changes, and why there is no verdict on the last point.
std::string changes_in_words(const LineOf& of) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> words;
  const std::vector<history::Change>& changes = of.findings.changes;
  const std::size_t from = changes.size() > kMost ? changes.size() - kMost : 0;
  if (from > 0) words.push_back(fmt::format("{} earlier", from));
  for (std::size_t i = from; i < changes.size(); ++i) words.push_back(words_of_change(of.whole, of.line, changes[i]));
  if (const std::string& why = of.findings.last.reason; !why.empty()) words.push_back("last point: " + why);
  return text::join(words, "; ");
}

// Returns it as a share of the level, or in the unit of a metric that is judged by its difference.
Entry least_change_of(const LineOf& of) {
  const history::Findings& findings = of.findings;
  if (!findings.why_no_changes.empty()) return empty_entry(findings.why_no_changes);
  if (!findings.least_change) return empty_entry("the points do not vary");
  return Entry{of.whole.by.is_by_difference() ? *findings.least_change : std::expm1(*findings.least_change)};
}

json differences_json(const std::vector<history::Difference>& differences) {
  json all = json::array();
  for (const history::Difference& each : differences)
    all.push_back({{"entry", each.entry}, {"before", each.before}, {"after", each.after}});
  return all;
}

json changes_json(const LineOf& of) {
  const metrics::Judged& by = of.whole.by;
  json all = json::array();
  for (const history::Change& change : of.findings.changes) {
    all.push_back({{"at", change.at},
                   {"point", name_of_point(of.whole, of.line.points[change.at])},
                   {"verdict", word_of_change(change.verdict, by)},
                   {by.is_by_difference() ? "difference" : "ratio", contrast_json(change.step, by)},
                   {"statistic", change.statistic},
                   {"p_value", change.p_value},
                   {"cause", name(change.cause)},
                   {"why_unknown", change.why_unknown.empty() ? json() : json(change.why_unknown)},
                   {"identity", contrast_json(change.of_identity, by)},
                   {"beside_identity", contrast_json(change.beside_identity, by)},
                   {"with", differences_json(change.with)}});
  }
  return all;
}

json point_json(const LineOf& of, const history::Point& point) {
  json made{{"point", name_of_point(of.whole, point)}, {"results", of.whole.sources[point.source].name}};
  if (point.is_there) {
    made["version"] = of.whole.origin(point).version;
    made["environment"] = of.whole.origin(point).environment_hash;
  }
  made["value"] = nullptr;
  if (!point.value.value) made["reason"] = point.value.reason;
  for_each_field<metrics::Value>([&](const auto& field) {
    if (const auto& value = point.value.*field.member) made[field.name] = *value;
  });
  return made;
}

json points_json(const LineOf& of) {
  json all = json::array();
  for (const history::Point& point : of.line.points) all.push_back(point_json(of, point));
  return all;
}

using LineColumns = MadeColumns<LineOf>;

void add_line_columns(LineColumns& columns) {
  columns.add(named("cell", text_column("cell")),
              [](const LineOf& of) { return Entry{name_of_line(of.whole, of.line)}; });
  columns.add(data_column("model"), [](const LineOf& of) { return Entry{of.line.cell.of.model.label}; });
  columns.add(data_column("batch"), [](const LineOf& of) { return Entry{of.line.cell.of.model.key.batch}; });
  for (const work::Property* each : side_properties())
    columns.add(data_column(each->name), [each](const LineOf& of) { return Entry{value_of(*each, of.line.cell.of)}; });
}

void add_last_columns(LineColumns& columns, const history::History& whole) {
  const bool is_difference = whole.by.is_by_difference();
  columns.add(column_of_values(whole, "last"), [](const LineOf& of) { return entry_of_point(of.last()); });
  columns.add(quantity_column("last_value", whole.metric().unit, true),
              [](const LineOf& of) { return entry_of_point(of.last()); });
  columns.add(data_column("last_point"), [](const LineOf& of) { return Entry{name_of_point(of.whole, of.last())}; });
  columns.add(named("verdict", text_column("verdict")), verdict_on_last);
  Column over = ratio_column();
  over.heading = is_difference ? "less those before [95 %]" : "over those before [95 %]";
  over.rank = 1;
  columns.add(over, [](const LineOf& of) { return entry_of_last(of, true); });
  columns.add(contrast_column(is_difference ? "difference" : "ratio"),
              [](const LineOf& of) { return entry_of_last(of, false); });
  columns.add(data_column("adjusted_p"), [](const LineOf& of) {
    return of.findings.last.adjusted_p ? Entry{*of.findings.last.adjusted_p} : Entry{};
  });
  columns.add(data_column("window"), [](const LineOf& of) { return Entry{of.findings.window}; });
}

void add_change_columns(LineColumns& columns) {
  columns.add(named("values", number_column("points", 3)), [](const LineOf& of) { return Entry{of.findings.values}; });
  columns.add(text_column("changes", 4), [](const LineOf& of) { return text_entry(changes_in_words(of)); });
  columns.add({.csv = "changes"}, [](const LineOf& of) { return Entry{of.findings.changes.size()}; });
  columns.add({.csv = "last_change"}, [](const LineOf& of) {
    const auto& changes = of.findings.changes;
    return changes.empty() ? Entry{} : Entry{words_of_change(of.whole, of.line, changes.back())};
  });
  columns.add({.json = "changes"}, [](const LineOf& of) { return Entry{changes_json(of)}; });
  columns.add(number_column("found from", 2), [](const LineOf& of) {
    const std::string words = least_change_in_words(of);
    return words.empty() ? least_change_of(of) : Entry{words};
  });
  columns.add(quantity_column("least_change", "", false), least_change_of);
  columns.add(data_column("reason"), [](const LineOf& of) { return text_entry(of.findings.last.reason); });
  columns.add({.json = "points"}, [](const LineOf& of) { return Entry{points_json(of)}; });
}

std::string summary_of_history(const ShownHistory& shown) {
  std::size_t lines = 0;
  std::size_t with_changes = 0;
  std::map<Verdict, std::size_t> last;
  each_line(shown, [&](const LineOf& of) {
    ++lines;
    if (!of.findings.changes.empty()) ++with_changes;
    ++last[of.findings.last.verdict];
  });
  std::vector<std::string> words;
  for (const auto& [verdict, count] : last)
    words.push_back(fmt::format("{} {}", count, word_of_change(verdict, shown.lines->by)));
  return fmt::format("{} {} over {} {} by {}: {} with a change; at the last point {}", lines,
                     lines == 1 ? "cell" : "cells", shown.lines->sources.size(),
                     shown.lines->sources.size() == 1 ? "result" : "results", name(shown.lines->order), with_changes,
                     text::join(words, ", "));
}

json whole_history(const ShownHistory& shown) {
  const history::History& whole = *shown.lines;
  const statistics::ChangeRules rules;
  json results = json::array();
  for (const history::Source& source : whole.sources)
    results.push_back({{"name", source.name}, {"recorded", time_of_results(source)}});
  json environments = json::array();
  for (const history::ChangeOfSurroundings& each : history::changes_of_surroundings(whole)) {
    environments.push_back({{"at", each.at},
                            {"results", whole.sources[each.source].name},
                            {"of", each.of},
                            {"entry", each.difference.entry},
                            {"before", each.difference.before},
                            {"after", each.difference.after}});
  }
  const bool is_difference = whole.by.is_by_difference();
  return {{"summary", summary_of_history(shown)},
          {"order", name(whole.order)},
          {"metric", whole.by.name()},
          {"margin_ratio", is_difference ? json() : json(whole.by.margin_ratio)},
          {"margin_difference", is_difference ? json(whole.by.margin_difference) : json()},
          {"rules", {{"error_rate", rules.error_rate}, {"permutations", rules.permutations}, {"seed", rules.seed}}},
          {"results", std::move(results)},
          {"environment_changes", std::move(environments)},
          {"remarks", history_remarks(shown)}};
}

}  // namespace

const FormatNames& history_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown", "otava"};
  return kNames;
}

void each_line(const ShownHistory& shown, const std::function<void(const LineOf& of)>& use) {
  for (std::size_t i = 0; i < shown.lines->lines.size(); ++i) {
    const history::Line& line = shown.lines->lines[i];
    if (line.is_shown) use({*shown.lines, line, (*shown.findings)[i]});
  }
}

Entry entry_of_point(const history::Point& point) {
  const metrics::Value& value = point.value;
  return value.value ? Entry{.value = *value.value, .low = value.low, .high = value.high} : empty_entry(value.reason);
}

std::string least_change_in_words(const LineOf& of) {
  constexpr double kPercent = 100;
  const std::optional<double> least = least_change_of(of).number();
  if (!least) return {};
  return of.whole.by.is_by_difference() ? number(*least, of.whole.metric().unit)
                                        : fmt::format("{:.2g} %", kPercent * *least);
}

Column column_of_values(const history::History& whole, const std::string& heading) {
  Column column = number_column(whole.metric().has_interval ? heading + " [95 %]" : heading, 0, whole.metric().unit);
  column.has_interval = whole.metric().has_interval;
  return column;
}

json contrast_json(const std::optional<statistics::Contrast>& contrast, const metrics::Judged& by) {
  if (!contrast) return nullptr;
  const Entry entry = contrast_of(*contrast, by);
  return {{"value", entry.value},
          {"low", entry.low ? json(*entry.low) : json()},
          {"high", entry.high ? json(*entry.high) : json()}};
}

Document document_of_history(const ShownHistory& shown, std::vector<Column> columns, const char* row_word) {
  Document document{
      .summary = summary_of_history(shown),
      .table = {.columns = std::move(columns), .row_word = row_word, .may_stack = true, .listed_if_cut = "changes"},
      .remarks = history_remarks(shown),
      .extra = whole_history(shown),
      .command = "ngb history"};
  document.table.sections.push_back(
      {.title = fmt::format("{} by {}", shown.lines->by.name(), name(shown.lines->order))});
  return document;
}

Document history_document(const ShownHistory& shown) {
  const auto columns = std::make_shared<LineColumns>();
  add_line_columns(*columns);
  add_last_columns(*columns, *shown.lines);
  add_change_columns(*columns);
  Document document = document_of_history(shown, columns->columns(), "cell");
  document.json_rows = "lines";
  document.table.sections.front().made_rows = [shown, columns](const UseRow& use) {
    each_line(shown, [&](const LineOf& of) {
      Row row = columns->row(of);
      row.counted_as = word_of_change(of.findings.last.verdict, of.whole.by);
      use(row);
    });
  };
  return document;
}

}  // namespace ngb::report
