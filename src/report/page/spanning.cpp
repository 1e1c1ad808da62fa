// SPDX-License-Identifier: Apache-2.0
#include "report/page/spanning.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "metrics/axis.h"
#include "metrics/metric.h"
#include "metrics/series/claims.h"
#include "metrics/series/series.h"
#include "report/series/series.h"
#include "report/write/numbers.h"

namespace ngb::report::page {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

void remove_column(SpanningTable& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (Texts& row : table.rows) row.erase(row.begin() + at);
}

// Leaves out columns without any text, and rows beyond the limit.
SpanningTable fitted(SpanningTable table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool is_empty =
        std::all_of(table.rows.begin(), table.rows.end(), [i](const Texts& row) { return row[i].empty(); });
    if (is_empty) remove_column(table, i);
  }
  if (table.rows.size() > kMostRowsOfATable) {
    table.remark += fmt::format("{}{} more rows: ngb show RESULTS --json", table.remark.empty() ? "" : ". ",
                                table.rows.size() - kMostRowsOfATable);
    table.rows.resize(kMostRowsOfATable);
  }
  return table;
}

// Moves the columns that have the same text in all of several rows into the remark.
void fold_equal_columns(SpanningTable& table) {
  if (table.rows.size() < 2) return;
  std::vector<std::string> equal;
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const std::string& first = table.rows.front()[i];
    const bool are_equal =
        std::all_of(table.rows.begin(), table.rows.end(), [&](const Texts& row) { return row[i] == first; });
    if (!are_equal || first.empty()) continue;
    equal.insert(equal.begin(), fmt::format("{} {}", table.columns[i], first));
    remove_column(table, i);
  }
  if (!equal.empty()) table.remark = fmt::format("In all rows: {}", text::join(equal, ", "));
}

std::string text_of(const Entry& entry, const std::string& unit) {
  const Shown shown = shown_entry(entry, unit);
  return shown.main + shown.tail;
}

// Returns the section as a table. A text in place of a row's entries is put into the column `place_of_rest`.
SpanningTable spanning_table(const Section& section, const std::vector<Column>& columns, std::size_t place_of_rest) {
  SpanningTable made{.title = section.title};
  for (const Column& column : columns) made.columns.push_back(column.heading);
  for (const Row& row : section.rows) {
    Texts fields(columns.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!row.rest || i == 0) fields[i] = text_of(row.entries[i], columns[i].unit);
    }
    if (row.rest) fields[place_of_rest] = text_of(*row.rest, "");
    made.rows.push_back(std::move(fields));
  }
  return fitted(std::move(made));
}

// Returns the unit of a value of a finding. What is neither a metric nor a series is a ratio of two speeds.
const char* unit_of(const std::string& name) {
  if (const metrics::Metric* metric = metrics::find_metric(name)) return metric->unit;
  const metrics::series::Series* series = metrics::series::find_series(name);
  return series == nullptr ? "ratio" : series->unit;
}

std::string value_text(const json& row) {
  const Entry value = ratio_with_interval(row);
  return value.is_empty() ? text_at(row, "reason") : text_of(value, unit_of(text_at(row, "metric")));
}

SpanningTable rows_behind(const json& finding) {
  SpanningTable table{.title = text_at(finding, "sentence")};
  table.columns = {"device", "compiler", "model", "batch", "what", "value", "against", "outcome", "adjusted p"};
  const auto rows = finding.find("rows");
  if (rows == finding.end() || !rows->is_array()) return table;
  for (const json& row : *rows) {
    const std::optional<double> p = number_at(row, "adjusted_p");
    table.rows.push_back({text_at(row, "device"), text_at(row, "compiler"), text_at(row, "model"),
                          text_at(row, "batch_sizes"), text_at(row, "metric"), value_text(row), text_at(row, "against"),
                          text_at(row, "outcome"), p ? fmt::format("{:.2g}", *p) : ""});
  }
  fold_equal_columns(table);
  return fitted(std::move(table));
}

// Returns {a, b, where one of them is faster, their ratio there} of a side of a reversal.
Texts fields_of_side(const json& side, bool ranks_models) {
  const std::string batch = fmt::format("{:g}", number_at(side, "batch").value_or(0));
  const std::string device = text_at(side, "device");
  return {text_at(side, ranks_models ? "model_a" : "compiler_a"),
          text_at(side, ranks_models ? "model_b" : "compiler_b"),
          fmt::format("{}, batch {}, on {}", text_at(side, ranks_models ? "compiler_a" : "model_a"), batch, device),
          text_of(ratio_with_interval(side), "ratio")};
}

SpanningTable reversals(const json& all) {
  SpanningTable table{.title = "Reversed orders", .remark = words_of_orders(all)};
  table.columns = {"A", "B", "A is faster", "T_A / T_B [95 %]", "A is slower", "T_A / T_B there [95 %]"};
  for (const json& reversal : all["reversals"]) {
    const auto sides = reversal.find("sides");
    if (sides == reversal.end() || !sides->is_array() || sides->size() != 2) continue;
    const bool ranks_models = text_at(reversal, "ranked") == "models";
    Texts row = fields_of_side((*sides)[0], ranks_models);
    const Texts other = fields_of_side((*sides)[1], ranks_models);
    row.insert(row.end(), {other[2], other[3]});
    table.rows.push_back(std::move(row));
  }
  return fitted(std::move(table));
}

