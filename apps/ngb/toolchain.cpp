// SPDX-License-Identifier: Apache-2.0
#include "toolchain/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "apps/ngb/toolchain_choice.h"
#include "apps/ngb/toolchain_push.h"
#include "apps/ngb/wanted_toolchain.h"
#include "base/text.h"
#include "base/threads.h"

namespace ngb::app {
namespace {

using toolchain::Toolchain;

nlohmann::json to_json(const Toolchain& toolchain) {
  nlohmann::json packages = nlohmann::json::array();
  for (const toolchain::Package& package : toolchain.packages) {
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"sha256", package.sha256},
                        {"size_bytes", package.size_bytes}});
  }
  return {{"compiler", toolchain.compiler},     {"version", toolchain.version},   {"folder", toolchain.folder.string()},
          {"site", toolchain.site.string()},    {"python", toolchain.python},     {"is_adopted", toolchain.is_adopted},
          {"size_bytes", toolchain.size_bytes}, {"packages", std::move(packages)}};
}

nlohmann::json to_json(const toolchain::DamagedToolchain& damaged) {
  nlohmann::json object =
      to_json(Toolchain{.compiler = damaged.compiler, .version = damaged.version, .folder = damaged.folder});
  object["damage"] = damaged.why.what;
  return object;
}

int list_toolchains(const Installation& installation, bool as_json) {
  auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return report_failure(toolchains.error(), kCannotGoOn);
  const auto damaged = toolchain::take_damaged(installation.toolchains, *toolchains);
  if (as_json) {
    nlohmann::json all = nlohmann::json::array();
    for (const Toolchain& toolchain : *toolchains) all.push_back(to_json(toolchain));
    for (const toolchain::DamagedToolchain& each : damaged) all.push_back(to_json(each));
    print_json_text(all);
    return kSuccess;
  }
  if (toolchains->empty() && damaged.empty()) {
    say("No toolchains in {}. For example: ngb toolchain install onnxruntime\n", installation.toolchains.string());
  }
  for (const Toolchain& toolchain : *toolchains) {
    say("{:<14} {:<14} {:>8}  {}{}\n", toolchain.compiler, toolchain.version, text::human_bytes(toolchain.size_bytes),
        toolchain.site.string(), toolchain.is_adopted ? "  (adopted)" : "");
  }
  for (const toolchain::DamagedToolchain& each : damaged) {
    say("{:<14} {:<14} {:>8}  {}\n", each.compiler, each.version, each.can_be_used ? "changed" : "damaged",
        each.why.text());
  }
  return kSuccess;
}

// Prints what an installation says, in whole lines: the lines of several may be mixed.
class InstallationLines {
 public:
  // `label` begins each line; "" if there is only one installation.
  [[nodiscard]] toolchain::Progress progress(const std::string& label) {
    return [this, begin = label.empty() ? "" : label + ": "](std::string_view line) {
      const std::lock_guard held(mutex_);
      warn("  {}{}\n", begin, line);
    };
  }
  // Returns whether it is installed.
  bool print(const Result<Toolchain>& done) {
    const std::lock_guard held(mutex_);
    if (!done) return report_failure(done.error(), kCannotGoOn) == kSuccess;
    say("{} {}: {} in {}\n", done->compiler, done->version, text::human_bytes(done->size_bytes), done->folder.string());
    return true;
  }

 private:
  std::mutex mutex_;
};

// Installs one by one, or several side by side: while pip chooses for one, another downloads and a third is unpacked.
int install(const Installation& installation, const std::vector<std::string>& names) {
  constexpr std::size_t kAtATime = 3;
  std::vector<WantedToolchain> all;
  for (const std::string& name : names) {
    const auto wanted = find_wanted(installation, name);
    if (!wanted) return report_failure(wanted.error(), kWrongUsage);
    all.push_back(*wanted);
  }
  InstallationLines lines;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> are_all_there = true;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      const auto& [compiler, version] = all[i];
      const std::string label = fmt::format("{} {}", compiler.name, version);
      if (all.size() == 1) warn("{}\n", label);
      const toolchain::Progress progress = lines.progress(all.size() == 1 ? "" : label);
      if (!lines.print(toolchain::install(installation.toolchains, compiler, version, progress))) are_all_there = false;
    }
  };
  run_side_by_side(std::min(all.size(), kAtATime), [&](std::size_t) { work(); });
  return are_all_there ? kSuccess : kCannotGoOn;
}

