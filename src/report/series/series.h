// SPDX-License-Identifier: Apache-2.0
// Formats the numbers that span cells, and what the results as a whole say.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/series/conclusions.h"
#include "metrics/series/series.h"
#include "report/document.h"
#include "report/show/show.h"

namespace ngb::report {

// Returns a table with a section for each series. A row is shown if all cells that it is about are selected.
std::string series_text(const Results& results, const ShowOptions& options);

// Returns a table of the shapes that processes visit by turns, a section for each model, device and batch size: first,
// second and later visits, the memory of a shape and the speed-up at it; "" if there are none.
std::string shapes_text(const Results& results, const ShowOptions& options);
// Returns whether that table has the numbers of a series.
bool is_of_shapes(std::string_view series);

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

// The conclusions of all results. One that the file does not have as the store writes it is left out: a results file
// may come from anybody.
struct Conclusions {
  std::vector<metrics::series::KeptFinding> findings{};
  std::vector<metrics::series::KeptReversal> reversals{};
  std::vector<metrics::series::KeptClaim> claims{};
  std::optional<metrics::series::KeptOrders> orders{};
  metrics::series::KeptAnswer answer{};
};
Conclusions conclusions_in(const Results& results);

// Returns a section for each claim.
Table claims_table(const std::vector<metrics::series::KeptClaim>& claims);
// Removes the claims that the results do not measure, and returns them.
std::vector<metrics::series::KeptClaim> take_unmeasured(std::vector<metrics::series::KeptClaim>& claims);
// Says how many orders were compared and how many reversals were found; "" if nothing is known.
std::string words_of_orders(const Conclusions& all);
// Returns a ratio with its interval; "–" if there is none.
Entry ratio_with_interval(const metrics::Value& ratio);

// {"values": [{"series", "device", "compiler", "subject", "batch_sizes", "value", "low", "high", "standard_error",
// "degrees" or "value": null and "reason"; "cell_ids"}], "table": [the rows of the table of series]}; values as in
// series_text.
nlohmann::json series_json(const Results& results);

// {"findings", "reversals", "claims", "orders", "answer"}: objects as the file has them.
nlohmann::json conclusions_json(const Results& results);

}  // namespace ngb::report
