// SPDX-License-Identifier: Apache-2.0

#include <csignal>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"

namespace {

constexpr const char* kFooter = R"(Example:
  ngb run quickstart

Exit codes: 0 success (of a run: every cell has a result), 1 some cells failed (their reasons are stored), 2 wrong usage
or study file, 3 the command could not continue (the message says why and what to do), 4 a gate failed (slower, or
newly failing) or a choice that was to be confirmed did not hold, 5 a gate is undecided (with --fail-if-undecided), a bisection
has no single answer or no choice is shown to hold, 6 a verified bundle has other files than its manifest lists, 7 its numbers do
not follow from its samples, 130 interrupted (run again to resume).)";

constexpr auto kCommands = {
    ngb::app::add_run,        ngb::app::add_resume,  ngb::app::add_fetch,   ngb::app::add_cancel,
    ngb::app::add_plan,       ngb::app::add_show,    ngb::app::add_compare, ngb::app::add_gate,
    ngb::app::add_bisect,     ngb::app::add_status,  ngb::app::add_models,  ngb::app::add_compilers,
    ngb::app::add_toolchain,  ngb::app::add_devices, ngb::app::add_doctor,  ngb::app::add_calibrate,
    ngb::app::add_schema,     ngb::app::add_report,  ngb::app::add_merge,   ngb::app::add_choose,
    ngb::app::add_bundle,     ngb::app::add_verify,  ngb::app::add_profile, ngb::app::add_new,
    ngb::app::add_completions};

int run(int argc, char** argv) {
  CLI::App app{"Which graph compiler, on which device, for which model and batch size?", "ngb"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "ngb " + describe(ngb::app::this_revision()));
  app.footer(kFooter);
  const ngb::app::Installation installation = ngb::app::find_installation();
  ngb::app::Action chosen;
  for (const auto& add : kCommands) add(app, installation, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : ngb::app::kWrongUsage;
  }
  const int code = chosen();
  if (const ngb::Status whole = ngb::app::finish_output(); !whole) {
    return ngb::app::report_failure(whole.error(), ngb::app::kCannotGoOn);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // Without this signal, a write beyond the file size limit (ulimit -f) fails with EFBIG. Child processes inherit that.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    ngb::app::warn("ngb: {}\n", error.what());
    return ngb::app::kCannotGoOn;
  }
}
