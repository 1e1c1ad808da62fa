// SPDX-License-Identifier: Apache-2.0
// ngb cancel: ends a run on its devices and removes it from them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/teardown.h"
#include "apps/ngb/terminal.h"
#include "campaign/elsewhere.h"
#include "campaign/study_file.h"
#include "dispatch/fleet.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct CancelArguments {
  std::string results;
  std::string study;  // "": none was named
  bool with_toolchains = false;
};

// Returns the runs that may have left something on a device. The last one is always among them, because the record may
// be older than what is on its devices.
Result<std::vector<campaign::RunElsewhere>> runs_to_end(const Installation& installation,
                                                        const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  auto last = campaign::last_run(installation, *store, print_error);
  if (!last) return fail(last.error().what, results.string());
  auto runs = campaign::runs_elsewhere(installation, *store, print_error);
  if (!runs) return runs;
  std::erase_if(*runs, [&](const campaign::RunElsewhere& run) { return run.id == last->id; });
  runs->push_back(*std::move(last));
  for (campaign::RunElsewhere& run : *runs) {
    std::erase_if(run.devices, config::is_here);
  }
  return runs;
}

// Gives the run's strangers the addresses that the study has for devices of their names.
void introduce(campaign::RunElsewhere& run, const std::vector<config::DeviceEntry>& devices) {
  for (const config::DeviceEntry& device : devices) {
    if (!config::is_here(device) && std::erase(run.strangers, device.name) > 0) run.devices.push_back(device);
  }
}

Status forget(Result<store::Store>& store, const std::vector<std::pair<std::string, std::string>>& gone) {
  if (!store) return error_of(store);
  for (const auto& [run, device] : gone) {
    if (Status forgotten = store->forget_presence(run, device); !forgotten) return forgotten;
  }
  return store->flush();
}

int cancel(const Installation& installation, const CancelArguments& arguments) {
  const std::filesystem::path results = arguments.results;
  const std::filesystem::path file = results / "results.db";
  std::error_code code;
  // A client that measures would take the end of its run for a lost connection, and deliver it again.
  auto held = std::filesystem::exists(file, code) ? store::Store::open(file, store::Mode::read_write)
                                                  : Result<store::Store>(fail("there are no results", file.string()));
  if (has_code(held, ErrorCode::busy)) {
    return report_failure({held.error().what, held.error().where, "end that program first (Ctrl-C, or kill -INT)"},
                          kCannotGoOn);
  }
  auto runs = runs_to_end(installation, results);
  if (!runs) return report_failure(runs.error(), kCannotGoOn);
  if (!arguments.study.empty()) {
    const auto plan = campaign::plan_study(installation, arguments.study, print_error);
    if (!plan) return report_refusal(plan.error());
    for (campaign::RunElsewhere& run : *runs) introduce(run, plan->study.devices);
  }
  const bool knows_all =
      std::all_of(runs->begin(), runs->end(), [](const campaign::RunElsewhere& run) { return run.strangers.empty(); });
  campaign::tell_of_strangers(*runs, results, print_error);
  std::vector<dispatch::DeviceEnding> all;
  std::vector<std::pair<std::string, std::string>> gone;
  // Runs are ended one after the other, because two may be on the same device.
  for (const campaign::RunElsewhere& run : *runs) {
    std::vector<dispatch::Share> shares = campaign::shares_of(run, results);
    for (dispatch::Share& share : shares) share.remove_toolchains = arguments.with_toolchains;
    const auto tell = [](const std::string& device, const std::string& remark) {
      warn("ngb: {}: {}\n", device, remark);
    };
    for (dispatch::DeviceEnding& ending :
         dispatch::tear_down_fleet(installation.parts, shares, tell, [] { return false; })) {
      if (ending.torn_down && ending.torn_down->has_value()) gone.emplace_back(run.id, ending.device);
      all.push_back(std::move(ending));
    }
  }
  const Status forgotten = forget(held, gone);
  if (!forgotten) warn("ngb: could not record that the runs are removed: {}\n", forgotten.error().text());
  return tell_of_teardown(all, results) && knows_all && forgotten ? kSuccess : kCannotGoOn;
}

}  // namespace

void add_cancel(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<CancelArguments>();
  CLI::App* command = app.add_subcommand(
      "cancel", "End all runs of a results folder on their devices elsewhere and remove their files there");
  command->add_option("results", arguments->results, "Results folder; its recorded results are kept")->required();
  command->add_option(
      "--study", arguments->study,
      "Study of yours that says how the devices are reached, for runs that were begun elsewhere or with "
      "another cache");
  command->add_flag("--with-toolchains", arguments->with_toolchains, "Also remove the devices' toolchains");
  command->footer("Example:\n  ngb cancel results/fleet");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return cancel(installation, *arguments); }; });
}

}  // namespace ngb::app
