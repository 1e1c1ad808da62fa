// SPDX-License-Identifier: Apache-2.0
// ngb run: plans the study, sends each device its share, records the results and shows the table.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/ngb/duration.h"
#include "apps/ngb/elsewhere.h"
#include "apps/ngb/experience.h"
#include "apps/ngb/known_runs.h"
#include "apps/ngb/live_page.h"
#include "apps/ngb/quota.h"
#include "apps/ngb/recorder.h"
#include "apps/ngb/run.h"
#include "apps/ngb/run_outcome.h"
#include "apps/ngb/same_contents.h"
#include "apps/ngb/stop_signals.h"
#include "apps/ngb/study_compilers.h"
#include "apps/ngb/study_file.h"
#include "apps/ngb/teardown.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/toolchain_record.h"
#include "apps/revision/revision.h"
#include "base/clock.h"
#include "base/file.h"
#include "dispatch/fleet.h"
#include "dispatch/make_job.h"
#include "store/store.h"

namespace ngb::app {
namespace {

using dispatch::Ending;

struct RunArguments {
  std::string study;
  std::string output;
  bool retry_failed = false;
  bool only_fetch = false;
  bool accepts_new_build = false;
  bool is_quiet = false;  // nothing is printed on stdout
  bool hides_speeds = false;
  bool no_report = false;              // no page is written
  std::string budget;                  // as the user gave it; "": none
  std::optional<std::string> serve{};  // where the live page is served, as the user gave it; nothing: nowhere
  std::shared_ptr<LivePage> page{};    // null: none

