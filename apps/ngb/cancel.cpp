// SPDX-License-Identifier: Apache-2.0
// ngb cancel: ends a run on its devices, and takes it away there.
#include <fmt/format.h>

#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/study_file.h"
#include "apps/ngb/teardown.h"
#include "dispatch/fleet.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct Arguments {
  std::string results;
  bool with_toolchains = false;
};

Result<std::string> last_run_id(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return tl::unexpected(store.error());
  const auto runs = store->runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) return fail("no run has begun here", results.string());
  return runs->back().run_id;
}

int cancel(const Installation& installation, const Arguments& arguments) {
  const std::filesystem::path results = arguments.results;
  const auto run_id = last_run_id(results);
  if (!run_id) return report_failure(run_id.error(), kCannotGoOn);
  const auto plan = plan_study(installation, results / kStudyFile);
  if (!plan) return plan.error();
  std::vector<dispatch::Share> shares;
  for (const config::DeviceEntry& device : plan->study.devices) {
    dispatch::Share& share = shares.emplace_back();
    share.device = device;
    share.run_id = *run_id;
    share.work_folder = results / "devices" / device.name;
    share.remove_toolchains = arguments.with_toolchains;
  }
  const auto endings = dispatch::tear_down_fleet(installation.parts, shares, [] { return false; });
  return tell_of_teardown(endings, results) ? kAllCellsHaveResults : kCannotGoOn;
}

}  // namespace

void add_cancel(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("cancel", "End a run on its devices elsewhere, and take it away there");
  command->add_option("results", arguments->results, "Results folder; what is recorded in it stays")->required();
  command->add_flag("--with-toolchains", arguments->with_toolchains, "Remove the devices' toolchains, too");
  command->footer("Example:\n  ngb cancel results/fleet");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return cancel(installation, *arguments); }; });
}

}  // namespace ngb::app
