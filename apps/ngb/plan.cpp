// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/ngb/plan_remarks.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/trial.h"
#include "base/json_text.h"
#include "base/text.h"
#include "campaign/durations_file.h"
#include "campaign/kept_calibrations.h"
#include "campaign/prepared_models.h"
#include "campaign/processor_remarks.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "dispatch/make_job.h"
#include "plan/graph_shapes.h"
#include "probe/probe.h"
#include "probe/shared_cores.h"
#include "report/calibration.h"

namespace ngb::app {
namespace {

// Returns the numbers of threads of the plan's cells on this machine, ascending.
std::set<int> threads_here(const plan::Plan& plan) {
  std::set<std::string> here;
  for (const config::DeviceEntry& device : plan.study.devices) {
    if (config::is_here(device)) here.insert(device.name);
  }
  std::set<int> threads;
  for (const work::Cell& cell : plan.cells) {
    if (here.contains(cell.device)) threads.insert(plan.compiler_of(cell).threads);
  }
  return threads;
}

// Returns the hash with which the plan's results on this machine will be stored: that of the machine's description and
// of the variables that workers get. Returns "" if the plan has nothing to measure here.
std::string environment_here(const plan::Plan& plan) {
  for (const config::DeviceEntry& device : plan.study.devices) {
    if (!config::is_here(device)) continue;
    return probe::environment(dispatch::worker_variables(plan.study, device)).hash();
  }
  return {};
}

// Prints the plan, and what it will be able to decide on this machine as `ngb calibrate` found it.
int print_plan(const Installation& installation, const plan::Plan& plan, bool as_json, plan::Extent extent) {
  const std::set<int> threads = threads_here(plan);
  const auto calibrated = campaign::kept_calibration(campaign::trusted_cache(installation), environment_here(plan));
  const int rounds = work::planned_processes(plan.study.protocol);
  const int turns = plan.study.protocol.turns;
  const plan::Experience experience = campaign::experience_for(installation, plan, print_error);
  if (as_json) {
    nlohmann::json printed = plan::to_json(plan);
    printed.update(plan::estimate_json(plan, experience));
    printed["decidable"] = nlohmann::json::array();
    for (const int count : threads) {
      printed["decidable"].push_back(report::decidable_json(calibrated, {count, turns}, rounds));
    }
    print_out(json_text::dump(printed, 2) + "\n");
    return kSuccess;
  }
  std::string text = plan::to_text(plan, extent) + plan::estimate_text(plan, experience);
  for (const std::string& note : plan::notes_on_files(plan, campaign::find_onnx_package(installation)))
    text += "\nNote: " + note + "\n";
  for (const std::string& list : list_remarks(plan)) text += "\nNote: " + list + "\n";
  const bool has_module =
      std::any_of(plan.models.begin(), plan.models.end(), [](const auto& each) { return each.is_module(); });
  if (has_module) {
    text +=
        "\nNote: the arguments of a module's function are checked when it is called; to call it now, run: ngb plan "
        "--try " +
        plan.study.path.string() + "\n";
  }
  if (!threads.empty()) text += "\nWhat can be decided on this machine\n";
  for (const int count : threads) text += "  " + report::decidable_text(calibrated, {count, turns}, rounds) + "\n";
  if (const auto compilers = campaign::Compilers::find(installation, plan)) {
    const std::vector<std::string> missing = toolchain_remarks(*compilers, plan);
    if (!missing.empty()) text += "\nToolchains\n  " + text::join(missing, "\n  ") + "\n";
    for (const std::string& note : quantised_remarks(*compilers, plan)) text += "\nNote: " + note + "\n";
  }
  const auto measured = [](const std::vector<int>& used) { return probe::shared_as_measured(used); };
  const auto on = campaign::processor_remarks(plan, topology_of(probe::allowed_cpus()), measured);
  if (!on.empty()) text += "\nProcessors\n  " + text::join(on, "\n  ") + "\n";
  if (const std::string quota = quota_remark(plan); !quota.empty()) text += "\nQuota: " + quota + "\n";
  if (const std::string memory = memory_remark(plan); !memory.empty()) text += "\nMemory: " + memory + "\n";
  if (const std::string weights = weights_remark(plan); !weights.empty()) text += "\nMemory: " + weights + "\n";
  if (const std::string few = percentile_remark(plan); !few.empty()) text += "\nPercentiles of latency: " + few + "\n";
  print_out(text);
  return kSuccess;
}

}  // namespace

void add_plan(CLI::App& app, const Installation& installation, Action& chosen) {
  struct Arguments {
    std::string study;
    bool json = false;
    bool all = false;
    bool is_trial = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("plan", "Print a study's settings, cells, order and estimated time");
  command->add_option("study", arguments->study, "Study file (YAML); with --try also an ONNX file")->required();
  CLI::Option* as_json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--all", arguments->all, "Print every setting, every cell and the order of processes")
      ->excludes(as_json);
  command
      ->add_flag("--try", arguments->is_trial,
                 "Run each cell once on this machine, without timing, and print what runs and what fails and why")
      ->excludes(as_json);
  command->footer("Examples:\n  ngb plan quickstart\n  ngb plan --try my_model.onnx");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation]() -> int {
      if (arguments->is_trial) return try_models(installation, arguments->study);
      const auto plan = campaign::plan_study(installation, arguments->study, print_error);
      if (!plan) return report_refusal(plan.error());
      return print_plan(installation, *plan, arguments->json, arguments->all ? plan::Extent::all : plan::Extent::brief);
    };
  });
}

}  // namespace ngb::app
