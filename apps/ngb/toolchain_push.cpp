// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/toolchain_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/named_devices.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/wanted_toolchain.h"
#include "base/text.h"
#include "campaign/device_toolchains.h"
#include "dispatch/push.h"
#include "toolchain/folders.h"
#include "toolchain/manifest.h"
#include "toolchain/pip.h"

namespace ngb::app {
namespace {

using toolchain::Toolchain;

struct PushArguments {
  std::string name{};
  std::vector<std::string> devices{};
  bool install_there = false;
};

struct DownloadArguments {
  std::string name{};
  std::string machine{};
  std::string glibc{};
  std::string python{};
  bool has_gpu = false;
  bool only_choose = false;
  bool json = false;
};

Error failure_of(const dispatch::Pushed& pushed) {
  if (pushed.done && !pushed.missing.empty()) return pushed.missing.begin()->second;
  Error error = pushed.done ? Error{"was not installed", {}, "run the same command again"} : pushed.done.error();
  // The error quotes the end of the output of the device's pip.
  if (error.where == "pip") {
    Error explained = toolchain::explain_pip_failure(error.what);
    explained.next += "; " + error.next;
    return explained;
  }
  return error;
}

// Prints the outcome for one device. Returns whether the toolchain is installed there.
bool print_pushed(const dispatch::Pushed& pushed, toolchain::Builds& builds) {
  const bool is_there = pushed.done && pushed.missing.empty() && pushed.toolchains.folders.size() == 1 &&
                        !pushed.toolchains.folders.front().site.empty();
  const Result<Toolchain> toolchain =
      is_there ? campaign::toolchain_there(pushed.toolchains.folders.front()) : tl::unexpected(failure_of(pushed));
  if (!toolchain) {
    warn("ngb: {}: {}\n", pushed.device, toolchain.error().text());
    return false;
  }
  say("{}: {} {}: {} packages, {}\n", pushed.device, toolchain->compiler, toolchain->version,
      toolchain->packages.size(), toolchain->manifest_sha256.substr(0, 12));
  if (const auto difference = builds.add(pushed.device, pushed.machine, *toolchain)) {
    warn("ngb: {}: {}\n", pushed.device, *difference);
  }
  return true;
}

int push(const Installation& installation, const PushArguments& arguments) {
  const auto wanted = find_wanted(installation, arguments.name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto devices = named_devices(installation, arguments.devices);
  if (!devices) return report_failure(devices.error(), kWrongUsage);
  const auto local = toolchain::find(installation.toolchains, wanted->compiler.toolchain, wanted->version);
  if (!local) return report_failure(local.error(), kCannotGoOn);
  const std::vector<dispatch::ToolchainTree> trees{
      campaign::toolchain_for_devices(installation, wanted->compiler, wanted->version, *local,
                                      arguments.install_there ? campaign::Way::install_there : campaign::Way::deliver)};
  const auto logs = campaign::connection_logs(installation);
  if (!logs) return report_failure(logs.error(), kCannotGoOn);
  const auto pushed =
      dispatch::push(installation.parts, *devices, trees, *logs,
                     [](const std::string& device, const std::string& remark) { warn("  {}: {}\n", device, remark); });
  if (!pushed) return report_failure(pushed.error(), kCannotGoOn);
  toolchain::Builds builds;
  bool are_all_there = true;
  for (const dispatch::Pushed& device : *pushed) are_all_there = print_pushed(device, builds) && are_all_there;
  return are_all_there ? kSuccess : kCannotGoOn;
}

void print_progress(std::string_view line) { warn("  {}\n", line); }

// Answers in the form that dispatch/delivery/parts.h reads.
int answer(const Result<Toolchain>& toolchain, bool only_choose) {
  nlohmann::json answer;
  Result<std::string> requirements;
  if (toolchain && only_choose) requirements = toolchain::pinned_requirements(*toolchain);
  if (!toolchain || !requirements) {
    const Error& error = toolchain ? requirements.error() : toolchain.error();
    answer = {{"error", {{"what", error.what}, {"where", error.where}, {"next", error.next}}}};
  } else if (only_choose) {
    answer = {{"requirements", *requirements}, {"manifest", toolchain::manifest_text(*toolchain)}};
  } else {
    answer = {{"folder", toolchain->folder.string()}};
  }
  print_json_text(answer);
  return toolchain && requirements ? kSuccess : kCannotGoOn;
}

int download(const Installation& installation, const DownloadArguments& arguments) {
  const auto wanted = find_wanted(installation, arguments.name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto target = toolchain::make_target(arguments.machine, arguments.glibc, arguments.python, arguments.has_gpu);
  if (!target) return report_failure(target.error(), kWrongUsage);
  const std::filesystem::path root = toolchain::targets_root(installation.toolchains, *target);
  const toolchain::Progress progress = arguments.json ? toolchain::Progress() : print_progress;
  const Result<Toolchain> done = arguments.only_choose
                                     ? toolchain::choose(root, wanted->compiler, wanted->version, *target, progress)
                                     : toolchain::download(root, wanted->compiler, wanted->version, *target, progress);
  if (arguments.json) return answer(done, arguments.only_choose);
  if (!done) return report_failure(done.error(), kCannotGoOn);
  say("{} {} for {}: {} packages", done->compiler, done->version, toolchain::name_for_people(*target),
      done->packages.size());
  if (!arguments.only_choose) say(", {} in {}", text::human_bytes(done->size_bytes), done->folder.string());
  say("\n");
  for (const toolchain::Package& package : done->packages) say("  {} {}\n", package.name, package.version);
  return kSuccess;
}

// Describes a folder on a device as a toolchain, with the version of its package.
Result<Toolchain> adopted(const toolchain::CompilerDescription& compiler, const samples::FoundFolder& found) {
  const std::vector<toolchain::Distribution> packages = campaign::distributions(found);
  const auto version = toolchain::version_among(compiler, packages);
  if (!version) {
    return fail(fmt::format("cannot adopt as {}: the folder has no package {}", compiler.name,
                            text::join(compiler.distributions, " or ")),
                text::to_utf8(found.path), "name a virtual environment or a folder of packages on the device");
  }
  if (Status plain = toolchain::check_version(*version); !plain) return error_of(plain);
  Toolchain toolchain = toolchain::without_manifest(compiler.toolchain, *version, text::to_utf8(found.site), packages);
  toolchain.created = toolchain::creation_time();
  return toolchain;
}

std::shared_ptr<DownloadArguments> add_download_options(CLI::App& command) {
  auto arguments = std::make_shared<DownloadArguments>();
  command.add_option("name", arguments->name, "NAME or NAME@VERSION")->required();
  command.add_option("--machine", arguments->machine, "The device's machine, as uname -m prints it")->required();
  command.add_option("--glibc", arguments->glibc, "Version of the device's C library")->required();
  command.add_option("--python", arguments->python, "Version of the device's Python")->required();
  command.add_flag("--gpu", arguments->has_gpu, "Include what only an NVIDIA GPU needs");
  command.add_flag("--choose", arguments->only_choose,
                   "Only list the wheels; download those that must be read to choose");
  command.add_flag("--json", arguments->json, "Print JSON, and no progress");
  return arguments;
}

}  // namespace

int adopt_on_device(const Installation& installation, const std::string& name, const std::string& path,
                    const std::string& device) {
  const auto wanted = find_wanted(installation, name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto devices = named_devices(installation, {device});
  if (!devices) return report_failure(devices.error(), kWrongUsage);
  const bool is_path = path.starts_with('/') || path.starts_with("~/");
  if (!is_path) {
    return report_failure({"not a path on the device", path, "a path begins with / or with ~/ (in quotes)"},
                          kWrongUsage);
  }
  const auto logs = campaign::connection_logs(installation);
  if (!logs) return report_failure(logs.error(), kCannotGoOn);
  bool are_all_done = true;
  for (const config::DeviceEntry& each : *devices) {
    Result<Toolchain> toolchain;
    const dispatch::MakeAdoption make = [&](const samples::FoundFolder& found) -> Result<samples::Adopt> {
      toolchain = adopted(wanted->compiler, found);
      if (!toolchain) return error_of(toolchain);
      return samples::Adopt{campaign::tree_path(toolchain->compiler, toolchain->version), found.site,
                            toolchain::manifest_text(*toolchain)};
    };
    const Status done = dispatch::adopt_there(installation.parts, each, path, make, *logs);
    if (done) {
      say("{}: {} {}: adopted from {}\n", each.name, toolchain->compiler, toolchain->version, toolchain->site.string());
    } else {
      warn("ngb: {}: {}\n", each.name, done.error().text());
      are_all_done = false;
    }
  }
  return are_all_done ? kSuccess : kCannotGoOn;
}

void add_toolchain_push(CLI::App& group, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<PushArguments>();
  CLI::App* command = group.add_subcommand("push", "Install NAME[@VERSION] on devices elsewhere");
  command->add_option("name", arguments->name, "NAME or NAME@VERSION")->required();
  command->add_option("device", arguments->devices, "Described devices (see ngb devices)")->required();
  command->add_flag("--install-there", arguments->install_there,
                    "Have each device's own pip download and install the wheels that pip chooses here");
  command->footer(
      "Example:\n  ngb toolchain push onnxruntime@1.31.1 orin\n"
      "A device with the same kind of machine gets a copy of what is installed here. For another one\n"
      "pip downloads the wheels for its machine, its glibc and, for compilers hosted by Python, its\n"
      "Python. Installed versions are kept.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return push(installation, *arguments); }; });
}

void add_toolchain_download(CLI::App& group, const Installation& installation, Action& chosen) {
  CLI::App* command = group.add_subcommand("download", "Download NAME[@VERSION] for devices of another kind");
  const auto arguments = add_download_options(*command);
  command->footer(
      "Example:\n  ngb toolchain download onnxruntime --machine aarch64 --glibc 2.35 --python 3.11\n"
      "ngb run and ngb toolchain push do this by themselves for a device that lacks a toolchain; run\n"
      "beforehand, it prepares a client for use without network.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return download(installation, *arguments); }; });

  CLI::App* former = group.add_subcommand("fetch", "The former name of download")->group("");
  const auto same = add_download_options(*former);
  former->callback([=, &installation, &chosen] {
    chosen = [=, &installation] {
      warn("ngb: `ngb toolchain fetch` is now called `ngb toolchain download`\n");
      return download(installation, *same);
    };
  });
}

}  // namespace ngb::app