// Compares the files of one toolchain, or of all, with those that were installed.
int verify_toolchains(const Installation& installation, const std::string& name) {
  auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return report_failure(toolchains.error(), kCannotGoOn);
  if (!name.empty()) {
    const auto wanted = find_wanted(installation, name);
    if (!wanted) return report_failure(wanted.error(), kWrongUsage);
    std::erase_if(*toolchains, [&](const Toolchain& each) {
      return each.compiler != wanted->compiler.toolchain || each.version != wanted->version;
    });
    if (toolchains->empty()) {
      return report_failure({"is not installed", name, "ngb toolchain list shows all"}, kCannotGoOn);
    }
  }
  int code = kSuccess;
  for (const Toolchain& each : *toolchains) {
    const auto unlike = toolchain::verify(each);
    if (!unlike) {
      code = report_failure(unlike.error(), kCannotGoOn);
    } else if (unlike->empty()) {
      say("{} {}: as it was {}\n", each.compiler, each.version, each.is_adopted ? "adopted" : "installed");
    } else {
      code = kCannotGoOn;
      for (const std::string& path : *unlike) say("{} {}: not as installed: {}\n", each.compiler, each.version, path);
      warn("ngb: to mend it, run: ngb toolchain install {}@{}\n", each.compiler, each.version);
    }
  }
  return code;
}

int adopt(const Installation& installation, const std::string& name, const std::string& path) {
  const auto wanted = find_wanted(installation, name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const auto done = toolchain::adopt(installation.toolchains, wanted->compiler, path);
  if (!done) return report_failure(done.error(), kCannotGoOn);
  say("{} {}: adopted from {}\n", done->compiler, done->version, done->site.string());
  return kSuccess;
}

int remove(const Installation& installation, const std::string& name) {
  const auto wanted = find_wanted(installation, name);
  if (!wanted) return report_failure(wanted.error(), kWrongUsage);
  const std::string& owner = wanted->compiler.toolchain;
  if (owner != wanted->compiler.name) {
    return report_failure({"runs from the toolchain of " + owner, name,
                           fmt::format("ngb toolchain remove {}@{} removes it for both", owner, wanted->version)},
                          kWrongUsage);
  }
  const auto done = toolchain::remove(installation.toolchains, owner, wanted->version);
  if (!done) return report_failure(done.error(), kCannotGoOn);
  say("{} {}: removed\n", wanted->compiler.name, wanted->version);
  return kSuccess;
}

}  // namespace

void add_toolchain(CLI::App& app, const Installation& installation, Action& chosen) {
  struct Arguments {
    std::vector<std::string> names;
    std::string name;
    std::string path;
    std::string device;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* group =
      app.add_subcommand("toolchain", "Install, list, verify, adopt, remove and push versions of compilers");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n  ngb toolchain install onnxruntime@1.31.1\n  ngb toolchain adopt identity ~/venv\n"
      "  ngb toolchain push onnxruntime orin xavier\n"
      "Toolchains live in $NGB_TOOLCHAINS, or ~/.local/share/ngraphbench/toolchains. pip's own settings apply, so\n"
      "PIP_INDEX_URL or pip.conf choose where packages come from.");

  CLI::App* add = group->add_subcommand("install", "Install NAME[@VERSION] with pip into a folder of its own");
  add->add_option("name", arguments->names, "NAME or NAME@VERSION (default: ask, with what this machine can use)");
  add->callback([=, &installation, &chosen] {
    chosen = [=, &installation]() -> int {
      if (!arguments->names.empty()) return install(installation, arguments->names);
      const auto names = choose_toolchains(installation);
      return names ? install(installation, *names) : report_failure(names.error(), kWrongUsage);
    };
  });

  CLI::App* show = group->add_subcommand("list", "List what is installed");
  show->add_flag("--json", arguments->json, "Print JSON");
  show->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return list_toolchains(installation, arguments->json); };
  });

  CLI::App* verifying =
      group->add_subcommand("verify", "Compare the files of NAME[@VERSION], or of all, by their hashes");
  verifying->add_option("name", arguments->name, "NAME or NAME@VERSION (default: all)");
  verifying->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return verify_toolchains(installation, arguments->name); };
  });

  CLI::App* take = group->add_subcommand("adopt", "Use a venv or site-packages folder that exists already");
  take->add_option("name", arguments->name, "Compiler")->required();
  take->add_option("path", arguments->path, "The venv or folder")->required();
  take->add_option("--device", arguments->device, "The device elsewhere that has it (default: this machine)");
  take->callback([=, &installation, &chosen] {
    chosen = [=, &installation] {
      return arguments->device.empty()
                 ? adopt(installation, arguments->name, arguments->path)
                 : adopt_on_device(installation, arguments->name, arguments->path, arguments->device);
    };
  });
  add_toolchain_push(*group, installation, chosen);
  add_toolchain_download(*group, installation, chosen);

  CLI::App* drop = group->add_subcommand("remove", "Remove NAME[@VERSION]; an adopted folder is only forgotten");
  drop->add_option("name", arguments->name, "NAME or NAME@VERSION")->required();
  drop->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return remove(installation, arguments->name); }; });
}

}  // namespace ngb::app
