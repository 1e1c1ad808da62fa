// SPDX-License-Identifier: Apache-2.0
// ngb bisect: finds the first version of a compiler that is slower, fails, is inaccurate, is faster, or is worse by
// another metric.
#include <fmt/format.h>

#include <memory>

#include "apps/ngb/comparing.h"
#include "apps/ngb/explaining.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/wanted_toolchain.h"
#include "base/percent.h"
#include "campaign/bisect.h"
#include "campaign/study_file.h"
#include "campaign/two_sides.h"
#include "report/bisection.h"
#include "report/compare/outcomes.h"
#include "report/words.h"

namespace ngb::app {
namespace {

constexpr const char* kBisectExamples =
    "Exit codes: 0 found, 5 no single answer (undecided, or --to does not differ so); 2, 3 and 130 as "
    "everywhere.\nAfter any interruption, the same command continues.\n\n"
    "Examples:\n  ngb bisect study.yaml --compiler onnxruntime --from 1.27.0 --to 1.31.1\n"
    "  ngb bisect study.yaml --compiler onnxruntime --from 1.27.0 --to 1.31.1 --slower 10%\n"
    "  ngb bisect study.yaml --compiler openvino --from 2026.1.0 --to 2026.4.1 --inaccurate\n"
    "  ngb bisect study.yaml --compiler iree --from 3.8.0 --to 3.13.0 --faster 20%\n"
    "  ngb bisect study.yaml --compiler onnxruntime --from 1.27.0 --to 1.31.1 --metric "
    "memory_growth_bytes_per_inference";

struct BisectArguments {
  std::string study;
  std::string compiler;
  std::string from;
  std::string to;
  std::string slower = "3%";
  std::string faster;
  std::string metric;
  bool fails = false;
  bool inaccurate = false;
  bool explains = false;
  std::string output;
  FormatArguments format;
};

int refuse_usage(const Error& error) { return report_failure(error, kWrongUsage); }

// Returns the name of the compiler that the words name: a label of the study, or a compiler.
std::string compiler_named(const config::Study& study, const std::string& words) {
  for (const work::Compiler& compiler : study.compilers) {
    if (compiler.label == words) return compiler.name;
  }
  return words;
}

campaign::PairWords words_of(const metrics::Comparison& comparison, const metrics::ComparedPair& pair) {
  return {report::workload_on_device(*pair.candidate),
          report::why({.comparison = &comparison, .axis = metrics::Axis::version}, pair)};
}

int bisect(const Installation& installation, const BisectArguments& arguments) {
  const bool is_faster = !arguments.faster.empty();
  const auto percent =
      is_faster ? parse_percent(arguments.faster, "--faster") : parse_percent(arguments.slower, "--slower");
  if (!percent) return refuse_usage(percent.error());
  metrics::BisectionRules rules{.threshold_ratio = *percent / 100};
  if (is_faster) rules.fault = metrics::Fault::faster;
  if (arguments.fails) rules.fault = metrics::Fault::fails;
  if (arguments.inaccurate) rules.fault = metrics::Fault::inaccurate;
  if (!arguments.metric.empty()) {
    const auto by = metrics::parse_judged(arguments.metric, rules.threshold_ratio);
    if (!by) return refuse_usage(by.error());
    rules.by = *by;
    // By the speed it is the usual search, with the margin as its threshold.
    rules.fault = by->metric == nullptr ? metrics::Fault::slower : metrics::Fault::worse;
    if (by->metric == nullptr) rules.threshold_ratio = by->margin_ratio;
  }
  const auto format = arguments.format.among(report::bisection_formats());
  if (!format) return refuse_usage(format.error());
  if (const Status possible = arguments.explains ? check_can_explain(**format) : Status{}; !possible) {
    return refuse_usage(possible.error());
  }
  const auto plan = campaign::plan_study(installation, arguments.study, print_error);
  if (!plan) return report_refusal(plan.error());
  const auto wanted = find_wanted(installation, compiler_named(plan->study, arguments.compiler));
  if (!wanted) return refuse_usage(wanted.error());
  const Status clear = campaign::check_sides(plan->study, arguments.compiler + "@" + arguments.from,
                                             arguments.compiler + "@" + arguments.to);
  if (!clear) return refuse_usage(clear.error());
  const std::filesystem::path path = arguments.output.empty() ? plan->study.output.string() + "-bisect"
                                                              : std::filesystem::absolute(arguments.output).string();
  RunDisplay display;
  const auto bisected = campaign::bisect(installation,
                                         {.plan = *plan,
                                          .compiler = arguments.compiler,
                                          .description = wanted->compiler,
                                          .from = arguments.from,
                                          .to = arguments.to,
                                          .rules = rules,
                                          .folder = path,
                                          .words_of = words_of},
                                         display);
  if (!bisected) return report_refusal(bisected.error());
  const OutputShape shape = shape_of_stdout();
  print_table_text((*format)->write(report::bisection_document(*bisected),
                                    {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color}));
  if (arguments.explains && bisected->end) {
    const auto version = [&](std::size_t index) { return arguments.compiler + "@" + bisected->versions[index]; };
    (void)explain_after(installation, arguments.study,
                        {.baseline = version(bisected->end->last_good), .candidate = version(bisected->end->first_bad)},
                        path / "explain", **format);
  }
  return bisected->end && bisected->end->is_certain() ? kSuccess : kUndecided;
}

}  // namespace

void add_bisect(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<BisectArguments>();
  CLI::App* command =
      app.add_subcommand("bisect", "Find the version of a compiler that made a study slower, wrong or faster");
  command->add_option("study", arguments->study, "Study file (YAML)")->required();
  command->add_option("--compiler", arguments->compiler, "The compiler, or the label of one in the study")->required();
  command->add_option("--from", arguments->from, "The older version, with which others are compared")->required();
  command->add_option("--to", arguments->to, "The newer version, which is slower, fails, …")->required();
  CLI::Option* slower =
      command->add_option("--slower", arguments->slower,
                          "Bad is a version that is shown to be slower and takes longer by more than this (3%)");
  CLI::Option* fails = command->add_flag("--fails", arguments->fails, "Bad is a version that fails");
  fails->excludes(slower);
  CLI::Option* inaccurate =
      command->add_flag("--inaccurate", arguments->inaccurate, "Bad is a version with wrong outputs");
  inaccurate->excludes(slower)->excludes(fails);
  CLI::Option* faster =
      command
          ->add_option("--faster", arguments->faster,
                       "Instead, find the first version that is shown to be faster, by more than this (such as 20%)")
          ->excludes(slower)
          ->excludes(fails)
          ->excludes(inaccurate);
  command
      ->add_option("--metric", arguments->metric,
                   "Bad is a version that is shown to be worse by this metric, by more than its margin: "
                   "timed_peak_bytes:5%, compile_total_s:20%, memory_growth_bytes_per_inference:1kB, …")
      ->excludes(slower)
      ->excludes(fails)
      ->excludes(inaccurate)
      ->excludes(faster);
  command->add_flag("--explain", arguments->explains, kExplainMeaning);
  command->add_option("-o,--output", arguments->output, "Folder of the bisection (default: the study's, with -bisect)");
  add_format_option(*command, arguments->format, report::bisection_formats(), kBisectExamples);
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return bisect(installation, *arguments); }; });
}

}  // namespace ngb::app
