// SPDX-License-Identifier: Apache-2.0
// ngb bisect: finds the first version of a compiler that is slower, fails, is inaccurate, or is faster.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/bisect_folder.h"
#include "apps/ngb/bisect_steps.h"
#include "apps/ngb/comparing.h"
#include "apps/ngb/gate_study.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/wanted_toolchain.h"
#include "base/bisection.h"
#include "base/python.h"
#include "base/text.h"
#include "campaign/study_file.h"
#include "report/bisection.h"
#include "toolchain/python.h"
#include "toolchain/requirement.h"
#include "toolchain/toolchain.h"

namespace ngb::app {
namespace {

using nlohmann::json;
using report::Bisected;

constexpr const char* kBisectExamples =
    "Exit codes: 0 found, 5 no single answer (undecided, or --to does not differ so); 2, 3 and 130 as "
    "everywhere.\nAfter any interruption, the same command continues.\n\n"
    "Examples:\n  ngb bisect study.yaml --compiler onnxruntime --from 1.27.0 --to 1.31.1\n"
    "  ngb bisect study.yaml --compiler onnxruntime --from 1.27.0 --to 1.31.1 --slower 10%\n"
    "  ngb bisect study.yaml --compiler openvino --from 2026.1.0 --to 2026.4.1 --inaccurate\n"
    "  ngb bisect study.yaml --compiler iree --from 3.8.0 --to 3.13.0 --faster 20%";

struct BisectArguments {
  std::string study;
  std::string compiler;
  std::string from;
  std::string to;
  std::string slower = "3%";
  std::string faster;
  bool fails = false;
  bool inaccurate = false;
  std::string output;
  std::string format = "text";
  bool json = false;
};

int refuse_usage(const Error& error) { return report_failure(error, kWrongUsage); }

// Returns the name of the compiler that the words name: a label of the study, or a compiler.
std::string compiler_named(const config::Study& study, const std::string& words) {
  for (const work::Compiler& compiler : study.compilers) {
    if (compiler.label == words) return compiler.name;
  }
  return words;
}

// The fault is not part of it: whatever is measured for one search answers another one too.
// The study names files; what they hold takes part in it too, so that no half of a search is of another model.
json question_of(const plan::Plan& plan, const BisectArguments& arguments) {
  json contents = json::object();
  for (const work::Model& model : plan.models) {
    contents[fmt::format("{}, batch {}", model.label, model.key.batch)] = model.key.hash;
  }
  return {{"study", config::to_json(plan.study)},
          {"model_contents", std::move(contents)},
          {"compiler", arguments.compiler},
          {"from", arguments.from},
          {"to", arguments.to}};
}

// Returns the versions to search, from pip's index. Fails if an end is neither there nor installed.
Result<std::vector<std::string>> list_versions(const Installation& installation, const std::string& from,
                                               const std::string& to, const toolchain::CompilerDescription& compiler) {
  const auto all = toolchain::available_versions(compiler);
  if (!all) return error_of(all);
  const std::string python = python::default_command();
  for (const std::string& end : {from, to}) {
    const auto installed = toolchain::find(installation.toolchains, compiler.toolchain, end);
    const bool is_there = installed && installed->has_value();
    if (is_there || std::find(all->begin(), all->end(), end) != all->end()) continue;
    const auto near = toolchain::nearest_versions(python, compiler.toolchain + "==" + end, *all);
    return fail(fmt::format("no such version: {} {}", compiler.toolchain, end), "",
                near ? "versions near it: " + text::join(*near, ", ") : "");
  }
  return toolchain::versions_between(python, from, to, *all);
}

// Returns the bisection in the folder, or a new one. Prints what prevents that, and returns the exit code.
tl::expected<BisectFolder, ExitCode> open_bisection(const Installation& installation, const std::filesystem::path& path,
                                                    const json& question,
                                                    const toolchain::CompilerDescription& compiler) {
  const auto refused = [](const Error& error, ExitCode code) {
    report_failure(error, code);
    return tl::unexpected(code);
  };
  auto found = BisectFolder::find(path);
  if (!found) return refused(found.error(), kCannotGoOn);
  if (found->has_value()) {
    const std::vector<std::string> differences = (**found).differences(question);
    if (differences.empty()) return **std::move(found);
    return refused({"this folder has another bisection, which differs in: " + text::join(differences, ", "),
                    path.string(), "repeat the command that began it, or choose another folder with --output"},
                   kWrongUsage);
  }
  if (const auto python = toolchain::find_python(); !python) return refused(python.error(), kCannotGoOn);
  const std::string from = question.at("from");
  const std::string to = question.at("to");
  if (const auto ends = toolchain::versions_between(python::default_command(), from, to, {}); !ends) {
    return refused({ends.error().what, ends.error().where, "--from is the older version, --to the newer one"},
                   kWrongUsage);
  }
  auto versions = list_versions(installation, from, to, compiler);
  if (!versions) return refused(versions.error(), kCannotGoOn);
  auto made = BisectFolder::create(path, question, *std::move(versions));
  if (!made) return refused(made.error(), kCannotGoOn);
  return *std::move(made);
}

// Checks that the search can begin: the baseline works, and the last version was measured. Returns the reason if not.
std::optional<Error> problem_of_ends(const BisectStep& last, const Bisected& bisected) {
  const std::string& from = bisected.versions.front();
  const std::string& to = bisected.versions.back();
  if (last.tried.finding != Finding::unusable) return std::nullopt;
  if (last.has_failed_baseline) {
    return Error{fmt::format("--from must work, and {} {} does not: {}", bisected.compiler, from, last.tried.why),
                 last.tried.results, "choose another version as --from"};
  }
  const std::string next = bisected.fault == metrics::Fault::fails
                               ? "choose another version as --to"
                               : "choose another version as --to, or search for the first failing one with --fails "
                                 "(--inaccurate: with wrong outputs)";
  return Error{fmt::format("--to cannot be judged: {} {}: {}", bisected.compiler, to, last.tried.why),
               last.tried.results, next};
}

void tell_of_step(const Bisected& bisected, const report::TriedVersion& tried) {
  warn("ngb: bisect: {} {}: {}{}\n", bisected.compiler, tried.version, report::word_of(tried.finding, bisected.fault),
       tried.finding == Finding::unusable && !tried.why.empty() ? ": " + tried.why : "");
}

// Searches between the two ends. Returns the exit code of a step that could not be taken.
tl::expected<Done, ExitCode> search(BisectSteps& steps, Bisected& bisected) {
  const std::vector<std::string>& versions = bisected.versions;
  const auto stopped = [&bisected](ExitCode code) {
    warn("ngb: bisect: nothing is lost: what was measured is in {}; the same command continues\n", bisected.folder);
    return tl::unexpected(code);
  };
  auto last = steps.take(versions.back());
  if (!last) return stopped(last.error());
  if (const auto problem = problem_of_ends(*last, bisected)) {
    report_failure(*problem, kCannotGoOn);
    return tl::unexpected(kCannotGoOn);
  }
  tell_of_step(bisected, last->tried);
  bisected.cells = last->cells;
  bisected.cells_that_count = last->bad_cells.size();
  std::vector<std::optional<report::TriedVersion>> tried(versions.size());
  std::vector<std::optional<Finding>> findings(versions.size());
  findings.front() = Finding::good;
  findings.back() = last->tried.finding;
  tried.back() = std::move(last->tried);
  if (findings.back() == Finding::bad) {
    steps.count_only(std::move(last->bad_cells));
    bisected.end = bisect(findings);
    while (bisected.end->next) {
      const std::size_t next = *bisected.end->next;
      warn("ngb: bisect: trying {} {}; about {} step{} left\n", bisected.compiler, versions[next],
           bisected.end->steps_left, bisected.end->steps_left == 1 ? "" : "s");
      auto step = steps.take(versions[next]);
      if (!step) return stopped(step.error());
      tell_of_step(bisected, step->tried);
      findings[next] = step->tried.finding;
      tried[next] = std::move(step->tried);
      bisected.end = bisect(findings);
    }
  }
  for (auto& each : tried) {
    if (each) bisected.tried.push_back(*std::move(each));
  }
  return Done{};
}

int bisect(const Installation& installation, const BisectArguments& arguments) {
  const bool is_faster = !arguments.faster.empty();
  const auto percent =
      is_faster ? parse_percent(arguments.faster, "--faster") : parse_percent(arguments.slower, "--slower");
  if (!percent) return refuse_usage(percent.error());
  metrics::StepRules rules{.threshold_ratio = *percent / 100};
  if (is_faster) rules.fault = metrics::Fault::faster;
  if (arguments.fails) rules.fault = metrics::Fault::fails;
  if (arguments.inaccurate) rules.fault = metrics::Fault::inaccurate;
  const auto format = report::find_bisection_format(arguments.json ? "json" : arguments.format);
  if (!format) return refuse_usage(format.error());
  const auto plan = campaign::plan_study(installation, arguments.study, print_error);
  if (!plan) return report_refusal(plan.error());
  const auto wanted = find_wanted(installation, compiler_named(plan->study, arguments.compiler));
  if (!wanted) return refuse_usage(wanted.error());
  const Status clear = check_sides(plan->study, {.baseline = arguments.compiler + "@" + arguments.from,
                                                 .candidate = arguments.compiler + "@" + arguments.to});
  if (!clear) return refuse_usage(clear.error());
  const std::filesystem::path path = arguments.output.empty() ? plan->study.output.string() + "-bisect"
                                                              : std::filesystem::absolute(arguments.output).string();
  auto folder = open_bisection(installation, path, question_of(*plan, arguments), wanted->compiler);
  if (!folder) return folder.error();
  Bisected bisected{.compiler = arguments.compiler,
                    .fault = rules.fault,
                    .threshold_ratio = rules.threshold_ratio,
                    .versions = folder->versions(),
                    .folder = path.string()};
  warn("ngb: bisect: {} versions: {}\n", bisected.versions.size(), text::join(bisected.versions, ", "));
  BisectSteps steps(installation, *folder, wanted->compiler, *plan, rules);
  if (const auto searched = search(steps, bisected); !searched) return searched.error();
  const OutputShape shape = shape_of_stdout();
  print_table_text((*format)->show(bisected, {.width = shape.width, .color = shape.has_color}));
  return bisected.end && bisected.end->is_certain() ? kSuccess : kUndecided;
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
  command
      ->add_option("--faster", arguments->faster,
                   "Instead, find the first version that is shown to be faster, by more than this (such as 20%)")
      ->excludes(slower)
      ->excludes(fails)
      ->excludes(inaccurate);
  command->add_option("-o,--output", arguments->output, "Folder of the bisection (default: the study's, with -bisect)");
  CLI::Option* format = command->add_option("--format", arguments->format, "Output format (default: text); see below");
  command->add_flag("--json", arguments->json, "Short for --format json")->excludes(format);
  std::string formats = "Formats:\n";
  for (const report::BisectionFormat& each : report::bisection_formats()) {
    formats += fmt::format("  {:<10}{}\n", each.name, each.meaning);
  }
  command->footer(formats + "\n" + kBisectExamples);
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return bisect(installation, *arguments); }; });
}

}  // namespace ngb::app
