// SPDX-License-Identifier: Apache-2.0
// Writes the page and the figures of results into a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/limit.h"
#include "report/folder/figures.h"
#include "report/folder/tables.h"
#include "store/merge.h"

namespace ngb::report::folder {

inline constexpr const char* kReportMark = ".ngb-report";  // file that marks a folder as a report

struct ReportRequest {
  std::vector<store::Source> sources{};                      // read as one
  std::filesystem::path folder{};                            // of the report
  std::string baseline{};                                    // "": that of the study
  std::string metric{};                                      // by which the answer is given; "": likewise
  std::map<std::string, std::vector<std::string>> wanted{};  // by the name of the filter (report/results.h)
  Publication publication{};                                 // whose claims the results are tested on
  TablesRequest tables{};
  FiguresRequest figures{};
  metrics::PeakOf peak_of{};  // of the page's section Why; null: no peak is known
  std::string name{};         // of the results on the page; "": the folders' names
  std::string made_by{};      // the program that the page names: "0.1.0 (git 0123456789ab)"
  // Called before each step that takes seconds, with its name: "drawing 25 figures as pdf". May be null.
  std::function<void(const std::string& what)> on_begin{};
};

struct WrittenReport {
  std::filesystem::path page{};
  std::size_t cells = 0;
  std::size_t bytes = 0;
  std::string folded{};                   // what the page leaves out; "" if it shows all
  std::optional<WrittenTables> tables{};  // if some were asked for
  WrittenFigures figures{};
};

struct ReportFailure {
  Error error{};
  bool is_of_request = false;  // the request is at fault, not what was read or written
};

// Marks the folder as a report, and returns the path of its page. Fails if the folder contains something and is not a
// report.
Result<std::filesystem::path> begin_report(const std::filesystem::path& folder);

// Writes the tables that are asked for, figures/NAME.vl.json, .csv and images, index.html, each in one step, and a file
// that marks the folder as a report. Of more cells than a page shows, all of these have the first ones only. Fails and
// changes nothing if results cannot be read or do not go together, a filter fits no cell, the folder contains something
// and is not a report, or images are wanted and the request has nothing that draws them.
tl::expected<WrittenReport, ReportFailure> write_report(const ReportRequest& request);

}  // namespace ngb::report::folder
