// SPDX-License-Identifier: Apache-2.0
// ngb explain: says where the difference of two times arises, operator by operator.
#include <algorithm>
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/duration.h"
#include "apps/ngb/explaining.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/sources.h"
#include "campaign/kept_calibrations.h"
#include "paper/claims.h"

namespace ngb::app {
namespace {

constexpr const char* kExplainExamples =
    "Exit codes: 0 explained, 2 wrong usage, 3 no profile, or nothing that can be compared.\n\n"
    "Examples:\n  ngb explain my_study.yaml --baseline onnxruntime --candidate openvino\n"
    "  ngb explain my_study.yaml --baseline onnxruntime@1.30.0 --candidate onnxruntime@1.31.1 --rounds 10\n"
    "  ngb explain results/my_study-explain/20261127T153000Z --baseline onnxruntime --candidate openvino --all\n"
    "  ngb explain results/my_study-explain/20261127T153000Z --fusions\n"
    "  ngb explain results/blocks --depth\n"
    "  ngb explain results/my_study-explain/20261127T153000Z --format trace > inference.json";

struct ExplainArguments {
  SourcesArguments sources{};
  std::map<std::string, std::vector<std::string>> wanted{};
  std::string axis{};  // "" if not given
  std::string baseline{};
  std::string candidate{};
  int rounds = campaign::kProfileRounds;
  std::string budget{};
  std::string output{};
  bool all = false;
  bool fusions = false;
  bool depth = false;
  bool kernels = false;
  FormatArguments format{};
};

bool is_study(const std::string& given) {
  return std::filesystem::is_regular_file(given) && std::filesystem::path(given).extension() != ".db";
}

// If the arguments name a study, profiles its two sides and makes the arguments name their results.
tl::expected<ExplainArguments, ExitCode> with_results(const Installation& installation, ExplainArguments arguments) {
  const std::string first = arguments.sources.folders.front();
  if (!is_study(first)) return arguments;
  const auto refuse = [](const Error& error) {
    report_failure(error, kWrongUsage);
    return tl::unexpected(kWrongUsage);
  };
  if (arguments.sources.folders.size() > 1 || arguments.baseline.empty() || arguments.candidate.empty() ||
      !arguments.axis.empty()) {
    return refuse(
        {"a study is profiled for two compilers", first,
         "give one study, and no --by; each side is NAME or NAME@VERSION, for example: --baseline onnxruntime@1.30.0 "
         "--candidate onnxruntime@1.31.1"});
  }
  campaign::ProfileSides sides{
      .baseline = arguments.baseline, .candidate = arguments.candidate, .rounds = arguments.rounds};
  if (!arguments.budget.empty()) {
    const auto budget = parse_duration(arguments.budget, "--budget");
    if (!budget) return refuse(budget.error());
    sides.budget = *budget;
  }
  RunDisplay display(RunDisplay::Options{.hides_speeds = true});
  auto measured = campaign::profile_sides(installation, first, sides, arguments.output, display);
  if (!measured) return tl::unexpected(report_refusal(measured.error()));
  arguments.sources.folders = {measured->results.string()};
  arguments.axis = "compiler";
  arguments.baseline = measured->baseline;
  arguments.candidate = measured->candidate;
  return arguments;
}

Result<report::ExplainOrder> order_of(const ExplainArguments& arguments) {
  report::ExplainOrder order{
      .baseline = arguments.baseline, .candidate = arguments.candidate, .wanted = arguments.wanted};
  auto sources = sources_of(arguments.sources);
  if (!sources) return error_of(sources);
  order.sources = *std::move(sources);
  if (arguments.baseline.empty() != arguments.candidate.empty()) {
    return fail("--baseline and --candidate need each other", {}, "give both");
  }
  const auto axis = arguments.axis.empty() ? metrics::axis_meant_by(arguments.baseline, arguments.candidate)
                                           : metrics::parse_axis(arguments.axis);
  if (!axis) return error_of(axis);
  order.axis = *axis;
  if (order.axis == metrics::Axis::results) {
    return fail("results folders are read as one here", {}, "compare by a property of cells, such as version");
  }
  return order;
}

int explain(const Installation& installation, const ExplainArguments& given) {
  const auto format = given.format.among(report::explain_formats());
  if (!format) return report_failure(format.error(), kWrongUsage);
  const auto arguments = with_results(installation, given);
  if (!arguments) return arguments.error();
  const bool lists_cells =
      arguments->fusions || arguments->depth || arguments->kernels || report::draws_kernels(**format);
  if (!lists_cells && arguments->baseline.empty()) {
    return report_failure({"which two sides?", arguments->sources.folders.front(),
                           "give --baseline and --candidate, or ask for --fusions, --depth or --kernels"},
                          kWrongUsage);
  }
  auto order = order_of(*arguments);
  if (!order) return report_failure(order.error(), kWrongUsage);
  order->peak_of = campaign::peaks_in(campaign::trusted_cache(installation));
  const auto profiles = report::explain_results(*order);
  if (!profiles) return refuse_profiles(profiles.error());
  if (!lists_cells) return print_pairs(*profiles, **format, arguments->all);
  const std::vector<report::ProfiledCell> cells = report::profiled_cells(*profiles);
  print_explained(arguments->fusions ? report::fusions_document(cells)
                  : arguments->depth ? report::depth_document(cells, paper::claims())
                                     : report::kernels_document(cells),
                  **format, arguments->all);
  return cells.empty() ? report_failure({"no cell has a profile", arguments->sources.folders.front(),
                                         "ngb show says why, in the column of failures"},
                                        kCannotGoOn)
                       : kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand("explain", "Say where a difference of times arises, operator by operator");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->sources, "A study to profile now, or results folders with profiles", 1,
                     kMostFolders);
  add_filter_options(*command, arguments->wanted);
  command->add_option("--by", arguments->axis,
                      "The axis in which the sides differ: compiler, version, options, device, threads, …");
  command->add_option("--baseline", arguments->baseline,
                      "The baseline's value on that axis; without --by, a compiler: NAME or NAME@VERSION");
  command->add_option("--candidate", arguments->candidate, "The candidate's value, likewise");
  command->add_option("--rounds", arguments->rounds, "Of a study: processes of each side, in turns (5)")
      ->check(CLI::Range(1, 100));
  command->add_option("--budget", arguments->budget, "Of a study: stop after this time (90s, 10m, 2h)");
  command->add_option("-o,--output", arguments->output,
                      "Of a study: its results folder; one that exists is resumed (default: a new one)");
  command->add_flag("--fusions", arguments->fusions, "What each compiler fuses, instead of a comparison");
  command->add_flag("--depth", arguments->depth,
                    "Stacks of blocks over their depth, and what the paper supposes of them, instead of a comparison");
  command->add_flag("--kernels", arguments->kernels, "All kernel calls of one inference, instead of a comparison");
  command->add_flag("--all", arguments->all, "List every region");
  add_format_option(*command, arguments->format, report::explain_formats(), kExplainExamples);
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return explain(installation, *arguments); }; });
}

}  // namespace ngb::app
