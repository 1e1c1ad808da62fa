// SPDX-License-Identifier: Apache-2.0
// ngb compare: compares two results folders, or two sides of one, cell by cell, with a verdict for each.
#include <filesystem>
#include <memory>

#include "apps/ngb/comparing.h"
#include "apps/ngb/terminal.h"

namespace ngb::app {
namespace {

constexpr const char* kCompareExamples =
    "Examples:\n  ngb compare results/monday results/friday\n"
    "  ngb compare results/versions --baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1\n"
    "  ngb compare results/quickstart --baseline identity --candidate onnxruntime --format markdown\n"
    "  ngb compare results/threads --by threads --baseline 1 --candidate 2\n"
    "  ngb compare results/xeon results/laptop --as results/xeon:local=xeon --as results/laptop:local=laptop --by "
    "device --baseline xeon --candidate laptop";

int compare(const Installation& installation, const ComparisonArguments& arguments, const std::filesystem::path& page) {
  const auto format = format_of(arguments);
  if (!format) return format.error();
  const auto judged = judge_results(installation, arguments, statistics::Adjustment::benjamini_hochberg);
  if (!judged) return judged.error();
  const report::Compared compared = compared_of(*judged);
  print_comparison(compared, **format, arguments.all);
  if (page.empty()) return kSuccess;
  const auto written = write_comparison_page(compared, arguments.results.folders, page);
  if (!written) return report_failure(written.error(), kCannotGoOn);
  warn("Page: {}\n", page.string());
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ComparisonArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Judge for each cell whether one side is faster, slower or the same");
  add_comparison_options(*command, *arguments, "Results folders: baseline and candidate, or one that contains both",
                         kCompareExamples);
  const auto page = std::make_shared<std::filesystem::path>();
  command->add_option("--page", *page,
                      "Also write this file: one HTML page with every pair, its ratio and its verdict");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return compare(installation, *arguments, *page); };
  });
}

}  // namespace ngb::app
