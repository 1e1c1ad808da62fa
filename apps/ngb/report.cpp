// SPDX-License-Identifier: Apache-2.0
// ngb report: writes results as a page, as figures and as tables.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/comparing.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/text.h"
#include "campaign/kept_calibrations.h"
#include "paper/paper.h"
#include "report/figures/draw.h"
#include "report/folder/folder.h"
#include "report/formats.h"
#include "report/results.h"
#include "toolchain/tools.h"

namespace ngb::app {
namespace {

using report::folder::ReportRequest;

struct ReportArguments {
  SourcesArguments results;
  ReportRequest request;
  bool with_paper = false;
  std::string width{};           // "column", "page"; "": by content
  bool without_heading = false;  // of figures
  bool join = false;             // read two results folders as one, as three and more are
};

// Returns whether two results folders are a baseline and a candidate, as for ngb compare. Renamed devices, filters,
// tables and images are of results that are read as one.
bool is_before_and_after(const ReportArguments& arguments) {
  const ReportRequest& request = arguments.request;
  const bool is_filtered = std::ranges::any_of(request.wanted, [](const auto& each) { return !each.second.empty(); });
  return arguments.results.folders.size() == 2 && !arguments.join && arguments.results.renamings.empty() &&
         !is_filtered && !arguments.with_paper && !request.figures.with_publication && request.baseline.empty() &&
         request.figures.image_format.empty() && request.tables.formats.empty();
}

// Writes the page of ngb compare --page into the folder.
int write_before_and_after(const Installation& installation, const ReportArguments& arguments) {
  ComparisonArguments sides;
  sides.results = arguments.results;
  if (!arguments.request.metric.empty()) sides.metrics.push_back(arguments.request.metric);
  const auto judged = judge_results(installation, sides, statistics::Adjustment::benjamini_hochberg);
  if (!judged) return judged.error();
  const auto page = report::folder::begin_report(arguments.request.folder);
  if (!page) return report_failure(page.error(), kWrongUsage);
  const auto written = write_comparison_page(compared_of(*judged), arguments.results.folders, *page);
  if (!written) return report_failure(written.error(), kCannotGoOn);
  say("Report: {} ({} pairs, {}; --join reads both folders as one)\n", page->string(), judged->comparison.pairs.size(),
      text::human_bytes(*written));
  return kSuccess;
}

void tell_tables(const report::folder::WrittenTables& tables) {
  say("Tables: {} in {}\n", tables.count, tables.folder.string());
  for (const std::string& without : tables.without_rows) say("Not written: {}\n", without);
}

void tell_figures(const report::folder::WrittenFigures& figures) {
  say("Figures: {} in {}\n", figures.count, figures.folder.string());
  if (!figures.left_out.empty()) say("Left out: {}\n", figures.left_out);
  for (const std::string& remark : figures.remarks) say("{}\n", remark);
  for (const std::string& warning : figures.warnings) warn("ngb: vl-convert: {}\n", warning);
}

// Finds the installed toolchain that draws images of figures, if they are asked for. It is an error that there is none.
Status find_drawer(const Installation& installation, report::folder::FiguresRequest& request) {
  if (request.image_format.empty()) return Done{};
  const toolchain::CompilerDescription tool = toolchain::drawing_tool();
  const auto found = toolchain::find_tool(installation.toolchains, tool);
  if (found && *found) request.drawer = {(*found)->python, (*found)->site};
  if (request.drawer) return Done{};
  if (!found) return error_of(found);
  return fail("images of figures need vl-convert, which is not installed", installation.toolchains.string(),
              "type: ngb toolchain install " + tool.name);
}

int write_and_tell(const Installation& installation, ReportArguments arguments) {
  ReportRequest& request = arguments.request;
  request.publication = paper::publication();
  if (const Status usable =
          report::folder::complete_request(request.tables, request.publication, arguments.with_paper, request.wanted);
      !usable) {
    return report_failure(usable.error(), kWrongUsage);
  }
  if (arguments.width == "column") request.figures.form.width_px = report::figures::kColumnPx;
  if (arguments.width == "page") request.figures.form.width_px = report::figures::kPagePx;
  request.figures.form.has_heading = !arguments.without_heading;
  const std::vector<std::string>& folders = arguments.results.folders;
  if (request.folder.empty() && folders.size() > 1) {
    return report_failure({"several results folders need a folder for the report", "", "name it with -o"}, kWrongUsage);
  }
  if (is_before_and_after(arguments)) return write_before_and_after(installation, arguments);
  if (request.folder.empty()) request.folder = std::filesystem::path(folders.front()) / "report";
  auto sources = sources_of(arguments.results);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  request.sources = *std::move(sources);
  request.made_by = describe(this_revision());
  request.peak_of = campaign::peaks_in(campaign::trusted_cache(installation));
  if (::isatty(STDERR_FILENO) == 1) request.on_begin = [](const std::string& what) { warn("ngb: {}\n", what); };
  if (const Status found = find_drawer(installation, request.figures); !found) {
    return report_failure(found.error(), kCannotGoOn);
  }
  const auto written = report::folder::write_report(request);
  if (!written) {
    return report_failure(written.error().error, written.error().is_of_request ? kWrongUsage : kCannotGoOn);
  }
  say("Report: {} ({} {}, {})\n", written->page.string(), written->cells, written->cells == 1 ? "cell" : "cells",
      text::human_bytes(written->bytes));
  if (!written->folded.empty()) say("{}\n", written->folded);
  if (written->tables) tell_tables(*written->tables);
  tell_figures(written->figures);
  return kSuccess;
}

}  // namespace

void add_report(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ReportArguments>();
  ReportRequest& request = arguments->request;
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML page that needs no network, as figures and as tables");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results,
                     "A results folder; two, before and after, which are compared; or more, which are read as one", 1,
                     kMostFolders);
  command->add_flag("--join", arguments->join,
                    "Read two results folders as one, as --as, filters, tables and images also do");
  command->add_option("-o,--output", request.folder,
                      "Folder of the report (default: RESULTS/report). One that has other files in it is refused");
  add_filter_options(*command, request.wanted);
  command->add_option("--baseline", request.baseline,
                      "The compiler to which speed-ups refer, as in ngb show (default: the study's baseline)");
  command->add_option("--metric", request.metric,
                      "Say first what is the best by this metric, and show it in the chart, instead of the speed: "
                      "timed_peak_bytes, compile_total_s, …; NAME:5% is the same within 5 %");
  command
      ->add_option(
          "--figures", request.figures.image_format,
          "Also write the figures as images: svg, png or pdf. What ngb toolchain install figures installs draws them")
      ->check(CLI::IsMember(
          std::vector<std::string>(report::figures::kImageFormats.begin(), report::figures::kImageFormats.end())));
  command
      ->add_option("--tables", request.tables.formats,
                   "Also write the paper's tables, in this format, into the folder tables; may be repeated")
      ->allow_extra_args(false);
  command->add_flag(
      "--paper", arguments->with_paper,
      "In tables and figures: the paper's published values beside one's own (--device \"paper: Xeon\" chooses)");
  command->add_flag("--paper-figures", request.figures.with_publication,
                    "Also make the paper's figures 1 and 5 to 12 of these results, each by its number");
  command
      ->add_option("--width", arguments->width,
                   "Width of the figures in print: column (3.5 inches) or page (7.16 inches); default: by content")
      ->check(CLI::IsMember({"column", "page"}));
  command->add_flag("--no-heading", arguments->without_heading,
                    "Images: without title and explanation, which the caption of an article has");
  command->footer(report::help_on_formats(report::table_formats()) +
                  "\nExamples:\n  ngb report results/quickstart\n"
                  "  ngb report results/quickstart --metric timed_peak_bytes\n"
                  "  ngb report results/quickstart --figures pdf\n"
                  "  ngb report results/paper_quick_models --paper-figures --figures pdf --width page --no-heading\n"
                  "  ngb report results/quickstart --tables latex --tables csv --paper\n"
                  "  ngb report results/monday results/friday -o monday_to_friday\n"
                  "  ngb report results/xeon results/orin -o both --as results/xeon:local=xeon --as "
                  "results/orin:local=orin");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return write_and_tell(installation, *arguments); };
  });
}

}  // namespace ngb::app
