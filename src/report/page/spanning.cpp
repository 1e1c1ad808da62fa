// SPDX-License-Identifier: Apache-2.0
#include "report/page/spanning.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "metrics/axis.h"
#include "metrics/metric.h"
#include "metrics/series/conclusions.h"
#include "metrics/series/series.h"
#include "report/series/series.h"
#include "report/write/numbers.h"

namespace ngb::report::page {
namespace {

using metrics::series::KeptClaim;
using metrics::series::KeptFinding;
using metrics::series::KeptRace;
using metrics::series::KeptReversal;
using metrics::series::KeptRow;
using metrics::series::KeptSide;
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

std::string value_text(const KeptRow& row) {
  const Entry value = ratio_with_interval(row);
  return value.is_empty() ? row.reason : text_of(value, unit_of(row.metric));
}

SpanningTable rows_behind(const KeptFinding& finding) {
  SpanningTable table{.title = finding.sentence};
  table.columns = {"device", "compiler", "model", "batch", "what", "value", "against", "outcome", "adjusted p"};
  for (const KeptRow& row : finding.rows) {
    table.rows.push_back({row.device, row.compiler, row.model, row.batch_sizes, row.metric, value_text(row),
                          row.against, row.outcome, row.adjusted_p ? fmt::format("{:.2g}", *row.adjusted_p) : ""});
  }
  fold_equal_columns(table);
  return fitted(std::move(table));
}

// Returns {where one of a and b is faster, their ratio there} of a side of a reversal.
Texts fields_of_side(const KeptSide& side, bool ranks_models) {
  return {fmt::format("{}, batch {}, on {}", ranks_models ? side.compiler_a : side.model_a, side.batch, side.device),
          text_of(ratio_with_interval(side), "ratio")};
}

SpanningTable reversals(const Conclusions& all) {
  SpanningTable table{.title = "Reversed orders", .remark = words_of_orders(all)};
  table.columns = {"A", "B", "A is faster", "T_A / T_B [95 %]", "A is slower", "T_A / T_B there [95 %]"};
  for (const KeptReversal& reversal : all.reversals) {
    if (reversal.sides.size() != 2) continue;
    const bool ranks_models = reversal.ranked == "models";
    const KeptSide& first = reversal.sides[0];
    Texts row = ranks_models ? Texts{first.model_a, first.model_b} : Texts{first.compiler_a, first.compiler_b};
    for (const KeptSide& side : reversal.sides) {
      for (std::string& field : fields_of_side(side, ranks_models)) row.push_back(std::move(field));
    }
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

SpanningTable unmeasured_claims(const std::vector<KeptClaim>& claims, const std::string& publication) {
  SpanningTable table{.title = fmt::format("claims of the {} that this study does not measure", publication)};
  table.columns = {"claim", "source", "what is missing"};
  for (const KeptClaim& claim : claims) table.rows.push_back({claim.sentence, claim.source, claim.reason});
  return table;
}

// Returns the ratio with its interval, which that of a compiler to itself does not have; "–" if it is not known.
std::string ratio_text(const metrics::Value& ratio) {
  Entry entry = ratio_with_interval(ratio);
  if (entry.is_empty()) return "–";
  if (entry.number() == 1 && entry.low == 1 && entry.high == 1) entry.low = entry.high = std::nullopt;
  return text_of(entry, "ratio");
}

// Returns "3.91 ms", or "–" where it is not known.
std::string number_text(const std::optional<double>& value, const char* unit) {
  return value ? number(*value, unit) : "–";
}

std::string over_the_next(const std::string& compiler) { return compiler.empty() ? "" : " over " + compiler; }

// Returns the peak memory of the fastest cell, or "–" if it is not known. That cell is one of those that may be the
// fastest.
std::string memory_of_fastest(const Results& results, const KeptRace& race) {
  const auto found = std::find_if(results.cells.begin(), results.cells.end(), [&](const store::CellData* cell) {
    return metrics::compiler_of(*cell) == race.compiler &&
           std::find(race.cell_ids.begin(), race.cell_ids.end(), cell->cell_id) != race.cell_ids.end();
  });
  if (found == results.cells.end()) return "–";
  return number_text(results.numbers.of(**found, "timed_peak_bytes").value, "bytes");
}

// Returns "a, b, c and 2 more".
std::string first_names(Texts names) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  return text::join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// Fills in what the answer says of each workload.
void add_fastest(const std::vector<KeptRace>& races, Content& content) {
  SpanningTable& table = content.fastest;
  table.title = content.by.metric == nullptr ? "The fastest of each model and batch size"
                                             : "By the speed instead: the fastest of each model and batch size";
  table.columns = {"device",
                   "model",
                   "batch",
                   "fastest",
                   "an inference",
                   "peak memory",
                   "speed-up [95 %]",
                   "times the next [95 %]",
                   "may be the fastest"};
  for (const KeptRace& race : races) {
    content.may_be_fastest.insert(race.cell_ids.begin(), race.cell_ids.end());
    table.rows.push_back({race.device, race.model, std::to_string(race.batch), race.compiler,
                          number_text(race.inference_s, "s"), memory_of_fastest(*content.results, race),
                          ratio_text(race.speed_up), ratio_text(race.margin) + over_the_next(race.runner_up),
                          race.is_decided ? "it alone" : first_names(race.may_be_fastest)});
  }
  if (table.rows.empty()) return;
  const bool has_one_device = std::all_of(table.rows.begin(), table.rows.end(),
                                          [&](const Texts& row) { return row[0] == table.rows.front()[0]; });
  if (has_one_device) remove_column(table, 0);
  table = fitted(std::move(table));
}

}  // namespace

void add_what_spans_cells(Content& content) {
  constexpr std::size_t kPlaceOfStatus = 2;
  Conclusions all = conclusions_in(*content.results);
  content.answer = all.answer.sentences;
  add_fastest(all.answer.rows, content);
  for (const KeptFinding& finding : all.findings) content.findings.push_back({finding.sentence, rows_behind(finding)});
  if (SpanningTable orders = reversals(all); !orders.remark.empty()) content.conclusions.push_back(std::move(orders));
  content.tables = series_tables(*content.results);
  // What a publication claims is no finding of another study. Its own studies begin with its name: "paper_models".
  if (!content.study.starts_with(content.claims.of + '_')) return;
  content.unmeasured = unmeasured_claims(take_unmeasured(all.claims), content.claims.of);
  const Table claims = claims_table(all.claims);
  for (const Section& claim : claims.sections) {
    content.conclusions.push_back(spanning_table(claim, claims.columns, kPlaceOfStatus));
  }
}

}  // namespace ngb::report::page
