// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/toolchain_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/device_toolchains.h"
#include "apps/ngb/named_devices.h"
#include "apps/ngb/wanted_toolchain.h"
#include "base/text.h"
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

struct FetchArguments {
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
  Error error = pushed.done ? Error{"it is not there", {}, "run the same command again"} : pushed.done.error();
  // What its own pip said, to its end.
  if (error.where == "pip") {
    Error explained = toolchain::explain_pip_failure(error.what);
    explained.next += "; " + error.next;
    return explained;
  }
  return error;
}

// Prints what has become of one device. True: the toolchain is there.
bool tell(const dispatch::Pushed& pushed, toolchain::Builds& builds) {
  const bool is_there = pushed.done && pushed.missing.empty() && pushed.toolchains.folders.size() == 1 &&
                        !pushed.toolchains.folders.front().site.empty();
  const Result<Toolchain> toolchain =
      is_there ? toolchain_there(pushed.toolchains.folders.front()) : tl::unexpected(failure_of(pushed));
  if (!toolchain) {
    fmt::print(stderr, "ngb: {}: {}\n", pushed.device, toolchain.error().text());
    return false;
  }
  fmt::print("{}: {} {}: {} packages, {}\n", pushed.device, toolchain->compiler, toolchain->version,
             toolchain->packages.size(), toolchain->manifest_sha256.substr(0, 12));
  if (const auto difference = builds.add(pushed.device, pushed.machine, *toolchain)) {
    fmt::print(stderr, "ngb: {}: {}\n", pushed.device, *difference);
  }
  return true;
}

int push(const Installation& installation, const PushArguments& arguments) {
  const auto wanted = find_wanted(installation, arguments.name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto devices = named_devices(installation, arguments.devices);
  if (!devices) return report_failure(devices.error(), kWrongUsage);
  auto local = toolchain::find(installation.toolchains, wanted->compiler.toolchain, wanted->version);
  if (!local) return report_failure(local.error(), kCannotGoOn);
  if (local->has_value() && (*local)->is_adopted) local->reset();
  const std::vector<dispatch::ToolchainTree> trees{
      toolchain_for_devices(installation, wanted->compiler, wanted->version, *local,
                            arguments.install_there ? Way::install_there : Way::deliver)};
  const auto pushed = dispatch::push(
      installation.parts, *devices, trees, installation.cache / "devices",
      [](const std::string& device, const std::string& remark) { fmt::print(stderr, "  {}: {}\n", device, remark); });
  if (!pushed) return report_failure(pushed.error(), kCannotGoOn);
  toolchain::Builds builds;
  bool are_all_there = true;
  for (const dispatch::Pushed& device : *pushed) are_all_there = tell(device, builds) && are_all_there;
  return are_all_there ? kAllCellsHaveResults : kCannotGoOn;
}

void print_line(std::string_view line) { fmt::print(stderr, "  {}\n", line); }

// For dispatch/fetching.h.
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
  fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return toolchain && requirements ? kAllCellsHaveResults : kCannotGoOn;
}

