// SPDX-License-Identifier: Apache-2.0
// ngb status: prints the progress of a run's devices. It only reads, so it may run beside `ngb run`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "campaign/elsewhere.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct DeviceStatus {
  bool is_finished = false;
  int planned = 0;        // processes
  int completed = 0;      // processes
  int partial_cells = 0;  // some of their processes completed, and others failed
  int failed_cells = 0;
};

struct RunStatus {
  store::RunState run{};
  std::vector<campaign::RunElsewhere> elsewhere{};
  std::map<std::string, DeviceStatus> devices{};
};

// Returns the last run of each results folder that was merged into the file; if none was, the last run of the file.
std::vector<store::RunState> last_runs(const std::vector<store::RunState>& runs) {
  std::vector<store::RunState> last;
  for (const store::RunState& run : runs) {
    const auto known = std::find_if(last.begin(), last.end(),
                                    [&](const store::RunState& other) { return other.source == run.source; });
    if (known == last.end()) {
      last.push_back(run);
    } else {
      *known = run;
    }
  }
  return last;
}

Result<std::vector<RunStatus>> read_status(const Installation& installation,
                                           const std::filesystem::path& results_folder) {
  auto store = store::Store::open(results_folder / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  auto runs = store->runs();
  if (!runs) return error_of(runs);
  if (runs->empty()) return fail("no run has begun in this folder", results_folder.string(), "run the study first");
  const auto cells = store->load_cells(store::Detail::outline);
  if (!cells) return error_of(cells);
  const auto states = store->cell_states();
  if (!states) return error_of(states);
  auto elsewhere = campaign::runs_elsewhere(installation, *store, print_error);
  if (!elsewhere) return error_of(elsewhere);
  std::map<std::string, std::string> device_of;
  for (const store::CellData& cell : *cells) device_of[cell.cell_id] = cell.of.device;
  std::vector<RunStatus> all;
  for (const store::RunState& run : last_runs(*runs)) {
    RunStatus& status = all.emplace_back(RunStatus{run, *elsewhere, {}});
    for (const store::DeviceState& device : run.devices) {
      status.devices[device.device].is_finished = device.is_finished;
    }
    for (const store::CellState& cell : *states) {
      const auto device = status.devices.find(device_of[cell.cell_id]);
      if (device == status.devices.end()) continue;
      device->second.planned += cell.has_ended_rounds ? cell.completed_processes : cell.planned_processes;
      device->second.completed += cell.completed_processes;
      if (cell.progress != store::CellState::Progress::failed) continue;
      ++(cell.completed_processes > 0 ? device->second.partial_cells : device->second.failed_cells);
    }
  }
  return all;
}

const char* state_of(const DeviceStatus& device) {
  return device.is_finished ? "finished" : device.completed > 0 ? "begun" : "not begun";
}

nlohmann::json json_of(const RunStatus& status) {
  nlohmann::json devices = nlohmann::json::array();
  for (const auto& [name, device] : status.devices) {
    devices.push_back({{"device", name},
                       {"state", state_of(device)},
                       {"planned_processes", device.planned},
                       {"completed_processes", device.completed},
                       {"partial_cells", device.partial_cells},
                       {"failed_cells", device.failed_cells}});
  }
  nlohmann::json elsewhere = nlohmann::json::array();
  for (const campaign::RunElsewhere& run : status.elsewhere) {
    for (const config::DeviceEntry& device : run.devices) {
      if (!config::is_here(device)) elsewhere.push_back({{"run_id", run.id}, {"device", device.name}});
    }
    for (const std::string& stranger : run.strangers) {
      elsewhere.push_back({{"run_id", run.id}, {"device", stranger}});
    }
  }
  nlohmann::json whole{{"study", status.run.study_name},
                       {"run_id", status.run.run_id},
                       {"is_complete", status.run.is_complete},
                       {"devices", std::move(devices)},
                       {"elsewhere", std::move(elsewhere)}};
  if (!status.run.source.empty()) whole["source"] = status.run.source;
  return whole;
}

void print_text(const RunStatus& status) {
  say("{}, run {}{}\n{:<20} {:>20}  {:>13}  {:>12}  {}\n", status.run.study_name, status.run.run_id,
      status.run.source.empty() ? "" : " of " + status.run.source, "device", "processes", "cells in part",
      "failed cells", "state");
  for (const auto& [name, device] : status.devices) {
    say("{:<20} {:>20}  {:>13}  {:>12}  {}\n", name, fmt::format("{} of {}", device.completed, device.planned),
        device.partial_cells, device.failed_cells, state_of(device));
  }
}

int print_status(const Installation& installation, const std::vector<std::string>& folders, bool as_json) {
  nlohmann::json all = nlohmann::json::array();
  bool is_first = true;
  for (const std::string& folder : folders) {
    const auto runs = read_status(installation, folder);
    if (!runs) return report_failure(runs.error(), kCannotGoOn);
    for (const RunStatus& status : *runs) {
      all.push_back(json_of(status));
      if (as_json) continue;
      if (!std::exchange(is_first, false)) say("\n");
      print_text(status);
    }
    if (!as_json) campaign::tell_of_runs_elsewhere(runs->back().elsewhere, folder, print_error);
  }
  if (as_json) print_json_text(all.size() == 1 ? all.front() : all);
  return kSuccess;
}

}  // namespace

void add_status(CLI::App& app, const Installation& installation, Action& chosen) {
  constexpr int kMostFolders = 1000;
  const auto results = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("status", "Print the progress of each device of a run, also while it runs");
  command->add_option("results", *results, "Results folders")->required()->expected(1, kMostFolders);
  command->add_flag("--json", *json, "Print JSON: an object, or a list of them for several runs");
  command->footer("Example:\n  ngb status results/quickstart");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return print_status(installation, *results, *json); };
  });
}

}  // namespace ngb::app
