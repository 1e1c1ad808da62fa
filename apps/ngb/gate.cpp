// SPDX-License-Identifier: Apache-2.0
// ngb gate: judges two sides, which are stored results or measured now, and fails if the candidate got worse.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "apps/ngb/comparing.h"
#include "apps/ngb/duration.h"
#include "apps/ngb/explaining.h"
#include "apps/ngb/run_display.h"
#include "base/percent.h"
#include "campaign/two_sides.h"

namespace ngb::app {
namespace {

constexpr const char* kGateExamples =
    "Exit codes: 0 passed, or nothing is decided; 4 slower or newly failing; 5 with --fail-if-undecided, if anything "
    "is "
    "undecided; 2 and 3 as everywhere.\n\n"
    "Examples:\n  ngb gate results/main results/change --fail-if-slower 3%\n"
    "  ngb gate study.yaml --baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1\n"
    "  ngb gate results/versions --baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1\n"
    "  ngb gate results/main results/change --format github >> \"$GITHUB_STEP_SUMMARY\"";

struct GateArguments {
  ComparisonArguments comparison;
  std::string output;  // of a study that is measured now
  std::string slower;  // "": as the margin of throughput_per_s, or 3 %
  bool fails_if_undecided = false;
  bool self_test = false;
  bool explains = false;
  std::string budget;  // "": none
  int turns = config::kUsualTurns;
};

ExitCode exit_code_of(const metrics::Gate& gate) {
  switch (gate.outcome) {
    case metrics::GateOutcome::passed:
      return kSuccess;
    case metrics::GateOutcome::failed:
      return kSlower;
    case metrics::GateOutcome::undecided:
      return gate.rules.fails_if_undecided ? kUndecided : kSuccess;
    case metrics::GateOutcome::nothing_judged:
      break;
  }
  return kCannotGoOn;
}

// If the arguments name a study, measures its two sides and makes the arguments name their results.
tl::expected<ComparisonArguments, ExitCode> results_to_judge(const Installation& installation,
                                                             const GateArguments& arguments) {
  ComparisonArguments stored = arguments.comparison;
  const std::string& first = stored.results.folders.front();
  if (!std::filesystem::is_regular_file(first)) return stored;
  if (stored.results.folders.size() > 1 || !stored.results.renamings.empty() || stored.baseline.empty() ||
      stored.candidate.empty() || !stored.axis.empty()) {
    report_failure(
        {"a study is measured for two compilers", first,
         "give one study, --baseline and --candidate, for example: --baseline onnxruntime@1.30.0 --candidate "
         "onnxruntime@1.31.1"},
        kWrongUsage);
    return tl::unexpected(kWrongUsage);
  }
  campaign::Sides sides{
      .baseline = stored.baseline, .candidate = stored.candidate, .margin_ratio = stored.margin_percent / 100};
  sides.turns = arguments.turns;
  auto judged = metrics_of(stored);
  if (!judged) {
    report_failure(judged.error(), kWrongUsage);
    return tl::unexpected(kWrongUsage);
  }
  sides.judged = *std::move(judged);
  if (!arguments.budget.empty()) {
    const auto budget = parse_duration(arguments.budget, "--budget");
    if (!budget) {
      report_failure(budget.error(), kWrongUsage);
      return tl::unexpected(kWrongUsage);
    }
    sides.budget = *budget;
  }
  RunDisplay display;
  auto measured = campaign::measure_sides(installation, first, sides, arguments.output, display);
  if (!measured) return tl::unexpected(report_refusal(measured.error()));
  stored.results = {{measured->results.string()}, {}};
  stored.axis = "compiler";
  stored.baseline = measured->baseline;
  stored.candidate = measured->candidate;
  return stored;
}

// Profiles are made of a study; results that are stored have none.
Status check_explain(const GateArguments& arguments, const report::Format& format) {
  if (!arguments.explains) return Done{};
  const std::string& first = arguments.comparison.results.folders.front();
  if (!std::filesystem::is_regular_file(first)) {
    return fail("--explain profiles a study, and these are results", first,
                "give the study, or run `ngb explain STUDY`");
  }
  return check_can_explain(format);
}

// Returns the exit code, after printing why a gate could not judge.
ExitCode verdict_of(const report::Compared& compared, const std::string& results) {
  const ExitCode code = exit_code_of(*compared.gate);
  if (compared.gate->outcome == metrics::GateOutcome::nothing_judged) {
    report_failure({"no pair can be judged, so the gate cannot decide", results,
                    "the table above says of each pair which side failed or is not measured"},
                   code);
  } else if (code == kSuccess && compared.self_test && compared.self_test->found == 0) {
    report_failure({"the gate cannot fail: it does not find candidates that are slowed on purpose", results,
                    "measure more rounds: raise `processes` in the study"},
                   kCannotGoOn);
    return kCannotGoOn;
  }
  return code;
}

// Returns by what share a cell may be slower. Two different ones contradict each other.
Result<double> slower_ratio_of(const GateArguments& arguments) {
  constexpr double kUsual = 0.03;
  const auto& metrics = arguments.comparison.metrics;
  const auto margin =
      std::ranges::find_if(metrics, [](const std::string& given) { return given.starts_with("throughput_per_s:"); });
  std::optional<double> of_margin;
  if (margin != metrics.end()) {
    const auto judged = metrics::parse_judged(*margin, kUsual);
    if (!judged) return error_of(judged);
    of_margin = judged->margin_ratio;
  }
  if (arguments.slower.empty()) return of_margin.value_or(kUsual);
  const auto percent = parse_percent(arguments.slower, "--fail-if-slower");
  if (!percent) return error_of(percent);
  if (of_margin.value_or(*percent / 100) == *percent / 100) return *percent / 100;
  return fail(fmt::format("two limits of the speed: --metric {} and --fail-if-slower {}", *margin, arguments.slower),
              {}, "give one of them");
}

int gate(const Installation& installation, const GateArguments& arguments) {
  const auto slower_ratio = slower_ratio_of(arguments);
  if (!slower_ratio) return report_failure(slower_ratio.error(), kWrongUsage);
  if (arguments.self_test && !arguments.comparison.metrics.empty()) {
    return report_failure(
        {"--self-test slows candidates down, so it is of the speed", "--metric", "leave one of the two out"},
        kWrongUsage);
  }
  const auto format = format_of(arguments.comparison);
  if (!format) return format.error();
  if (const Status possible = check_explain(arguments, **format); !possible) {
    return report_failure(possible.error(), kWrongUsage);
  }
  const auto stored = results_to_judge(installation, arguments);
  if (!stored) return stored.error();
  const auto judged = judge_results(installation, *stored, statistics::Adjustment::holm);
  if (!judged) return judged.error();
  const metrics::GateRules rules{.slower_ratio = *slower_ratio, .fails_if_undecided = arguments.fails_if_undecided};
  report::Compared compared{.comparison = &judged->comparison,
                            .axis = judged->axis,
                            .noise = metrics::noise_floors(judged->comparison),
                            .gate = metrics::gate(judged->comparison, rules)};
  if (arguments.self_test) {
    const auto tested = metrics::self_test(judged->comparison, judged->loaded.size() == 1, judged->axis, rules);
    if (!tested) return report_failure(tested.error(), kCannotGoOn);
    compared.self_test = *tested;
  }
  print_comparison(compared, **format, arguments.comparison.all);
  const std::string& results = stored->results.folders.front();
  const ExitCode verdict = verdict_of(compared, results);
  if (arguments.explains) {
    (void)explain_after(installation, arguments.comparison.results.folders.front(),
                        {.baseline = arguments.comparison.baseline, .candidate = arguments.comparison.candidate},
                        results + "-explain", **format);
  }
  return verdict;
}

}  // namespace

void add_gate(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand("gate", "Fail if one side is slower than the other or newly fails");
  add_comparison_options(
      *command, arguments->comparison,
      "Results folders: baseline and candidate, or one that contains both; or a study to measure now", kGateExamples);
  command->add_option("--fail-if-slower", arguments->slower,
                      "Fail if a cell is shown to be slower and takes longer by more than this (3%)");
  command->add_flag("--fail-if-undecided", arguments->fails_if_undecided,
                    "Fail with code 5 if a cell is undecided or not measured");
  command->add_option("--budget", arguments->budget,
                      "A study that is measured now: stop after this time (90s, 10m, 2h) if not everything is decided");
  command
      ->add_option(
          "--turns", arguments->turns,
          "A study that is measured now and says nothing of `turns`: in how many both sides alternate (20); 1: "
          "one process after the other")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--self-test", arguments->self_test,
                    "Show that the gate can fail: judge again with candidates that are slowed on purpose");
  command->add_flag("--explain", arguments->explains, kExplainMeaning);
  command->add_option(
      "-o,--output", arguments->output,
      "Results folder of a study that is measured now; one that exists is resumed (default: a new one)");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return gate(installation, *arguments); }; });
}

}  // namespace ngb::app
