// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/plan_remarks.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "base/topology.h"
#include "probe/probe.h"
#include "probe/shared_cores.h"
#include "toolchain/doctor.h"
#include "toolchain/toolchain.h"

namespace ngb::app {
namespace {

using toolchain::Check;
using State = toolchain::Check::State;

constexpr double kStealWarningPercent = 1;  // the flag's own threshold: docs/metrics.md
constexpr double kBusyLoad = 0.5;

Known<std::string> entry(const samples::Environment& environment, std::string_view name) {
  for (const samples::EnvironmentEntry& found : environment.entries) {
    if (found.name == name) return found.value;
  }
  return Known<std::string>::unknown("not read");
}

std::string shown(const Known<std::string>& value) { return value.value ? *value.value : "unknown: " + value.reason; }

Check processor(const samples::Environment& environment) {
  return {"processor", State::ok,
          fmt::format("{}, {} threads on {} cores, {}", shown(entry(environment, "cpu_model")),
                      shown(entry(environment, "cpu_threads")), shown(entry(environment, "cpu_cores")),
                      shown(entry(environment, "cpu_features"))),
          ""};
}

// Says whether two processors that a process may use share a core, which a rented machine may hide.
Check cores() {
  const std::vector<LogicalProcessor> all = topology_of(probe::allowed_cpus());
  std::vector<int> numbers;
  for (const LogicalProcessor& each : all) numbers.push_back(each.number);
  std::optional<probe::SharedCore> shared = probe::shared_as_told(all);
  if (!shared) shared = probe::shared_as_measured(numbers);
  if (shared) {
    const State state = shared->speed_ratio ? State::warning : State::ok;
    return {"cores", state, probe::words_of(*shared), probe::advice_on(*shared)};
  }
  return {"cores", State::ok,
          fmt::format("each of the processors {} has one of its own, as measured", cpu_list(numbers)), ""};
}

Check memory() {
  const Known<std::uint64_t> total = probe::memory_total_bytes();
  return {"memory", State::ok, total.value ? text::human_bytes(*total.value) : "unknown: " + total.reason, ""};
}

Check governor(const samples::Environment& environment) {
  const Known<std::string> set = entry(environment, "cpu_governor");
  if (!set.value || *set.value == "performance") return {"governor", State::ok, shown(set), ""};
  return {"governor", State::warning, *set.value + ": the clock frequency follows the load",
          "for steady results, run: echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

Check processor_limit(const samples::Environment& environment) {
  const Known<std::string> limit = entry(environment, "cgroup_cpu_limit");
  if (!limit.value || *limit.value == "none") return {"processor limit", State::ok, shown(limit), ""};
  const bool is_fraction = limit.value->find('.') != std::string::npos;
  return {"processor limit", State::warning, words_of_quota(*limit.value),
          is_fraction ? "allow whole processors: of a fraction, the last thread is stopped part of the time"
                      : "give studies at most that many threads, or remove the limit"};
}

// Checks whether a pod of Kubernetes has its processors for itself. Returns nothing outside of a pod.
std::optional<Check> pod(const samples::Environment& environment) {
  const Known<std::string> processors = entry(environment, "kubernetes_processors");
  if (!processors.value) return std::nullopt;
  if (*processors.value == "exclusive") return Check{"pod", State::ok, "its processors are its own", ""};
  return Check{
      "pod", State::warning, "it shares its processors with whatever else runs on the node",
      "give it whole processors, with requests equal to limits for processors and memory, on a node whose kubelet "
      "has cpuManagerPolicy: static"};
}

Check steal(const probe::Snapshot& now) {
  if (!now.steal_ticks.value || !now.total_ticks.value || *now.total_ticks.value == 0) {
    return {"steal", State::ok, "unknown: " + now.steal_ticks.reason, ""};
  }
  const double percent =
      100 * static_cast<double>(*now.steal_ticks.value) / static_cast<double>(*now.total_ticks.value);
  const std::string found =
      fmt::format("{:.1f} % of the processors' time since boot went to other virtual machines", percent);
  if (percent <= kStealWarningPercent) return {"steal", State::ok, found, ""};
  return {"steal", State::warning, found, "affected cells get the flag `steal`; run again at a quieter time"};
}

Check load(const probe::Snapshot& now) {
  for (const samples::Reading& reading : now.readings) {
    if (reading.quantity != "load_1min") continue;
    if (!reading.value.value) return {"load", State::ok, "unknown: " + reading.value.reason, ""};
    const std::string found = fmt::format("{:.2f} in the last minute", *reading.value.value);
    if (*reading.value.value < kBusyLoad) return {"load", State::ok, found, ""};
    return {"load", State::warning, found + ": other programs are running", "measure when the machine is idle"};
  }
  return {"load", State::ok, "unknown", ""};
}

Check c_library(const samples::Environment& environment) {
  const Known<std::string> version = entry(environment, "glibc");
  if (version.value) return {"C library", State::ok, "glibc " + *version.value, ""};
  return {"C library", State::missing, version.reason, "compilers' libraries need Linux with glibc 2.28 or newer"};
}

Check gpu(const samples::Environment& environment) {
  const Known<std::string> found = entry(environment, "gpu");
  return {"GPU", State::ok, found.value ? *found.value : "none: " + found.reason, ""};
}

std::vector<Check> all_checks(const Installation& installation) {
  const samples::Environment environment = probe::environment();
  const probe::Snapshot now = probe::snapshot();
  std::vector<Check> checks{processor(environment),
                            cores(),
                            memory(),
                            governor(environment),
                            processor_limit(environment),
                            steal(now),
                            load(now),
                            c_library(environment),
                            gpu(environment)};
  if (std::optional<Check> check = pod(environment)) checks.insert(checks.begin() + 5, *std::move(check));
  for (Check& check : toolchain::examine(installation.parts.lib, installation.toolchains))
    checks.push_back(std::move(check));
  return checks;
}

void print_json(const std::vector<Check>& checks) {
  nlohmann::json list = nlohmann::json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", text::to_utf8(check.name)},
                    {"state", name(check.state)},
                    {"found", text::to_utf8(check.found)},
                    {"advice", text::to_utf8(check.advice)}});
  }
  print_json_text(list);
}

void print_checks(const std::vector<Check>& checks) {
  std::size_t width = 0;
  for (const Check& check : checks) width = std::max(width, check.name.size());
  for (const Check& check : checks) {
    say("{:8} {:{}}  {}\n", name(check.state), check.name, width, check.found);
    if (!check.advice.empty()) say("{:8} {:{}}  -> {}\n", "", "", width, check.advice);
  }
}

int doctor(const Installation& installation, bool as_json) {
  const std::vector<Check> checks = all_checks(installation);
  if (as_json) {
    print_json(checks);
  } else {
    print_checks(checks);
  }
  const bool is_complete =
      std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.state == State::missing; });
  return is_complete ? kSuccess : kCannotGoOn;
}

}  // namespace

void add_doctor(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Report what this machine has and lacks, and what to type");
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "Example:\n  ngb doctor\nExit code 0: what is installed works (absent: it could be installed too); 3: something "
      "is "
      "missing or damaged, or no toolchain is installed.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return doctor(installation, *json); }; });
}

}  // namespace ngb::app
