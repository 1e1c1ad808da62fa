// SPDX-License-Identifier: Apache-2.0
// Formats the numbers that span cells, and what the results as a whole say.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/show.h"

namespace ngb::report {

// Returns a table with a section for each series. A row is shown if all cells that it is about are selected.
std::string series_text(const Results& results, const ShowOptions& options);

// Returns the findings in words, what is to be acted on first, then the reversals and the paper's claims. They are of
// all results, whichever are selected.
std::string findings_text(const Results& results, const ShowOptions& options);

// {"values": [{"series", "device", "compiler", "subject", "batch_sizes", "value", "low", "high", "standard_error",
// "degrees" or "value": null and "reason"; "cell_ids"}], "table": [the rows of the table of series]}; values as in
// series_text.
nlohmann::json series_json(const Results& results);

// {"findings", "reversals", "orders", "claims"}, as in metrics/series/conclusions.h.
nlohmann::json conclusions_json(const Results& results);

}  // namespace ngb::report
