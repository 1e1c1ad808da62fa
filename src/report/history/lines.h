// SPDX-License-Identifier: Apache-2.0
// What both documents of `ngb history` are made from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/history/history.h"

namespace ngb::report {

// A line with what it shows.
struct LineOf {
  const history::History& whole;
  const history::Line& line;
  const history::Findings& findings;

  [[nodiscard]] const history::Point& last() const { return line.points.back(); }
};

// Calls `use` with each line that is shown, in their order.
void each_line(const ShownHistory& shown, const std::function<void(const LineOf& of)>& use);

// Returns the value with its ends, or its reason.
Entry entry_of_point(const history::Point& point);
// Returns "1.2 %" or "350 kB": the least step that would have been found; "" if none would.
std::string least_change_in_words(const LineOf& of);
// Returns the column of people for values of the metric.
Column column_of_values(const history::History& whole, const std::string& heading);

// Returns "kernel 6.1 → 6.2, version 1.30.0 → 1.31.1"; "" for none.
std::string words_of(const std::vector<history::Difference>& differences);

// Returns the document without rows: a section for them, and everything about the whole.
Document document_of_history(const ShownHistory& shown, std::vector<Column> columns, const char* row_word);

// Returns "2026-11-03T06:28:00Z"; "unknown date" of results without a run.
std::string time_of_results(const history::Source& source);

// {"value", "low", "high"}; null without a contrast.
nlohmann::json contrast_json(const std::optional<statistics::Contrast>& contrast, const metrics::Judged& by);

}  // namespace ngb::report