int fetch(const Installation& installation, const FetchArguments& arguments) {
  const auto wanted = find_wanted(installation, arguments.name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto target = toolchain::make_target(arguments.machine, arguments.glibc, arguments.python, arguments.has_gpu);
  if (!target) return report_failure(target.error(), kWrongUsage);
  const std::filesystem::path root = toolchain::targets_root(installation.toolchains, *target);
  const toolchain::Progress progress = arguments.json ? toolchain::Progress() : print_line;
  const Result<Toolchain> done = arguments.only_choose
                                     ? toolchain::choose(root, wanted->compiler, wanted->version, *target, progress)
                                     : toolchain::fetch(root, wanted->compiler, wanted->version, *target, progress);
  if (arguments.json) return answer(done, arguments.only_choose);
  if (!done) return report_failure(done.error(), kCannotGoOn);
  fmt::print("{} {} for {}: {} packages", done->compiler, done->version, toolchain::name_for_people(*target),
             done->packages.size());
  if (!arguments.only_choose) fmt::print(", {} in {}", text::human_bytes(done->size_bytes), done->folder.string());
  fmt::print("\n");
  for (const toolchain::Package& package : done->packages) fmt::print("  {} {}\n", package.name, package.version);
  return kAllCellsHaveResults;
}

// A toolchain of what stands on a device; its version is that of its package.
Result<Toolchain> adopted(const toolchain::CompilerDescription& compiler, const samples::FoundFolder& found) {
  const std::vector<toolchain::Distribution> packages = distributions(found);
  const auto version = toolchain::version_among(compiler, packages);
  if (!version) {
    return fail(fmt::format("cannot adopt as {}: no package {} there", compiler.name,
                            text::join(compiler.distributions, " or ")),
                text::to_utf8(found.path), "give a virtual environment or a folder of packages on the device");
  }
  if (Status plain = toolchain::check_version(*version); !plain) return tl::unexpected(plain.error());
  Toolchain toolchain = toolchain::without_manifest(compiler.toolchain, *version, text::to_utf8(found.site), packages);
  toolchain.created = toolchain::creation_time();
  return toolchain;
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
    return report_failure({"not a path on the device", path, "one begins with / or with ~/ (in quotes)"}, kWrongUsage);
  }
  bool are_all_done = true;
  for (const config::DeviceEntry& each : *devices) {
    Result<Toolchain> toolchain;
    const dispatch::MakeAdoption make = [&](const samples::FoundFolder& found) -> Result<samples::Adopt> {
      toolchain = adopted(wanted->compiler, found);
      if (!toolchain) return tl::unexpected(toolchain.error());
      return samples::Adopt{tree_path(toolchain->compiler, toolchain->version), found.site,
                            toolchain::manifest_text(*toolchain)};
    };
    const Status done = dispatch::adopt_there(installation.parts, each, path, make, installation.cache / "devices");
    if (done) {
      fmt::print("{}: {} {}: adopted from {}\n", each.name, toolchain->compiler, toolchain->version,
                 toolchain->site.string());
    } else {
      fmt::print(stderr, "ngb: {}: {}\n", each.name, done.error().text());
      are_all_done = false;
    }
  }
  return are_all_done ? kAllCellsHaveResults : kCannotGoOn;
}

void add_toolchain_push(CLI::App& group, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<PushArguments>();
  CLI::App* command = group.add_subcommand("push", "Bring NAME[@VERSION] to devices elsewhere");
  command->add_option("name", arguments->name, "NAME or NAME@VERSION")->required();
  command->add_option("device", arguments->devices, "Devices that are described (ngb devices)")->required();
  command->add_flag("--install-there", arguments->install_there,
                    "Have each device's own pip fetch and install the wheels that pip chooses here");
  command->footer(
      "Example:\n  ngb toolchain push onnxruntime@1.31.1 orin\n"
      "A device of this kind of machine gets what is installed here; for another one pip fetches the wheels for its\n"
      "machine, its glibc and, for compilers hosted by Python, its Python. What is there is left as it is.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return push(installation, *arguments); }; });
}

void add_toolchain_fetch(CLI::App& group, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<FetchArguments>();
  CLI::App* command = group.add_subcommand("fetch", "Fetch NAME[@VERSION] for devices of another kind");
  command->add_option("name", arguments->name, "NAME or NAME@VERSION")->required();
  command->add_option("--machine", arguments->machine, "As uname -m says there")->required();
  command->add_option("--glibc", arguments->glibc, "Version of the C library there")->required();
  command->add_option("--python", arguments->python, "Version of Python there")->required();
  command->add_flag("--gpu", arguments->has_gpu, "With what only an NVIDIA GPU needs");
  command->add_flag("--choose", arguments->only_choose, "Say which wheels, and fetch none that need not be looked at");
  command->add_flag("--json", arguments->json, "Print JSON, and no progress");
  command->footer(
      "Example:\n  ngb toolchain fetch onnxruntime --machine aarch64 --glibc 2.35 --python 3.11\n"
      "ngb run and ngb toolchain push do this by themselves for a device that lacks a toolchain; beforehand, it "
      "prepares\n"
      "a client for a place without network.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return fetch(installation, *arguments); }; });
}

}  // namespace ngb::app
