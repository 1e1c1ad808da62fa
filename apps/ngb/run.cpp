// SPDX-License-Identifier: Apache-2.0
// ngb run: plans the study, sends each device its share, records the results and shows the table.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/ngb/command.h"
#include "apps/ngb/dry_run.h"
#include "apps/ngb/duration.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/live_page.h"
#include "apps/ngb/part.h"
#include "apps/ngb/plan_remarks.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/run_outcome.h"
#include "apps/ngb/terminal.h"
#include "base/clock.h"
#include "campaign/measure.h"
#include "campaign/missing_toolchains.h"
#include "campaign/models_study.h"
#include "campaign/set_aside.h"
#include "campaign/study_file.h"
#include "report/show/show.h"

namespace ngb::app {
namespace {

using campaign::Compilers;
using campaign::Ending;

struct RunArguments {
  std::string study{};
  std::vector<std::string> what{};  // of ngb run: the study, or models
  std::string threads{};            // of models
  PartArguments part{};
  std::string output{};
  bool again = false;  // earlier results are set aside
  bool retry_failed = false;
  bool only_fetch = false;
  bool accepts_new_build = false;
  bool no_install = false;
  bool no_report = false;  // no page is written
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
  FormatArguments format{};
  std::string budget{};                // as the user gave it; "": none
  std::optional<std::string> serve{};  // where the live page is served, as the user gave it; nothing: nowhere
};

// Returns the study of what was named: the file itself, or one that is written for the models.
Result<std::string> study_of(const Installation& installation, RunArguments& arguments) {
  for (const std::string& word : arguments.what) {
    const Result<bool> is_model = campaign::is_model(installation, word);
    if (!is_model) return error_of(is_model);
    if (*is_model) continue;
    if (arguments.what.size() > 1) return fail("this is no model, and only one study is run at a time", word);
    if (!arguments.threads.empty()) return fail("a study has its own threads", word, "edit it");
    return word;
  }
  std::vector<std::string>& compilers = arguments.part.wanted["compiler"];
  std::vector<std::string>& batch_sizes = arguments.part.wanted["batch"];
  const auto file = campaign::write_models_study(installation,
                                                 {.models = arguments.what,
                                                  .compilers = std::exchange(compilers, {}),
                                                  .batch_sizes = std::exchange(batch_sizes, {}),
                                                  .threads = arguments.threads,
                                                  .output = arguments.output},
                                                 print_error);
  if (!file) return error_of(file);
  say("Study: {}\n", file->string());
  return file->string();
}

// Finds the plan's toolchains, after installing those that are missing.
Result<Compilers> find_compilers(const Installation& installation, const RunArguments& arguments,
                                 const plan::Plan& plan) {
  auto compilers = Compilers::find(installation, plan);
  const bool may_install = !arguments.no_install && !arguments.only_fetch;
  if (!compilers || !may_install || !campaign::install_missing(installation, plan.study, *compilers, print_error)) {
    return compilers;
  }
  return Compilers::find(installation, plan);
}

// Prints which toolchains are missing. Returns an error if the reference's is missing, because then no output could be
// checked.
Status check_toolchains(const Compilers& compilers, const plan::Plan& plan) {
  const config::Study& study = plan.study;
  if (const std::string weights = weights_remark(plan); !weights.empty()) warn("ngb: {}\n", weights);
  const bool has_local = std::any_of(study.devices.begin(), study.devices.end(),
                                     [](const config::DeviceEntry& device) { return config::is_here(device); });
  if (!has_local) return Done{};  // devices elsewhere check their own toolchains
  if (study.reference != "none" && compilers.is_missing(study.reference, study.reference_version)) {
    const std::string name = study.reference + "@" + study.reference_version;
    return fail("outputs cannot be checked: the reference " + name + " is not installed", study.path.string(),
                "run: ngb toolchain install " + name + " (or, to measure unchecked, set `reference: none`)");
  }
  if (const std::string code = plan::foreign_code(plan); !code.empty()) warn("{}\n", code);
  if (const std::string quota = quota_remark(plan); !quota.empty()) warn("ngb: {}\n", quota);
  for (const std::string& line : toolchain_remarks(compilers, plan)) warn("ngb: {}\n", line);
  return Done{};
}

// Prints how the measuring ended, writes the report if it is wanted, and shows the end of the run on the live page, if
// there is one. Returns the exit code.
int tell_ending(const Installation& installation, const RunArguments& arguments, const std::filesystem::path& results,
                const Compilers& compilers, Ending ending, LivePage* page) {
  if (ending == Ending::stopped) {
    tell_what_was_measured(results);
    if (page != nullptr) page->end("The run was stopped; the results so far are kept.", "");
    return kInterrupted;
  }
  const auto states = states_of(results);
  if (!states) return report_failure(states.error(), kCannotGoOn);
  const auto end_with_report = [&](const std::string& how) {
    const std::filesystem::path report =
        arguments.no_report ? std::filesystem::path() : write_report_of_run(results, states->size()).value_or("");
    tell_how_to_export(results, compilers);
    if (page != nullptr) page->end(how, report);
  };
  if (ending == Ending::out_of_time) {
    const int code = print_what_the_budget_allowed(installation, results, *states, arguments.format, arguments.budget);
    end_with_report("The budget is used up.");
    return code;
  }
  const int code = print_outcome(installation, results, *states, arguments.format);
  say("\nResults: {}\n", results.string());
  end_with_report(code == kSomeCellsFailed ? "The run has ended; some cells have no result." : "The run has ended.");
  if (code == kSomeCellsFailed) say("To try the failed cells again: ngb resume {} --retry-failed\n", results.string());
  return code;
}

// Returns the plan of what was asked for, to be measured in its folder, of which earlier results are set aside if they
// are not to be continued.
Result<plan::Plan> set_up(const Installation& installation, const RunArguments& arguments, plan::Plan plan) {
  if (!arguments.output.empty()) plan.study.output = std::filesystem::absolute(arguments.output).lexically_normal();
  const std::filesystem::path& results = plan.study.output;
  if (const Status named = campaign::check_utf8_path(results); !named) return error_of(named);
  if (const Status taken = take_part(plan, arguments.part, results); !taken) return error_of(taken);
  if (!arguments.again) return plan;
  const auto aside = campaign::set_aside(installation, results, print_error);
  if (!aside) return error_of(aside);
  if (*aside)
    warn("ngb: the earlier results are in {0} now; to compare: ngb compare {0} {1}\n", (*aside)->string(),
         results.string());
  return plan;
}

// Measures the plan. Returns the exit code.
int measure_and_tell(const Installation& installation, const RunArguments& arguments, campaign::Order order) {
  const std::filesystem::path results = order.plan.study.output;
  const auto compilers = find_compilers(installation, arguments, order.plan);
  if (!compilers) return report_failure(compilers.error(), kCannotGoOn);
  if (const Status usable = check_toolchains(*compilers, order.plan); !usable) {
    return report_failure(usable.error(), kCannotGoOn);
  }
  std::unique_ptr<LivePage> page;
  if (arguments.serve) {
    auto begun = LivePage::begin(*arguments.serve, order.plan);
    if (!begun) return report_failure(begun.error(), kWrongUsage);
    page = *std::move(begun);
  }
  using Detail = ProgressLine::Detail;
  const Detail detail = arguments.quiet ? Detail::none : arguments.verbose ? Detail::all : Detail::usual;
  RunDisplay display({.detail = detail, .tells_teardown = true}, page.get());
  const Result<Ending> ending = campaign::measure(installation, std::move(order), *compilers, display);
  if (!ending) {
    if (page) page->end("The run could not go on: " + ending.error().what, "");
    if (display.has_finished_device()) {
      if (const auto states = states_of(results)) print_outcome(installation, results, *states, arguments.format);
      say("\nResults: {}\n", results.string());
    }
    return report_failure(ending.error(), kCannotGoOn);
  }
  if (!arguments.only_fetch) return tell_ending(installation, arguments, results, *compilers, *ending, page.get());
  say("recorded what the devices have done so far; to see their progress, run: ngb status {}\n", results.string());
  return kSuccess;
}

int run(const Installation& installation, RunArguments arguments) {
  const auto format = arguments.format.among(report::show_formats());
  if (!format) return report_failure(format.error(), kWrongUsage);
  if (!arguments.format.is_text()) send_words_to(stderr);
  if (arguments.quiet) send_words_to(nullptr);
  if (!arguments.what.empty()) {
    const Result<std::string> study = study_of(installation, arguments);
    if (!study) return report_failure(study.error(), kWrongUsage);
    arguments.study = *study;
  }
  campaign::Order order{.retry_failed = arguments.retry_failed || arguments.part.only_failed,
                        .only_fetch = arguments.only_fetch,
                        .accepts_new_build = arguments.accepts_new_build};
  if (!arguments.budget.empty()) {
    const auto budget = parse_duration(arguments.budget, "--budget");
    if (!budget) return report_failure(budget.error(), kWrongUsage);
    order.deadline = system_clock().now() + *budget;
  }
  auto planned = campaign::plan_study(installation, arguments.study, print_error);
  if (!planned) return report_refusal(planned.error());
  if (arguments.dry_run) return print_requests(installation, planned->study.devices);
  auto plan = set_up(installation, arguments, *std::move(planned));
  if (!plan) return report_failure(plan.error(), kWrongUsage);
  order.plan = *std::move(plan);
  return measure_and_tell(installation, arguments, std::move(order));
}

void add_no_report(CLI::App& command, RunArguments& arguments) {
  command.add_flag("--no-report", arguments.no_report, "Do not write the page RESULTS/report/index.html at the end");
}

void add_serve(CLI::App& command, RunArguments& arguments) {
  command
      .add_option("--serve", arguments.serve,
                  "Serve a page that shows the run while it lasts, at 127.0.0.1 and a free port, or at this port or "
                  "address (ADDRESS:PORT); another address than this machine's own loopback demands a token, which is "
                  "in the address that is printed")
      ->expected(0, 1)
      ->default_str("")
      ->type_name("[[ADDRESS:]PORT]");
}

void add_no_install(CLI::App& command, RunArguments& arguments) {
  command.add_flag("--no-install", arguments.no_install,
                   "Do not install versions that the study names and that are missing; their cells fail");
}

// Adds how much is said, and in which format the results are printed. The help ends with the formats, then `examples`.
void add_wording(CLI::App& command, RunArguments& arguments, const std::string& examples) {
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", arguments.quiet, "Print the results and what is wrong, else nothing");
  command.add_flag("-v,--verbose", arguments.verbose, "Print a line for each process")->excludes(quiet);
  add_format_option(command, arguments.format, report::show_formats(), examples);
}

void add_budget(CLI::App& command, RunArguments& arguments) {
  command.add_option("--budget", arguments.budget,
                     "Stop after this time (90s, 10m, 2h): one round of everything is measured first, then what is "
                     "decided soonest");
}

}  // namespace

void add_resume(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("resume", "Resume a run where it stopped, and fetch what devices have done since");
  command->add_option("results", arguments->output, "Results folder")->required();
  command->add_flag("--retry-failed", arguments->retry_failed, "Try cells that failed in an earlier run again");
  command->add_flag("--new-build", arguments->accepts_new_build,
                    "Measure cells anew that an interrupted run began with another build of a toolchain or of ngb");
  add_budget(*command, *arguments);
  add_no_install(*command, *arguments);
  add_serve(*command, *arguments);
  add_no_report(*command, *arguments);
  add_wording(*command, *arguments, "Example:\n  ngb resume results/quickstart");
  command->callback([=, &installation, &chosen] {
    arguments->study = (std::filesystem::path(arguments->output) / campaign::kStudyFile).string();
    chosen = [=, &installation] { return run(installation, *arguments); };
  });
}

void add_fetch(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->only_fetch = true;
  CLI::App* command = app.add_subcommand("fetch", "Fetch what the devices of a run have done so far; they continue");
  command->add_option("results", arguments->output, "Results folder")->required();
  command->footer("Example:\n  ngb fetch results/fleet");
  command->callback([=, &installation, &chosen] {
    arguments->study = (std::filesystem::path(arguments->output) / campaign::kStudyFile).string();
    chosen = [=, &installation] { return run(installation, *arguments); };
  });
}

void add_run(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Measure a model or a study, or resume it where it stopped");
  command
      ->add_option("what", arguments->what,
                   "A study: a YAML file or one that ships; or models: ONNX files, net.py:function, recipes (`ngb "
                   "models`), timm:NAME")
      ->required();
  add_part_options(*command, arguments->part);
  command->add_option("--threads", arguments->threads, "Of models: a number, all or physical (default: 1)")
      ->check(CLI::PositiveNumber | CLI::IsMember({"all", "physical"}))
      ->type_name("N");
  command->add_option("-o,--output", arguments->output, "Results folder (default: the study's)");
  command->add_flag("--again", arguments->again, "Set earlier results aside, under another name, and measure anew");
  command->add_flag("--retry-failed", arguments->retry_failed, "Try cells that failed in an earlier run again");
  command->add_flag("--new-build", arguments->accepts_new_build,
                    "Measure cells anew that an interrupted run began with another build of a toolchain or of ngb");
  add_budget(*command, *arguments);
  add_no_install(*command, *arguments);
  add_serve(*command, *arguments);
  add_no_report(*command, *arguments);
  command->add_flag("--dry-run", arguments->dry_run,
                    "Only print what the run would ask clusters for (Slurm, Kubernetes)");
  add_wording(*command, *arguments,
              "Examples:\n  ngb run my_model.onnx --batch 1,8 --budget 2m\n  ngb run quickstart --serve\n"
              "  ngb run my_study.yaml --model resnet18 --compiler openvino");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return run(installation, *arguments); }; });
}

}  // namespace ngb::app
