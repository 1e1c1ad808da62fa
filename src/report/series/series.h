// SPDX-License-Identifier: Apache-2.0
// Formats the numbers that span cells, and what the results as a whole say.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/series/series.h"
#include "report/document.h"
#include "report/show/show.h"

namespace ngb::report {

// Returns a table with a section for each series. A row is shown if all cells that it is about are selected.
std::string series_text(const Results& results, const ShowOptions& options);

// Returns the sentences that answer what the study asks, a line each, of all results; "" if there are none.
std::string answer_text(const Results& results);

// Returns the findings in words, what is to be acted on first, then the reversals and the claims of a publication
// ("paper"; "": no claims). They are of all results, whichever are selected.
std::string findings_text(const Results& results, const ShowOptions& options, std::string_view publication);

// The columns of series_text's table. Its sections have the formula's name in their titles.
std::vector<Column> series_columns();
// Calls `use` with the section of each series that has rows: one after the other, because a large study has so many
// rows that only one section should be in memory.
using UseSeries = std::function<void(const metrics::series::Series& series, const Section& section)>;
void each_series(const Results& results, const UseSeries& use);

// Each takes what conclusions_json returns, which may hold anything. Returns a section for each claim.
Table claims_table(const nlohmann::json& all);
// Removes the claims that the results do not measure. Returns how many there were.
std::size_t drop_unmeasured_claims(nlohmann::json& all);
// Returns the sentences that answer what the study asks, which may be none.
std::vector<std::string> sentences_of_answer(const nlohmann::json& all);
// Says how many orders were compared and how many reversals were found; "" if nothing is known.
std::string words_of_orders(const nlohmann::json& all);
// Returns the ratio of a row with "value", "low" and "high"; "–" if it has none.
Entry ratio_with_interval(const nlohmann::json& row);

// {"values": [{"series", "device", "compiler", "subject", "batch_sizes", "value", "low", "high", "standard_error",
// "degrees" or "value": null and "reason"; "cell_ids"}], "table": [the rows of the table of series]}; values as in
// series_text.
nlohmann::json series_json(const Results& results);

// {"answer", "findings", "reversals", "orders", "claims"}, as in metrics/series/conclusions.h.
nlohmann::json conclusions_json(const Results& results);

// Reads JSON objects of a results file, which may come from anybody: what has another type than it should counts as
// missing.

// Returns "" if there is no such text.
std::string text_at(const nlohmann::json& object, const char* key);
bool is_true_at(const nlohmann::json& object, const char* key);
std::optional<double> number_at(const nlohmann::json& object, const char* key);

}  // namespace ngb::report
