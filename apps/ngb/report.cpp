// SPDX-License-Identifier: Apache-2.0
// ngb report: writes results as a page, as figures and as tables.
#include <fmt/format.h>

#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/report_folder.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "report/figures/draw.h"
#include "report/results.h"
#include "report/tables/formats.h"

namespace ngb::app {
namespace {

struct ReportArguments {
  ReportRequest request;
  bool with_paper = false;
};

void tell_tables(const WrittenTables& tables) {
  say("Tables: {} in {}\n", tables.count, tables.folder.string());
  for (const std::string& without : tables.without_rows) say("Not written: {}\n", without);
}

void tell_figures(const WrittenFigures& figures) {
  say("Figures: {} in {}\n", figures.count, figures.folder.string());
  if (!figures.left_out.empty()) say("Left out: {}\n", figures.left_out);
  for (const std::string& remark : figures.remarks) say("{}\n", remark);
  for (const std::string& warning : figures.warnings) warn("ngb: vl-convert: {}\n", warning);
}

int write_and_tell(ReportArguments arguments) {
  ReportRequest& request = arguments.request;
  if (const Status usable = complete_request(request.tables, arguments.with_paper, request.wanted); !usable) {
    return report_failure(usable.error(), kWrongUsage);
  }
  if (request.folder.empty() && request.results.folders.size() > 1) {
    return report_failure({"several results folders need a folder for the report", "", "name it with -o"}, kWrongUsage);
  }
  if (request.folder.empty()) request.folder = std::filesystem::path(request.results.folders.front()) / "report";
  const auto written = write_report(request);
  if (!written) return report_failure(written.error().error, written.error().code);
  say("Report: {} ({} {}, {})\n", written->page.string(), written->cells, written->cells == 1 ? "cell" : "cells",
      text::human_bytes(written->bytes));
  if (!written->folded.empty()) say("{}\n", written->folded);
  if (written->tables) tell_tables(*written->tables);
  tell_figures(written->figures);
  return kSuccess;
}

std::string help_on_tables() {
  std::string text = "Formats of tables:\n";
  for (const report::tables::Format& format : report::tables::formats()) {
    text += fmt::format("  {:<10}{}\n", format.name, format.meaning);
  }
  return text;
}

}  // namespace

void add_report(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ReportArguments>();
  ReportRequest& request = arguments->request;
  request.figures.toolchains = installation.toolchains;
  request.tables.toolchains = installation.toolchains;
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML page that needs no network, as figures and as tables");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, request.results, "Results folders, which are read as one", 1, kMostFolders);
  command->add_option("-o,--output", request.folder,
                      "Folder of the report (default: RESULTS/report). One that has other files in it is refused");
  add_filter_options(*command, request.wanted);
  command->add_option("--baseline", request.baseline,
                      "The compiler to which speed-ups refer, as in ngb show (default: the study's baseline)");
  command
      ->add_option(
          "--figures", request.figures.image_format,
          "Also write the figures as images: svg, png or pdf. What ngb toolchain install figures installs draws "
          "them, and without this option those of the page")
      ->check(CLI::IsMember(
          std::vector<std::string>(report::figures::kImageFormats.begin(), report::figures::kImageFormats.end())));
  command
      ->add_option("--tables", request.tables.formats,
                   "Also write the paper's tables, in this format, into the folder tables; may be repeated")
      ->allow_extra_args(false);
  command->add_flag(
      "--paper", arguments->with_paper,
      "In tables and figures: the paper's published values beside one's own (--device \"paper: Xeon\" chooses)");
  command->footer(help_on_tables() +
                  "\nExamples:\n  ngb report results/quickstart\n"
                  "  ngb report results/quickstart --figures pdf\n"
                  "  ngb report results/quickstart --tables latex --tables csv --paper\n"
                  "  ngb report results/xeon results/orin -o both --as results/xeon:local=xeon --as "
                  "results/orin:local=orin");
  command->callback([=, &chosen] { chosen = [=] { return write_and_tell(*arguments); }; });
}

}  // namespace ngb::app