  // When the budget ends; nothing: never. Measured from the start of the command.
  std::optional<Nanoseconds> deadline{};
};

bool is_out_of_time(const RunArguments& arguments) {
  return arguments.deadline && system_clock().now() >= *arguments.deadline;
}

// Prints which toolchains are missing. Returns an error if the reference's is missing, because then no output could be
// checked.
Status check_toolchains(const Compilers& compilers, const plan::Plan& plan) {
  const config::Study& study = plan.study;
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
  for (const auto& [name, damage] : compilers.missing()) {
    if (damage.empty()) {
      warn("ngb: {} is not installed: its cells fail; to install it, run: ngb toolchain install {}\n", name, name);
    } else {
      warn("ngb: {}: its cells fail\n", damage);
    }
  }
  return Done{};
}

// Returns whether a device may have the toolchain. A device elsewhere checks its own.
bool may_have_toolchain(const config::Study& study, const Compilers& compilers, const std::string& device,
                        const std::string& compiler, const std::string& version) {
  const bool is_here = std::any_of(study.devices.begin(), study.devices.end(),
                                   [&](const auto& entry) { return entry.name == device && config::is_here(entry); });
  return !is_here || !compilers.is_missing(compiler, version);
}

struct Run {
  std::string id;
  plan::Plan plan;  // what is left to do
  bool only_fetch = false;
  bool accepts_new_build = false;
  bool is_short_of_time = false;  // so that what is decided soonest comes first
};

// Returns each device's share. All references outlive the shares.
Result<std::vector<dispatch::Share>> make_shares(const Installation& installation, store::Store& store,
                                                 const dispatch::Jobs& jobs, const Compilers& compilers,
                                                 const Run& run) {
  const std::filesystem::path cache = usable_cache(installation);
  const std::string references = cache.empty() ? "" : (cache / "references").string();
  std::vector<dispatch::Share> shares;
  for (const config::DeviceEntry& device : run.plan.study.devices) {
    const bool is_local = config::is_here(device);
    const auto accepting = [&run](Result<work::Job> job) {
      if (!job) return job;
      job->accepts_new_build = run.accepts_new_build;
      if (run.is_short_of_time) job->order = work::Order::soonest;
      return job;
    };
    const dispatch::MakeJob job_here = [&jobs, &compilers, &device, accepting, references] {
      const auto find = [&](const auto& name, const auto& version) { return compilers.place_here(name, version); };
      return accepting(jobs.of(device.name, find, references));
    };
    const dispatch::MakeJob job_elsewhere = [&jobs, &compilers, &device, accepting] {
      const auto find = [&](const auto& name, const auto& version) { return compilers.place_elsewhere(name, version); };
      return accepting(jobs.of(device.name, find, "references"));
    };
    const auto last = store.last_sequence(run.id, device.name);
    if (!last) return error_of(last);
    shares.push_back({.device = device,
                      .run_id = run.id,
                      .job = is_local ? job_here : job_elsewhere,
                      .job_here = job_here,
                      .files = jobs.files(),
                      .last_sequence = *last,
                      .completed = [&store, &run, &device] { return store.completed(run.id, device.name); },
                      .work_folder = run.plan.study.output / "devices" / device.name,
                      .toolchains = is_local ? std::vector<dispatch::ToolchainTree>{} : compilers.trees(installation),
                      .only_fetch = run.only_fetch});
  }
  return shares;
}

// Called when the run has finished or stopped. Records the devices on which nothing of the run is left, and prints the
// others.
Status settle(const Installation& installation, store::Store& store, const Run& run,
              const std::vector<dispatch::DeviceEnding>& endings) {
  for (std::size_t i = 0; i < endings.size(); ++i) {
    const bool is_local = config::is_here(run.plan.study.devices[i]);
    const bool is_gone = is_local ? endings[i].ending == dispatch::Ending::finished
                                  : endings[i].torn_down && endings[i].torn_down->has_value();
    if (!is_gone) continue;
    if (Status forgotten = store.forget_presence(run.id, endings[i].device); !forgotten) return forgotten;
  }
  if (Status durable = store.flush(); !durable) return durable;
  const auto elsewhere = runs_elsewhere(installation, store);
  if (!elsewhere) return error_of(elsewhere);
  if (!run.only_fetch) tell_of_runs_elsewhere(*elsewhere, run.plan.study.output);
  return Done{};
}

// Measures what is left, to the end or until the user stops it. Returns the error of the first device that has one,
// after printing the others.
Result<Ending> measure(const Installation& installation, store::Store& store, plan::Plan plan,
                       const Compilers& compilers, const RunArguments& arguments) {
  if (Status may = check_study_file(plan.study); !may) return tl::unexpected(may.error());
  const auto run_id = store.begin_run(plan, system_clock().unix_now().count(), this_revision());
  if (!run_id) return error_of(run_id);
  if (Status known = keep_devices(installation, *run_id, plan.study); !known) return tl::unexpected(known.error());
  if (Status kept = keep_study(plan.study); !kept) return tl::unexpected(kept.error());
  auto remaining = store.remaining(std::move(plan), *run_id);
  if (!remaining) return error_of(remaining);
  const Run run{*run_id, *std::move(remaining), arguments.only_fetch, arguments.accepts_new_build,
                arguments.deadline.has_value()};
  const dispatch::Jobs jobs(run.plan, run.id);
  const auto shares = make_shares(installation, store, jobs, compilers, run);
  if (!shares) return error_of(shares);
  auto recorder =
      Recorder::begin(store, run.plan, run.id, experience_for(installation, run.plan), durations_file(installation));
  if (!recorder) return error_of(recorder);
  dispatch::Callbacks callbacks = recorder->callbacks();
  EarlyValues values(store);
  recorder->derive_with(values);
  if (arguments.hides_speeds) recorder->hide_speeds();
  if (arguments.page) recorder->show_on(*arguments.page);
  ToolchainRecord toolchains(store, compilers, callbacks.on_remark);
  callbacks.on_toolchain = [&toolchains](const std::string& device, const std::string& machine,
                                         const samples::FoundFolder& found) {
    return toolchains.take(device, machine, found);
  };
  for (const config::DeviceEntry& device : run.plan.study.devices) {
    if (!config::is_here(device)) continue;
    Status recorded = toolchains.take_local(device.name);
    if (recorded) recorded = store.note_presence(run.id, device.name);
    if (!recorded) return error_of(recorded);
  }
  callbacks.on_presence = [&](const std::string& device) { return store.note_presence(run.id, device); };
  // A program that reads the results meanwhile must delay neither devices nor signals.
  store.be_patient(std::chrono::milliseconds(50));
  catch_signals();
  const auto endings = dispatch::run_fleet(installation.parts, *shares, callbacks, [&] {
    if (arguments.page) arguments.page->tick();
    return is_stop_requested() || is_out_of_time(arguments);
  });
  restore_signals();
  recorder->end();
  auto all = Ending::finished;
  std::vector<Error> errors;
  for (const dispatch::DeviceEnding& device : endings) {
    if (!device.ending) errors.push_back(device.ending.error());
    if (device.ending != Ending::finished) all = Ending::stopped;
  }
  if (!arguments.is_quiet) tell_of_teardown(endings, run.plan.study.output);
  // Failing to record is only a warning: a later command merely checks these devices once more.
  if (const Status settled = settle(installation, store, run, endings); !settled && errors.empty()) {
    warn("ngb: could not record on which devices nothing is left: {}\n", settled.error().text());
  }
  for (std::size_t i = 1; i < errors.size(); ++i) report_failure(errors[i], kCannotGoOn);
  if (!errors.empty()) return tl::unexpected(errors.front());
  return all;
}

// Keeps the results folder open only while it is written to.
Result<Ending> measure_what_is_left(const Installation& installation, plan::Plan plan, const Compilers& compilers,
                                    const RunArguments& arguments) {
  auto store = store::Store::open(plan.study.output / "results.db", store::Mode::read_write);
  if (!store) return error_of(store);
  if (const Status same = store->check_protocol(plan.study); !same) return error_of(same);
  if (const Status described = store->describe_models(plan); !described) return error_of(described);
  if (arguments.only_fetch) {
    const auto runs = store->runs();
    if (!runs) return error_of(runs);
    if (runs->empty()) return fail("no run is active", plan.study.output.string());
    const auto others = fetch_other_runs(installation, *store, plan, is_stop_requested);
    if (!others) return error_of(others);
    if (runs->back().is_complete && *others) return Ending::finished;
    if (runs->back().is_complete) return fail("no run is active", plan.study.output.string());
  } else if (const Status settled = settle_other_runs(installation, *store, plan, is_stop_requested); !settled) {
    return error_of(settled);
  }
  const config::Study study = plan.study;
  auto left = store->left_to_do(std::move(plan), arguments.retry_failed,
                                [&](const auto& device, const auto& compiler, const auto& version) {
                                  return may_have_toolchain(study, compilers, device, compiler, version);
                                });
  if (!left) return error_of(left);
  if (!left->groups.empty()) {
    return measure(installation, *store, *std::move(left), compilers, arguments);
  }
  warn("ngb: nothing left to measure\n");
  return Ending::finished;
}

// Writes the report, if it is wanted, and shows the end of the run on the live page.
void end_with_report(const RunArguments& arguments, const std::filesystem::path& results, const std::string& ending) {
  const std::filesystem::path report =
      arguments.no_report ? std::filesystem::path() : write_report_of_run(results).value_or("");
  if (arguments.page) arguments.page->end(ending, report);
}

int run(const Installation& installation, RunArguments arguments) {
  if (!arguments.budget.empty()) {
    const auto budget = parse_duration(arguments.budget, "--budget");
    if (!budget) return report_failure(budget.error(), kWrongUsage);
    arguments.deadline = system_clock().now() + *budget;
  }
  auto plan = plan_study(installation, arguments.study);
  if (!plan) return plan.error();
  if (!arguments.output.empty()) plan->study.output = std::filesystem::absolute(arguments.output).lexically_normal();
  if (const Status named = check_utf8_path(plan->study.output); !named)
    return report_failure(named.error(), kWrongUsage);
  const auto compilers = Compilers::find(installation, *plan);
  if (!compilers) return report_failure(compilers.error(), kCannotGoOn);
  if (const Status usable = check_toolchains(*compilers, *plan); !usable) {
    return report_failure(usable.error(), kCannotGoOn);
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (arguments.serve) {
    auto page = LivePage::begin(*arguments.serve, *plan);
    if (!page) return report_failure(page.error(), kWrongUsage);
    arguments.page = *std::move(page);
  }
  const std::filesystem::path results = plan->study.output;
  const Result<Ending> ending = measure_what_is_left(installation, *std::move(plan), *compilers, arguments);
  if (!ending) {
    if (arguments.page) arguments.page->end("The run could not go on: " + ending.error().what, "");
    return report_failure(ending.error(), kCannotGoOn);
  }
  if (arguments.only_fetch) {
    say("recorded what the devices have done so far; to see their progress, run: ngb status {}\n", results.string());
    return kSuccess;
  }
  if (*ending != Ending::finished && !is_stop_requested() && is_out_of_time(arguments)) {
    const int code = print_what_the_budget_allowed(results, arguments.budget);
    end_with_report(arguments, results, "The budget is used up.");
    return code;
  }
  if (*ending != Ending::finished) {
    warn("ngb: stopped; the results so far are kept; run the same command again to resume\n");
    if (arguments.page) arguments.page->end("The run was stopped; the results so far are kept.", "");
    return kInterrupted;
  }
  const int code = print_outcome(results);
  say("\nResults: {}\n", results.string());
  end_with_report(arguments, results,
                  code == kSomeCellsFailed ? "The run has ended; some cells failed." : "The run has ended.");
  if (code == kSomeCellsFailed) say("To try the failed cells again: ngb resume {} --retry-failed\n", results.string());
  return code;
}

}  // namespace

ExitCode measure_plan(const Installation& installation, plan::Plan plan, const Compilers& compilers,
                      std::optional<Nanoseconds> budget, bool shows_speeds) {
  std::signal(SIGPIPE, SIG_IGN);
  RunArguments arguments;
  arguments.is_quiet = true;
  arguments.hides_speeds = !shows_speeds;
  if (budget) arguments.deadline = system_clock().now() + *budget;
  const Status same = check_same_contents(plan, compilers);
  const Result<Ending> ending =
      same ? measure_what_is_left(installation, std::move(plan), compilers, arguments) : error_of(same);
  if (!ending) {
    report_failure(ending.error(), kCannotGoOn);
    return kCannotGoOn;
  }
  if (*ending == Ending::finished || (!is_stop_requested() && is_out_of_time(arguments))) return kSuccess;
  warn("ngb: stopped; the results so far are kept\n");
  return kInterrupted;
}

namespace {

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
  add_serve(*command, *arguments);
  add_no_report(*command, *arguments);
  command->footer("Example:\n  ngb resume results/quickstart");
  command->callback([=, &installation, &chosen] {
    arguments->study = (std::filesystem::path(arguments->output) / kStudyFile).string();
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
    arguments->study = (std::filesystem::path(arguments->output) / kStudyFile).string();
    chosen = [=, &installation] { return run(installation, *arguments); };
  });
}

void add_run(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run a study, or resume it where it stopped");
  command->add_option("study", arguments->study, "Study file (YAML)")->required();
  command->add_option("-o,--output", arguments->output, "Results folder (default: the study's)");
  command->add_flag("--retry-failed", arguments->retry_failed, "Try cells that failed in an earlier run again");
  command->add_flag("--new-build", arguments->accepts_new_build,
                    "Measure cells anew that an interrupted run began with another build of a toolchain or of ngb");
  add_budget(*command, *arguments);
  add_serve(*command, *arguments);
  add_no_report(*command, *arguments);
  command->footer("Examples:\n  ngb run quickstart\n  ngb run quickstart --budget 10m\n  ngb run quickstart --serve");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return run(installation, *arguments); }; });
}

}  // namespace ngb::app