// Returns a table for each series, with its formula and its source.
std::vector<SpanningTable> series_tables(const Results& results) {
  constexpr std::size_t kPlaceOfValue = 4;
  std::vector<SpanningTable> tables;
  each_series(results, [&](const metrics::series::Series& series, const Section& section) {
    SpanningTable& table = tables.emplace_back(spanning_table(section, series_columns(), kPlaceOfValue));
    const std::string left_out = table.remark.empty() ? "" : ". " + table.remark;
    table.remark = fmt::format("{} ({}){}", series.formula, series.source, left_out);
  });
  return tables;
}

SpanningTable unmeasured_claims(const json& all, const std::string& publication) {
  SpanningTable table{.title = fmt::format("claims of the {} that this study does not measure", publication)};
  table.columns = {"claim", "source", "what is missing"};
  const std::string unmeasured(name(metrics::series::ClaimStatus::not_measured));
  for (const json& claim : all["claims"]) {
    if (text_at(claim, "status") != unmeasured) continue;
    table.rows.push_back({text_at(claim, "sentence"), text_at(claim, "source"), text_at(claim, "reason")});
  }
  return table;
}

std::string ratio_text(const json& row, const char* name) {
  const auto value = row.find(name);
  return value == row.end() ? "–" : text_of(ratio_with_interval(*value), "ratio");
}

// Returns "3.91 ms", or "–" where it is not known.
std::string number_text(const json& row, const char* name, const char* unit) {
  const std::optional<double> value = number_at(row, name);
  return value ? number(*value, unit) : "–";
}

std::string over_the_next(const std::string& compiler) { return compiler.empty() ? "" : " over " + compiler; }

// Returns a list of texts; what is no text is left out.
Texts texts_at(const json& row, const char* name) {
  Texts names;
  const auto found = row.find(name);
  if (found != row.end() && found->is_array()) {
    for (const json& each : *found) {
      if (each.is_string()) names.push_back(each.get<std::string>());
    }
  }
  return names;
}

// Returns the peak memory of the fastest cell, or "–" if it is not known. That cell is one of those that may be the
// fastest.
std::string memory_of_fastest(const Results& results, const json& row) {
  const Texts ids = texts_at(row, "cell_ids");
  const auto found = std::find_if(results.cells.begin(), results.cells.end(), [&](const store::CellData* cell) {
    return metrics::compiler_of(*cell) == text_at(row, "compiler") &&
           std::find(ids.begin(), ids.end(), cell->cell_id) != ids.end();
  });
  const auto bytes =
      found == results.cells.end() ? std::nullopt : results.numbers.of(**found, "timed_peak_bytes").value;
  return bytes ? number(*bytes, "bytes") : "–";
}

// Returns "a, b, c and 2 more".
std::string first_names(Texts names) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  return text::join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// Fills in what the answer says of each workload.
void add_fastest(const json& answer, Content& content) {
  SpanningTable& table = content.fastest;
  table.title = "The fastest of each model and batch size";
  table.columns = {"device",
                   "model",
                   "batch",
                   "fastest",
                   "an inference",
                   "peak memory",
                   "speed-up [95 %]",
                   "times the next [95 %]",
                   "may be the fastest"};
  if (!answer.is_object() || !answer.contains("rows") || !answer["rows"].is_array()) return;
  for (const json& row : answer["rows"]) {
    if (!row.is_object()) continue;
    for (std::string& id : texts_at(row, "cell_ids")) content.may_be_fastest.insert(std::move(id));
    table.rows.push_back(
        {text_at(row, "device"), text_at(row, "model"), fmt::format("{:g}", number_at(row, "batch").value_or(0)),
         text_at(row, "compiler"), number_text(row, "inference_s", "s"), memory_of_fastest(*content.results, row),
         ratio_text(row, "speed_up"), ratio_text(row, "margin") + over_the_next(text_at(row, "runner_up")),
         is_true_at(row, "is_decided") ? "it alone" : first_names(texts_at(row, "may_be_fastest"))});
  }
  const bool has_one_device = std::all_of(table.rows.begin(), table.rows.end(),
                                          [&](const Texts& row) { return row[0] == table.rows.front()[0]; });
  if (has_one_device) remove_column(table, 0);
  table = fitted(std::move(table));
}

}  // namespace

void add_what_spans_cells(Content& content) {
  constexpr std::size_t kPlaceOfStatus = 2;
  const json all = conclusions_json(*content.results);
  content.answer = sentences_of_answer(all);
  add_fastest(all["answer"], content);
  for (const json& finding : all["findings"]) {
    Sentence sentence{text_at(finding, "sentence"), rows_behind(finding)};
    (is_true_at(finding, "to_act_on") ? content.to_act_on : content.findings).push_back(std::move(sentence));
  }
  if (SpanningTable orders = reversals(all); !orders.remark.empty()) content.conclusions.push_back(std::move(orders));
  content.tables = series_tables(*content.results);
  // What a publication claims is no finding of another study. Its own studies begin with its name: "paper_models".
  if (!content.study.starts_with(content.claims.of + '_')) return;
  content.unmeasured = unmeasured_claims(all, content.claims.of);
  json measured = all;
  drop_unmeasured_claims(measured);
  const Table claims = claims_table(measured);
  for (const Section& claim : claims.sections) {
    content.conclusions.push_back(spanning_table(claim, claims.columns, kPlaceOfStatus));
  }
}

}  // namespace ngb::report::page
