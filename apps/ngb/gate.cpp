// SPDX-License-Identifier: Apache-2.0
// ngb gate: judges two sides of stored results and fails if the candidate got worse.
#include <charconv>
#include <memory>

#include "apps/ngb/comparing.h"
#include "base/text.h"

namespace ngb::app {
namespace {

constexpr const char* kGateExamples =
    "Exit codes: 0 passed, 4 slower or newly failing, 5 undecided (with --fail-if-undecided); 2 and 3 as "
    "everywhere.\n\n"
    "Examples:\n  ngb gate results/main results/change --fail-if-slower 3%\n"
    "  ngb gate results/versions --baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1\n"
    "  ngb gate results/main results/change --format github >> \"$GITHUB_STEP_SUMMARY\"";

struct GateArguments {
  ComparisonArguments comparison;
  std::string slower = "3%";
  bool fails_if_undecided = false;
};

// Parses "3%" or "3".
Result<double> parse_percent(const std::string& given) {
  std::string_view digits = text::trim(given);
  if (digits.ends_with('%')) digits = text::trim(digits.substr(0, digits.size() - 1));
  double percent = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  constexpr double kMostPercent = 1000;
  const bool is_number = problem == std::errc{} && end == digits.data() + digits.size();
  if (is_number && percent >= 0 && percent <= kMostPercent) return percent;
  return fail("\"" + given + "\" is no share", "--fail-if-slower", "expected 0% to 1000%, for example 3%");
}

ExitCode exit_code_of(metrics::GateOutcome outcome) {
  switch (outcome) {
    case metrics::GateOutcome::passed:
      return kSuccess;
    case metrics::GateOutcome::failed:
      return kSlower;
    case metrics::GateOutcome::undecided:
      return kUndecided;
    case metrics::GateOutcome::nothing_judged:
      break;
  }
  return kCannotGoOn;
}

int gate(const GateArguments& arguments) {
  const auto percent = parse_percent(arguments.slower);
  if (!percent) return report_failure(percent.error(), kWrongUsage);
  const auto format = format_of(arguments.comparison);
  if (!format) return format.error();
  const auto judged = judge_results(arguments.comparison, metrics::Adjustment::holm);
  if (!judged) return judged.error();
  const metrics::Gate outcome = metrics::gate(
      judged->comparison, {.slower_ratio = *percent / 100, .fails_if_undecided = arguments.fails_if_undecided});
  print_comparison({&judged->comparison, judged->axis, metrics::noise_floors(judged->comparison), outcome}, **format,
                   arguments.comparison.all);
  const ExitCode code = exit_code_of(outcome.outcome);
  if (outcome.outcome == metrics::GateOutcome::nothing_judged) {
    report_failure({"no pair has a speed on both sides, so the gate cannot judge", arguments.comparison.results.front(),
                    "the table above says of each pair which side failed or is not measured"},
                   code);
  }
  return code;
}

}  // namespace

void add_gate(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand("gate", "Fail if one side is slower than the other or newly fails");
  add_comparison_options(*command, arguments->comparison, kGateExamples);
  command->add_option("--fail-if-slower", arguments->slower,
                      "Fail if a cell is shown to be slower and takes longer by more than this (3%)");
  command->add_flag("--fail-if-undecided", arguments->fails_if_undecided,
                    "Fail with code 5 if a cell is undecided or not measured");
  command->callback([=, &chosen] { chosen = [=] { return gate(*arguments); }; });
}

}  // namespace ngb::app
