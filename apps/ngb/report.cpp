// SPDX-License-Identifier: Apache-2.0
// ngb report: writes results as a page.
#include <fmt/format.h>

#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/report_folder.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "report/figures/draw.h"
#include "report/results.h"

namespace ngb::app {
namespace {

int write_and_tell(ReportRequest request) {
  if (request.folder.empty() && request.results.size() > 1) {
    return report_failure({"several results folders need a folder for the report", "", "name it with -o"}, kWrongUsage);
  }
  if (request.folder.empty()) request.folder = request.results.front() / "report";
  const auto written = write_report(request);
  if (!written) return report_failure(written.error().error, written.error().code);
  say("Report: {} ({} cells, {})\n", written->page.string(), written->cells, text::human_bytes(written->bytes));
  say("Figures: {} in {}\n", written->figures.count, (request.folder / "figures").string());
  if (!written->figures.left_out.empty()) say("Left out: {}\n", written->figures.left_out);
  for (const std::string& remark : written->figures.remarks) say("{}\n", remark);
  for (const std::string& warning : written->figures.warnings) warn("ngb: vl-convert: {}\n", warning);
  return kSuccess;
}

}  // namespace

void add_report(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto request = std::make_shared<ReportRequest>();
  request->figures.toolchains = installation.toolchains;
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML page that needs no network, and as figures");
  command->add_option("results", request->results, "Results folders")->required();
  command->add_option("-o,--output", request->folder,
                      "Folder of the report (default: RESULTS/report). One that has other files in it is refused");
  for (const report::Filter& filter : report::filters()) {
    command->add_option(fmt::format("--{}", filter.name), request->wanted[filter.name], filter.meaning)
        ->allow_extra_args(false);
  }
  command->add_option("--baseline", request->baseline,
                      "The compiler to which speed-ups refer, as in ngb show (default: the study's baseline)");
  command
      ->add_option("--figures", request->figures.image_format,
                   "Also draw the figures as images: svg, png or pdf (ngb toolchain install figures)")
      ->check(CLI::IsMember(
          std::vector<std::string>(report::figures::kImageFormats.begin(), report::figures::kImageFormats.end())));
  command->footer(
      "Examples:\n  ngb report results/quickstart\n"
      "  ngb report results/quickstart --figures pdf\n"
      "  ngb report results/xeon results/orin -o report_of_both");
  command->callback([=, &chosen] { chosen = [=] { return write_and_tell(*request); }; });
}

}  // namespace ngb::app
