// SPDX-License-Identifier: Apache-2.0
// ngb tune: the fastest of the settings that a study lists, and what fresh processes say of them.
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/duration.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/terminal.h"
#include "base/percent.h"
#include "campaign/tune.h"
#include "report/tuning.h"

namespace ngb::app {
namespace {

constexpr const char* kTuneExamples =
    "The first value of each list is that of today, with which the fastest settings are compared.\n\n"
    "Exit codes: 0 whatever was found; 2 and 3 as everywhere.\n\n"
    "Examples:\n  ngb tune study.yaml --budget 10m\n  ngb tune study.yaml --margin 2% --json > tuned.json";

struct TuneArguments {
  std::string study;
  std::string output;
  std::string budget;  // "": none
  std::string margin = "3%";
  FormatArguments format;
};

int tune(const Installation& installation, const TuneArguments& arguments) {
  const auto margin = parse_percent(arguments.margin, "--margin");
  if (!margin) return report_failure(margin.error(), kWrongUsage);
  const auto format = arguments.format.among(report::tuning_formats());
  if (!format) return report_failure(format.error(), kWrongUsage);
  campaign::TuneOrder order{
      .study = arguments.study, .folder = arguments.output, .margin_ratio = *margin / 100, .budget = {}};
  if (!arguments.budget.empty()) {
    const auto budget = parse_duration(arguments.budget, "--budget");
    if (!budget) return report_failure(budget.error(), kWrongUsage);
    order.budget = *budget;
  }
  RunDisplay display;
  const auto tuned = campaign::tune(installation, order, display);
  if (!tuned) return report_refusal(tuned.error());
  const OutputShape shape = shape_of_stdout();
  print_table_text((*format)->write(report::tuning_document(*tuned),
                                    {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color}));
  return kSuccess;
}

}  // namespace

void add_tune(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<TuneArguments>();
  CLI::App* command = app.add_subcommand("tune", "Search a study's settings for the fastest, and confirm them");
  command->add_option("study", arguments->study, "Study file (YAML) with lists of threads, options or settings")
      ->required();
  command->add_option("--budget", arguments->budget,
                      "Search and confirm within this time (90s, 10m, 2h); what was not tried is said");
  command->add_option("--margin", arguments->margin, "Settings are no faster within this (3%)");
  command->add_option("-o,--output", arguments->output,
                      "Folder of the search, which the same command continues (default: the study's, with -tune)");
  add_format_option(*command, arguments->format, report::tuning_formats(), kTuneExamples);
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return tune(installation, *arguments); }; });
}

}  // namespace ngb::app
