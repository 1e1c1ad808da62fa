// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <csignal>
#include <optional>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/front.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"

namespace {

constexpr const char* kFooter = R"(Example:
  ngb run quickstart

Words:
  identity   PyTorch eager, which compiles nothing; speed-ups refer to it
  cell       one compiler with its options on one model at one batch size on one device
  workload   a model at one batch size, whose cells are compared
  told       shown by an interval; decided: more rounds would hardly change it
  agreement  of a variant's outputs (int8) with the exact model's
  RTR        throughput at a batch size over that at batch 1; ASE: RTR over the batch size;
             BSR: ASE over the baseline's
  alone      while no other process has a turn
All others: docs/glossary.md, docs/metrics.md.

Exit codes:
  0    success; of a run: every cell has a result
  1    some cells have none; their reasons are stored
  2    wrong usage, or a mistake in the study
  3    the command could not continue; the message says why and what to do
  4    a gate failed (slower, or newly failing), or a choice that was to be confirmed did not hold
  5    a gate is undecided (--fail-if-undecided), a bisection has no single answer, or no choice holds
  6    a verified bundle has other files than its manifest lists
  7    its numbers do not follow from its samples
  130  interrupted; run again to resume)";

// The commands in groups by purpose, in the order in which a user needs them.
struct CommandGroup {
  const char* name;
  std::vector<void (*)(CLI::App&, const ngb::app::Installation&, ngb::app::Action&)> commands;
};

std::vector<CommandGroup> command_groups() {
  using namespace ngb::app;
  return {{"To begin with", {add_run, add_show, add_report, add_new, add_plan, add_doctor}},
          {"Measure", {add_resume, add_status, add_fetch, add_cancel, add_calibrate}},
          {"Read", {add_profile, add_choose, add_tune}},
          {"Compare", {add_compare, add_history, add_explain, add_gate, add_bisect}},
          {"Hand on", {add_export, add_merge, add_bundle, add_verify, add_collection}},
          {"Machines", {add_compilers, add_toolchain, add_devices}},
          {"Tools", {add_models, add_schema, add_completions}}};
}

void add_commands(CLI::App& app, const ngb::app::Installation& installation, ngb::app::Action& chosen) {
  for (const CommandGroup& group : command_groups()) {
    for (const auto add : group.commands) {
      add(app, installation, chosen);
      app.get_subcommands({}).back()->group(group.name);
    }
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Which graph compiler, on which device, for which model and batch size?", "ngb"};
  app.require_subcommand(1);
  ngb::app::set_help(app);
  app.set_version_flag("-V,--version", "ngb " + describe(ngb::app::this_revision()));
  app.footer(kFooter);
  const ngb::app::Installation installation = ngb::campaign::find_installation(ngb::app::this_revision());
  ngb::app::Action chosen;
  add_commands(app, installation, chosen);
  const std::optional<int> ended = ngb::app::parse(app, argc, argv);
  const int code = ended ? *ended : chosen();
  if (const ngb::Status whole = ngb::app::finish_output(); !whole) {
    return ngb::app::report_failure(whole.error(), ngb::app::kCannotGoOn);
  }
  return code;
}

// Files are mapped. The kernel raises SIGBUS where one is read that has become shorter, and no error can be returned.
void end_for_a_file_that_shrank(int /*signal*/) {
  constexpr char kWhat[] =
      "ngb: a file became shorter while it was read; let what writes it end, then run the same command again\n";
  (void)!::write(STDERR_FILENO, kWhat, sizeof kWhat - 1);
  ::_exit(ngb::app::kCannotGoOn);
}

}  // namespace

int main(int argc, char** argv) {
  // Without this signal, a write beyond the file size limit (ulimit -f) fails with EFBIG. Child processes inherit that.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_for_a_file_that_shrank);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    ngb::app::warn("ngb: {}\n", error.what());
    return ngb::app::kCannotGoOn;
  }
}
