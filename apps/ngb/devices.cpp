// SPDX-License-Identifier: Apache-2.0
// ngb devices: lists the devices that studies may name, and checks what each has and lacks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/dry_run.h"
#include "apps/ngb/named_devices.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "dispatch/fleet.h"
#include "dispatch/route/kubernetes.h"
#include "dispatch/route/route.h"

namespace ngb::app {
namespace {

constexpr double kClockWarningS = 60;
constexpr std::uint64_t kLowDiskBytes = 2'000'000'000;

struct DevicesArguments {
  std::vector<std::string> names{};
  std::string tag{};  // empty: any
  bool json = false;
  bool dry_run = false;
  std::string in_namespace = "default";  // of the account for which `rbac` prints a role
  std::string account = "ngraphbench";
};

nlohmann::json device_json(const config::DeviceEntry& device) {
  return {{"name", device.name},     {"kind", device.kind},
          {"host", device.ssh.host}, {"nodes", config::nodes_of(device)},
          {"folder", device.folder}, {"tags", device.tags}};
}

bool has_tag(const config::DeviceEntry& device, const DevicesArguments& arguments) {
  return arguments.tag.empty() || config::has_tag(device, arguments.tag);
}

int list_devices(const Installation& installation, const DevicesArguments& arguments) {
  const auto vocabulary = campaign::read_vocabulary(installation);
  if (!vocabulary) return report_failure(vocabulary.error(), kWrongUsage);
  nlohmann::json all = nlohmann::json::array();
  for (const config::DeviceEntry& device : vocabulary->devices) {
    if (has_tag(device, arguments)) all.push_back(device_json(device));
  }
  if (arguments.json) {
    print_json_text(all);
    return kSuccess;
  }
  if (arguments.tag.empty()) say("{:<20} this machine\n", "local");
  for (const config::DeviceEntry& device : vocabulary->devices) {
    if (!has_tag(device, arguments)) continue;
    say("{:<20} {}, {}{}\n", device.name, dispatch::kind_of(device).address(device), device.folder,
        device.tags.empty() ? "" : " (" + text::join(device.tags, ", ") + ")");
  }
  if (vocabulary->devices.empty()) {
    say("describe others in {}, as `name: {{ssh: HOST}}` or `name: {{slurm: {{…}}}}` or `name: {{kubernetes: "
        "{{…}}}}`\n",
        installation.devices.string());
  }
  return kSuccess;
}

std::string entry_text(const samples::Environment& environment, std::string_view name) {
  for (const samples::EnvironmentEntry& each : environment.entries) {
    if (each.name == name) return each.value.value ? *each.value.value : "unknown: " + each.value.reason;
  }
  return "unknown";
}

std::string toolchains_of(const samples::Description& description) {
  if (description.toolchains.empty()) return "none; ngb delivers what a study needs";
  std::vector<std::string> names;
  for (const samples::ToolchainFolder& each : description.toolchains) {
    names.push_back(text::to_utf8(each.name) + (each.has_manifest ? "" : " (no manifest)"));
  }
  return text::join(names, ", ");
}

void print_examination(const dispatch::Examination& device) {
  if (!device.arrival) {
    say("{:<14} not reachable: {}\n", device.device, device.arrival.error().text());
    return;
  }
  const samples::Arrival& arrival = *device.arrival;
  const samples::Description& description = device.description;
  const auto line = [](std::string_view name, const std::string& value) { say("  {:<12} {}\n", name, value); };
  say("{}\n", device.device);
  line("machine",
       fmt::format("{}, {}", text::to_utf8(arrival.machine), entry_text(description.environment, "cpu_model")));
  line("glibc", entry_text(description.environment, "glibc"));
  line("GPU", entry_text(description.environment, "gpu"));
  line("python", description.python.value ? *description.python.value
                                          : "none (" + description.python.reason +
                                                "): compilers hosted by Python fail there; install python3 on it");
  line("disk", fmt::format("{} free in {}{}", text::human_bytes(arrival.free_bytes), text::to_utf8(arrival.folder),
                           arrival.free_bytes < kLowDiskBytes ? "; little: give the device another folder" : ""));
  line("clock", std::abs(device.clock_offset.count()) < kClockWarningS
                    ? fmt::format("within {:.1f} s of ours", std::abs(device.clock_offset.count()))
                    : fmt::format("{:.0f} s off, and so are the start times of its results. Run on it: timedatectl "
                                  "set-ntp true",
                                  device.clock_offset.count()));
  line("toolchains", toolchains_of(description));
}

nlohmann::json device_json(const dispatch::Examination& device) {
  if (!device.arrival) return {{"name", device.device}, {"error", device.arrival.error().text()}};
  nlohmann::json environment = nlohmann::json::object();
  for (const samples::EnvironmentEntry& each : device.description.environment.entries) {
    environment[each.name] = each.value.value ? nlohmann::json(*each.value.value) : nlohmann::json(nullptr);
  }
  nlohmann::json toolchains = nlohmann::json::array();
  nlohmann::json without_manifest = nlohmann::json::array();
  for (const samples::ToolchainFolder& each : device.description.toolchains) {
    toolchains.push_back(text::to_utf8(each.name));
    if (!each.has_manifest) without_manifest.push_back(text::to_utf8(each.name));
  }
  return {{"name", device.device},
          {"machine", text::to_utf8(device.arrival->machine)},
          {"folder", text::to_utf8(device.arrival->folder)},
          {"free_bytes", device.arrival->free_bytes},
          {"clock_offset_s", device.clock_offset.count()},
          {"toolchains", std::move(toolchains)},
          {"toolchains_without_manifest", std::move(without_manifest)},
          {"environment", std::move(environment)}};
}

int check(const Installation& installation, const DevicesArguments& arguments) {
  auto devices = named_devices(installation, arguments.names);
  if (!devices) return report_failure(devices.error(), kWrongUsage);
  std::erase_if(*devices, [&](const config::DeviceEntry& device) { return !has_tag(device, arguments); });
  if (arguments.dry_run) return print_requests(installation, *devices);
  const auto logs = campaign::connection_logs(installation);
  if (!logs) return report_failure(logs.error(), kCannotGoOn);
  const auto examined = dispatch::examine(installation.parts, *devices, *logs);
  if (!examined) return report_failure(examined.error(), kCannotGoOn);
  nlohmann::json all = nlohmann::json::array();
  for (const dispatch::Examination& device : *examined) {
    if (arguments.json) {
      all.push_back(device_json(device));
    } else {
      print_examination(device);
    }
  }
  if (arguments.json) print_json_text(all);
  const bool are_all_there =
      std::all_of(examined->begin(), examined->end(), [](const auto& device) { return device.arrival.has_value(); });
  return are_all_there ? kSuccess : kCannotGoOn;
}

}  // namespace

void add_devices(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<DevicesArguments>();
  CLI::App* group = app.add_subcommand("devices", "List the devices that studies may name, or check them");
  group->require_subcommand(0, 1);
  group->add_flag("--json", arguments->json, "Print JSON");
  group->add_option("--tag", arguments->tag, "Only devices with this tag");
  group->footer("Example:\n  ngb devices check xeon");
  group->callback([=, &installation, &chosen] {
    if (!chosen) chosen = [=, &installation] { return list_devices(installation, *arguments); };
  });
  CLI::App* probe = group->add_subcommand("check", "Connect to devices and report what each has and lacks");
  probe->add_option("name", arguments->names, "Devices (default: all described ones)");
  probe->add_option("--tag", arguments->tag, "Only devices with this tag");
  probe->add_flag("--json", arguments->json, "Print JSON");
  probe->add_flag("--dry-run", arguments->dry_run, "Only print what a run would ask their clusters for");
  probe->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return check(installation, *arguments); }; });
  CLI::App* rbac = group->add_subcommand("rbac", "Print the role that ngb needs in a namespace of Kubernetes");
  rbac->add_option("--namespace", arguments->in_namespace, "The namespace")->capture_default_str();
  rbac->add_option("--account", arguments->account, "The service account that gets the role")->capture_default_str();
  rbac->footer("Example:\n  ngb devices rbac --namespace bench | kubectl apply -f -");
  rbac->callback([=, &chosen] {
    chosen = [=] {
      say("{}", dispatch::rbac_manifest(arguments->in_namespace, arguments->account));
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
