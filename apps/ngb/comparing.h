// SPDX-License-Identifier: Apache-2.0
// Everything that `ngb compare` and `ngb gate` share: options, judging results as these say, printing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/sources.h"
#include "campaign/judge_results.h"
#include "report/compare/compare.h"

namespace ngb::app {

struct ComparisonArguments {
  SourcesArguments results;
  bool join = false;  // read all results folders as one
  std::string axis;   // "" if not given
  std::string baseline;
  std::string candidate;
  double margin_percent = 3;
  std::vector<std::string> metrics;  // as typed: "timed_peak_bytes:5%"; none: speed
  bool across_environments = false;
  bool across_protocols = false;
  FormatArguments format;
  bool all = false;
};

// Adds the options, and the formats to the help. `what_results` describes the positional arguments.
void add_comparison_options(CLI::App& command, ComparisonArguments& arguments, const std::string& what_results,
                            const std::string& examples);

// Returns the metrics that the arguments ask for, with their margins; none: the speed. Returns an error if one cannot
// be judged, or is given twice.
Result<std::vector<metrics::Judged>> metrics_of(const ComparisonArguments& arguments);

// Loads the results and judges all pairs. On failure prints the reason and returns the exit code: kWrongUsage for
// arguments that contradict each other or name nothing, kCannotGoOn for results that cannot be compared.
// A comparison of few cells uses what `ngb calibrate` found out about their environment.
tl::expected<campaign::JudgedResults, ExitCode> judge_results(const Installation& installation,
                                                              const ComparisonArguments& arguments,
                                                              statistics::Adjustment adjustment);

// The comparison without a gate. It points into `judged`.
report::Compared compared_of(const campaign::JudgedResults& judged);

// Writes every pair as a page, and returns its bytes.
Result<std::size_t> write_comparison_page(const report::Compared& compared, const std::vector<std::string>& folders,
                                          const std::filesystem::path& page);

// Returns the format that the arguments ask for, or prints that there is none and returns the exit code.
tl::expected<const report::Format*, ExitCode> format_of(const ComparisonArguments& arguments);

// Prints the comparison on stdout, and the annotations of a format on stderr.
void print_comparison(const report::Compared& compared, const report::Format& format, bool all);

}  // namespace ngb::app
