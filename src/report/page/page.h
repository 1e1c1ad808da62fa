// SPDX-License-Identifier: Apache-2.0
// Makes the report of results: one HTML page that needs no other file and no network. Its tables are readable without
// JavaScript; with it, the reader chooses what is shown, and each choice is part of the link.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "metrics/judging.h"
#include "report/claims.h"
#include "report/document.h"
#include "report/results.h"

namespace ngb::report {
struct Profiles;      // of report/explain/profiles.h
struct ShownHistory;  // of report/history/history.h
}  // namespace ngb::report

namespace ngb::report::page {

// A table that spans cells (numbers of a family, the rows behind a finding). Every text is untrusted; the page escapes
// it.
struct SpanningTable {
  std::string title{};
  std::string remark{};  // what the numbers are; "" for none
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};  // each as long as `columns`
};

// A finding in words.
struct Sentence {
  std::string text{};
  SpanningTable rows{};  // that bear it; without columns: none
};

// A value in the table of a figure's data.
struct Field {
  std::string text{};     // "" is an unknown number, or an empty text
  bool is_number = true;  // or unknown
};

// A figure as the page shows it (report/figures/on_page.h makes it).
struct Figure {
  std::string name{};     // of its files: "compile_time"
  std::string title{};    // for people
  std::string reading{};  // what it shows, and how to read it
  // A Vega-Lite specification as JSON. If the page has all rows, `rows` holds them, and "datasets" is {"places": …}:
  // for each row the fields that say where its marks are drawn. If not, "datasets" is {"drawn": …}: the rows that are
  // drawn. Both have the form {"columns": […], "rows": [[…], …]}, in which [] repeats the value of the row above.
  std::string specification{};
  std::vector<std::string> columns{};
  std::vector<std::vector<Field>> rows{};  // each as long as `columns`
  bool has_all_rows = true;                // else `rows` is empty, and the file beside the page has all
  bool has_file = true;                    // beside the page
  std::string section{};                   // in which it is: "As in the paper"; "": the first one
  std::string section_reading{};           // a sentence on that section
};

// The figures of a page.
struct Figures {
  std::vector<Figure> shown{};
  std::string left_out{};  // figures without data, and why; "" if there are none
};

// Results, and what is shown of them. It has pointers to the objects that it was made from.
struct Content {
  std::string name{};   // the folder's name, or the folders': "quickstart"
  std::string study{};  // of the last run of each folder; "" if there was none
  std::string day{};    // on which the last run began: "2026-11-29"; "" if there was none
  const Results* results = nullptr;
  const std::vector<store::MeasuredEnvironment>* environments = nullptr;
  std::map<std::string, std::string> protocol{};  // keys and values (JSON) as in the study file
  std::string folded{};                           // what the page leaves out of the results; "" if it shows all
  const Profiles* profiles = nullptr;             // and what they explain; null of results without profiles
  Claims claims{};                                // that the results were tested on
  metrics::Judged by{};                           // by which the answer is given, and which the chart shows first
  std::optional<Document> models{};               // which model is the best, if models are compared
  bool asks_models = false;                       // the study has a goal, so that comes first
  // What follows is filled in by add_what_spans_cells (spanning.h).
  std::vector<std::string> answer{};       // sentences, shown first
  SpanningTable fastest{};                 // by workload
  std::set<std::string> may_be_fastest{};  // ids of the cells that the answer does not exclude
  std::vector<Sentence> findings{};
  std::vector<SpanningTable> conclusions{};  // reversed orders, the claims that were measured
  SpanningTable unmeasured{};                // the other claims, and what each needs
  std::vector<SpanningTable> tables{};       // numbers that span cells
};

// A page shows every metric of at most this many cells, and of more cells only the metrics that `ngb show` has columns
// for.
inline constexpr std::size_t kMostCellsWithEveryMetric = 1500;
// A page can show this many cells. Of more the caller chooses some, and says so in Content::folded.
inline constexpr std::size_t kMostCells = 20'000;

// Returns the page of what `ngb compare` prints: the summary, a figure of the ratios, and every pair with its verdict.
std::string comparison_html(const Document& document, const std::string& title, const std::string& made_by);

// Returns the page of what `ngb history` prints: a figure of each cell, first of those that changed, and the table.
std::string history_html(const ShownHistory& shown, const std::string& title, const std::string& made_by);

// Returns the page. `made_by` describes the program: "0.1.0 (git 0123456789ab)". The same input gives the same page.
std::string html(const Content& content, const Figures& figures, const std::string& made_by);

}  // namespace ngb::report::page
