// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/comparing.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/file.h"
#include "base/text.h"
#include "report/page/page.h"
#include "report/write/github.h"

namespace ngb::app {
namespace {

using metrics::Axis;

// Two results folders are the two sides.
bool is_read_as_one(const ComparisonArguments& arguments) {
  return arguments.join || arguments.results.folders.size() != 2;
}

// Returns the axis that the arguments ask for, or an error if they contradict each other.
Result<Axis> axis_of(const ComparisonArguments& arguments) {
  const bool has_both = !arguments.baseline.empty() && !arguments.candidate.empty();
  if (arguments.axis.empty() && has_both) return metrics::axis_meant_by(arguments.baseline, arguments.candidate);
  const auto axis = metrics::parse_axis(arguments.axis.empty() ? "results" : arguments.axis);
  if (!axis) return axis;
  const bool is_one = is_read_as_one(arguments);
  if (is_one && (*axis == Axis::results || !has_both)) {
    return fail(
        fmt::format("to compare two sides of {}, give --baseline and --candidate",
                    arguments.results.folders.size() == 1 ? "one results folder" : "results that are read as one"),
        text::join(arguments.results.folders, ", "),
        "for example: --baseline identity --candidate onnxruntime, or with another axis: --by threads --baseline "
        "1 --candidate 2");
  }
  if (*axis == Axis::results && (!arguments.baseline.empty() || !arguments.candidate.empty())) {
    return fail("--baseline and --candidate need each other, or an axis", {}, "add for example: --by version");
  }
  return axis;
}

tl::unexpected<ExitCode> refuse(const Error& error, ExitCode code) {
  report_failure(error, code);
  return tl::unexpected(code);
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonArguments& arguments, const std::string& what_results,
                            const std::string& examples) {
  constexpr int kMostFolders = 1000;
  add_source_options(command, arguments.results, what_results, 1, kMostFolders);
  command.add_flag("--join", arguments.join, "Read two results folders as one, as three and more are");
  command.add_option("--by", arguments.axis,
                     "The axis in which the sides differ: compiler, version, options, device, compute_device, threads, "
                     "precision, load, "
                     "model");
  command.add_option("--baseline", arguments.baseline,
                     "The baseline's value on that axis; without --by, a compiler: NAME or NAME@VERSION");
  command.add_option("--candidate", arguments.candidate, "The candidate's value, likewise");
  command.add_option("--margin", arguments.margin_percent, "Percent within which two speeds are the same (3)")
      ->check(CLI::Range(0.1, 50.0));
  command
      .add_option(
          "--metric", arguments.metrics,
          "Judge by this metric instead of the speed, by each if it is given several times: timed_peak_bytes, "
          "compile_total_s, latency_p99_s, shipped_size_bytes, …; NAME:5% is the same within 5 %, and in a gate "
          "fails beyond that")
      ->allow_extra_args(false);
  command.add_flag("--across-environments", arguments.across_environments,
                   "Compare even if a device was not the same on both sides");
  command.add_flag("--across-protocols", arguments.across_protocols,
                   "Compare even if two results folders were measured under different protocols");
  command.add_flag("--all", arguments.all, "List every pair, even if many are the same");
  add_format_option(command, arguments.format, report::compare_formats(), examples);
}

Result<std::vector<metrics::Judged>> metrics_of(const ComparisonArguments& arguments) {
  std::vector<metrics::Judged> judged;
  for (const std::string& given : arguments.metrics) {
    const auto one = metrics::parse_judged(given, arguments.margin_percent / 100);
    if (!one) return error_of(one);
    if (std::ranges::any_of(judged, [&](const metrics::Judged& other) { return other.metric == one->metric; })) {
      return fail(fmt::format("--metric {}: the metric is given twice", given), {},
                  "give each metric once, with one margin");
    }
    judged.push_back(*one);
  }
  return judged;
}

tl::expected<campaign::JudgedResults, ExitCode> judge_results(const Installation& installation,
                                                              const ComparisonArguments& arguments,
                                                              statistics::Adjustment adjustment) {
  const auto axis = axis_of(arguments);
  if (!axis) return refuse(axis.error(), kWrongUsage);
  const auto sources = sources_of(arguments.results);
  if (!sources) return refuse(sources.error(), kWrongUsage);
  campaign::JudgementOrder order{.sides = {*sources},
                                 .axis = *axis,
                                 .baseline = arguments.baseline,
                                 .candidate = arguments.candidate,
                                 .margin_ratio = arguments.margin_percent / 100,
                                 .adjustment = adjustment,
                                 .across_environments = arguments.across_environments,
                                 .across_protocols = arguments.across_protocols};
  auto by = metrics_of(arguments);
  if (!by) return refuse(by.error(), kWrongUsage);
  order.judged = *std::move(by);
  if (!is_read_as_one(arguments)) order.sides = {{sources->front()}, {sources->back()}};
  auto judged = campaign::judge_results(order, campaign::trusted_cache(installation));
  if (!judged) return tl::unexpected(report_refusal(judged.error()));
  return *std::move(judged);
}

report::Compared compared_of(const campaign::JudgedResults& judged) {
  return {&judged.comparison, judged.axis, metrics::noise_floors(judged.comparison), {}};
}

Result<std::size_t> write_comparison_page(const report::Compared& compared, const std::vector<std::string>& folders,
                                          const std::filesystem::path& page) {
  const std::string html = report::page::comparison_html(report::compare_document(compared, true),
                                                         text::join(folders, " → "), describe(this_revision()));
  if (const Status done = file::write_atomically(page, html); !done) return error_of(done);
  return html.size();
}

tl::expected<const report::Format*, ExitCode> format_of(const ComparisonArguments& arguments) {
  const auto format = arguments.format.among(report::compare_formats());
  if (!format) return refuse(format.error(), kWrongUsage);
  return *format;
}

void print_comparison(const report::Compared& compared, const report::Format& format, bool all) {
  const OutputShape shape = shape_of_stdout();
  const report::Document document = report::compare_document(compared, all);
  format.print(document, {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color}, print_table_text);
  if (format.is("github")) print_error(report::github_annotations(document));
}

}  // namespace ngb::app
