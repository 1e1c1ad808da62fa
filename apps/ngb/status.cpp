// SPDX-License-Identifier: Apache-2.0
// ngb status: prints the progress of a run's devices. It only reads, so it may run beside `ngb run`.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/elsewhere.h"
#include "apps/ngb/terminal.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct DeviceStatus {
  bool is_finished = false;
  int planned = 0;    // processes
  int completed = 0;  // processes
  int failed_cells = 0;
};

struct RunStatus {
  store::RunState run{};
  std::vector<RunElsewhere> elsewhere{};
  std::map<std::string, DeviceStatus> devices{};
};

Result<RunStatus> read_status(const std::filesystem::path& results_folder) {
  auto store = store::Store::open(results_folder / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  auto runs = store->runs();
  if (!runs) return error_of(runs);
  if (runs->empty()) return fail("no run has begun in this folder", results_folder.string(), "run the study first");
  const auto cells = store->load_cells(store::Detail::outline);
  if (!cells) return error_of(cells);
  const auto states = store->cell_states();
  if (!states) return error_of(states);
  auto elsewhere = runs_elsewhere(*store);
  if (!elsewhere) return error_of(elsewhere);
  RunStatus status{runs->back(), *std::move(elsewhere), {}};
  for (const store::DeviceState& device : status.run.devices) {
    status.devices[device.device].is_finished = device.is_finished;
  }
  std::map<std::string, std::string> device_of;
  for (const store::CellData& cell : *cells) device_of[cell.cell_id] = cell.device;
  for (const store::CellState& cell : *states) {
    const auto device = status.devices.find(device_of[cell.cell_id]);
    if (device == status.devices.end()) continue;
    device->second.planned += cell.has_ended_rounds ? cell.completed_processes : cell.planned_processes;
    device->second.completed += cell.completed_processes;
    if (cell.progress == store::CellState::Progress::failed) ++device->second.failed_cells;
  }
  return status;
}

int print_status(const std::filesystem::path& results_folder, bool as_json) {
  const auto status = read_status(results_folder);
  if (!status) return report_failure(status.error(), kCannotGoOn);
  nlohmann::json devices = nlohmann::json::array();
  if (!as_json) {
    say("{}, run {}\n{:<20} {:>20}  {:>12}  {}\n", status->run.study_name, status->run.run_id, "device", "processes",
        "failed cells", "state");
  }
  for (const auto& [name, device] : status->devices) {
    const char* const state = device.is_finished ? "finished" : device.completed > 0 ? "begun" : "not begun";
    devices.push_back({{"device", name},
                       {"state", state},
                       {"planned_processes", device.planned},
                       {"completed_processes", device.completed},
                       {"failed_cells", device.failed_cells}});
    if (as_json) continue;
    say("{:<20} {:>20}  {:>12}  {}\n", name, fmt::format("{} of {}", device.completed, device.planned),
        device.failed_cells, state);
  }
  nlohmann::json elsewhere = nlohmann::json::array();
  for (const RunElsewhere& run : status->elsewhere) {
    for (const config::DeviceEntry& device : run.devices) {
      if (!config::is_here(device)) elsewhere.push_back({{"run_id", run.id}, {"device", device.name}});
    }
  }
  if (!as_json) tell_of_runs_elsewhere(status->elsewhere, results_folder);
  if (as_json) {
    const nlohmann::json whole{{"study", status->run.study_name},
                               {"run_id", status->run.run_id},
                               {"is_complete", status->run.is_complete},
                               {"devices", std::move(devices)},
                               {"elsewhere", std::move(elsewhere)}};
    print_json_text(whole);
  }
  return kSuccess;
}

}  // namespace

void add_status(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto results = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("status", "Print the progress of each device of a run, also while it runs");
  command->add_option("results", *results, "Results folder")->required();
  command->add_flag("--json", *json, "Print JSON");
  command->footer("Example:\n  ngb status results/quickstart");
  command->callback([=, &chosen] { chosen = [=] { return print_status(*results, *json); }; });
}

}  // namespace ngb::app
