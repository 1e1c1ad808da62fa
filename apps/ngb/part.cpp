// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/groups.h"
#include "report/results.h"
#include "store/store.h"

namespace ngb::app {
namespace {

// What the usual option means for models, which a study has of its own.
std::string meaning_of(const report::Filter& filter) {
  const std::string name = filter.name;
  if (name == "compiler") return "Only this compiler: NAME or NAME@VERSION (of models: default all that are installed)";
  if (name == "batch") return "Only this batch size (of models: default 1)";
  return filter.meaning;
}

Result<std::set<std::string>> cells_that_failed(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  const auto states = store->cell_states();
  if (!states) return error_of(states);
  std::set<std::string> failed;
  for (const store::CellState& state : *states) {
    if (state.progress == store::CellState::Progress::failed) failed.insert(state.cell_id);
  }
  return failed;
}

}  // namespace

bool PartArguments::is_whole() const {
  return !only_failed && without.empty() &&
         std::all_of(wanted.begin(), wanted.end(), [](const auto& filter) { return filter.second.empty(); });
}

void add_part_options(CLI::App& command, PartArguments& arguments) {
  for (const report::Filter& filter : report::filters()) {
    const std::string name = filter.name;
    CLI::Option* option = command.add_option("--" + name + (name == "compiler" ? ",--compilers" : ""),
                                             arguments.wanted[name], meaning_of(filter));
    option->allow_extra_args(false)->delimiter(',');
    if (name == "batch") option->check(CLI::PositiveNumber);
  }
  command.add_flag("--failed", arguments.only_failed, "Only cells that failed in an earlier run, again");
  command
      .add_option("--without", arguments.without, "Not on this device: one that is off, say; later runs measure there")
      ->allow_extra_args(false)
      ->delimiter(',');
}

namespace {

// Leaves out the cells of the devices that are named. Fails if the study has no such device, or no other one.
Status leave_out(const std::vector<std::string>& without, const plan::Plan& plan, std::set<std::string>& kept) {
  std::vector<std::string> known;
  for (const config::DeviceEntry& device : plan.study.devices) known.push_back(device.name);
  for (const std::string& name : without) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail("the study has no device " + name, "--without", "expected one of: " + text::join(known, ", "));
  }
  for (const work::Cell& cell : plan.cells) {
    if (std::ranges::find(without, cell.device) != without.end()) kept.erase(cell.id);
  }
  return kept.empty() ? fail("no device is left", "--without", "leave out one of them") : Status(Done{});
}

}  // namespace

Status take_part(plan::Plan& plan, const PartArguments& arguments, const std::filesystem::path& results) {
  if (arguments.is_whole()) return Done{};
  report::CellFilter filter(arguments.wanted);
  std::set<std::string> kept;
  for (const work::Cell& cell : plan.cells) {
    store::CellData data;
    data.cell_id = cell.id;
    data.of = plan.configuration_of(cell);
    if (filter.add(data)) kept.insert(cell.id);
  }
  if (const Status fits = filter.check("the study has"); !fits) return fits;
  if (const Status left = leave_out(arguments.without, plan, kept); !left) return left;
  if (arguments.only_failed) {
    const auto failed = cells_that_failed(results);
    if (!failed) return error_of(failed);
    std::erase_if(kept, [&](const std::string& id) { return !failed->contains(id); });
    if (kept.empty()) return fail("no cell of them failed", results.string(), "leave out --failed");
  }
  plan::keep_cells(plan, kept);
  return Done{};
}

}  // namespace ngb::app
