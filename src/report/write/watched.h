// SPDX-License-Identifier: Apache-2.0
// Writes tables for services that watch numbers over time; docs/ci.md names them. A row is named by its first column.
// Its numbers are the columns whose values may be unknown (quantity_column), under their names in CSV; unknown ones are
// left out. All other columns of CSV are properties of the row.
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report {

// Returns Bencher Metric Format: {row: {number: {"value", "lower_value", "upper_value"}}}.
std::string to_bencher(const Document& document);

// Returns the list that github-action-benchmark reads: [{"name", "unit", "value", "range"}].
std::string to_action_benchmark(const Document& document);

// Returns the text of OpenMetrics 1.0: a gauge ngb_NUMBER for each number, and for each end of its interval; properties
// are labels.
std::string to_open_metrics(const Document& document);

// Returns what Shields draws a badge of: the document's summary, red or orange if it has annotations, yellow
// if a row is a notice (undecided).
std::string to_badge(const Document& document);

}  // namespace ngb::report
