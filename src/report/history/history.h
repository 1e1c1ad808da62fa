// SPDX-License-Identifier: Apache-2.0
// What `ngb history` prints: cells over time.
#pragma once

#include <string>
#include <vector>

#include "metrics/history/changes.h"
#include "report/document.h"
#include "report/formats.h"

namespace ngb::report {

namespace history = metrics::history;

// Lines with what each of them shows.
struct ShownHistory {
  const history::History* lines = nullptr;
  const std::vector<history::Findings>* findings = nullptr;  // of each line
};

// The formats of `ngb history`.
const FormatNames& history_formats();

// Returns a row for each line that is shown. JSON also has its points, its changes with their causes, and of the whole
// {"summary", "order", "metric", "margin_ratio", "margin_difference", "rules", "results", "environment_changes",
// "remarks"}. Rows are made when they are written, so what is shown must outlive the document.
Document history_document(const ShownHistory& shown);
// Returns a row for each point of each line that is shown: CSV for spreadsheets and other programs.
Document points_document(const ShownHistory& shown);

// Returns a row for each of the results that has a value of every line, by date, with a column for each line: whoever
// reads it (Apache Otava) knows no unknown values.
Document results_document(const ShownHistory& shown);

// Returns what a point is called: its date in UTC (with the time if two results are of one day), its version, its
// commit or its label, as the history is ordered.
std::string name_of_point(const history::History& whole, const history::Point& point);
// Returns "resnet18, batch 1, on local: onnxruntime 1.31.1": without the version if the line's points
// differ in it, and with the compiler's name if they differ in the label.
std::string name_of_line(const history::History& whole, const history::Line& line);
// Returns "slower", "faster", "same" or "undecided"; of another metric than the speed "worse" and "better".
std::string_view word_of_change(statistics::Verdict verdict, const metrics::Judged& by);
// Returns "slower 0.90 [0.89, 0.91] at 2026-11-03 (compiler)".
std::string words_of_change(const history::History& whole, const history::Line& line, const history::Change& change);
// Returns "local: kernel 6.1.0 → 6.2.0".
std::string words_of_surroundings(const history::ChangeOfSurroundings& change);
// Returns the remarks on the whole, those on changes of environment last.
std::vector<std::string> history_remarks(const ShownHistory& shown);

}  // namespace ngb::report
