// SPDX-License-Identifier: Apache-2.0
// Writes the page and the figures of results into a folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/report_figures.h"
#include "apps/ngb/report_tables.h"
#include "apps/ngb/sources.h"
#include "base/result.h"

namespace ngb::app {

inline constexpr const char* kReportMark = ".ngb-report";  // file that marks a folder as a report

struct ReportRequest {
  SourcesArguments results{};                                // read as one
  std::filesystem::path folder{};                            // of the report
  std::string baseline{};                                    // "": that of the study
  std::map<std::string, std::vector<std::string>> wanted{};  // by the name of the filter (report/results.h)
  TablesRequest tables{};
  FiguresRequest figures{};
  std::string name{};     // of the results on the page; "": the folders' names
  std::string made_by{};  // the program that the page names; "": this one
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
  ExitCode code = kCannotGoOn;  // kWrongUsage if the request is at fault
};

// Writes the tables that are asked for, figures/NAME.vl.json, .csv and images, index.html, each in one step, and a file
// that marks the folder as a report. Of more cells than a page shows, all of these have the first ones only. Fails and
// changes nothing if results cannot be read or do not go together, a filter fits no cell, the folder contains something
// and is not a report, or images or Parquet are wanted and nothing that is installed makes them.
tl::expected<WrittenReport, ReportFailure> write_report(const ReportRequest& request);

// Writes RESULTS/report of a run that has ended, prints the page's path and returns it; nothing if it wrote none. A
// page that cannot be written is only a warning. Of so many cells that writing would delay the end of the run, it
// writes none.
std::optional<std::filesystem::path> write_report_of_run(const std::filesystem::path& results);

}  // namespace ngb::app
