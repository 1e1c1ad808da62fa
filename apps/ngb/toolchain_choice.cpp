// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/toolchain_choice.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "campaign/study_file.h"
#include "toolchain/catalog.h"
#include "toolchain/hardware.h"
#include "toolchain/toolchain.h"

namespace ngb::app {
namespace {

bool is_usable_here(const toolchain::CompilerDescription& compiler) {
  const auto& devices = compiler.devices;
  const bool owns_toolchain = compiler.needs_toolchain && compiler.toolchain == compiler.name;
  const auto is_here = [](const std::string& device) { return toolchain::has_device(device); };
  return owns_toolchain && std::any_of(devices.begin(), devices.end(), is_here);
}

// The compilers that have their toolchain from another one: "torchscript, eager-cpp".
std::string others_that_use(const std::string& name, const std::vector<toolchain::CompilerDescription>& catalog) {
  std::vector<std::string> names;
  for (const toolchain::CompilerDescription& each : catalog) {
    if (each.toolchain == name && each.name != name) names.push_back(each.name);
  }
  return names.empty() ? "" : "; also for " + text::join(names, ", ");
}

void print_choice(const std::vector<toolchain::CompilerDescription>& usable,
                  const std::vector<toolchain::CompilerDescription>& catalog) {
  say("{:<14} {:<14} {:>9}  {}\n", "toolchain", "version", "size", "what it is");
  for (const toolchain::CompilerDescription& each : usable) {
    const std::string size = each.disk_bytes == 0 ? "unknown" : text::human_bytes(each.disk_bytes);
    say("{:<14} {:<14} {:>9}  {}{}\n", each.name, each.default_version, size, each.summary,
        others_that_use(each.name, catalog));
  }
}

// Returns those of the study quickstart that are usable.
std::vector<std::string> quickstart_of(const Installation& installation,
                                       const std::vector<toolchain::CompilerDescription>& usable) {
  auto names = campaign::quickstart_compilers(installation).value_or(std::vector<std::string>());
  std::erase_if(names, [&](const std::string& name) {
    return std::none_of(usable.begin(), usable.end(), [&](const auto& each) { return each.name == name; });
  });
  return names;
}

Result<std::vector<std::string>> ask(const std::vector<toolchain::CompilerDescription>& usable,
                                     const std::vector<std::string>& quickstart) {
  const std::string usual = quickstart.empty() ? "none" : text::join(quickstart, " ");
  if (::isatty(STDIN_FILENO) == 0) {
    return fail("no toolchain was named, and nobody can be asked, because the input is no terminal", "",
                "ngb toolchain install " + (quickstart.empty() ? usable.front().name : usual));
  }
  say("Which ones? Names, all, or none [{}]: ", usual);
  std::string line;
  std::getline(std::cin, line);
  std::vector<std::string> names;
  for (const std::string& word : text::split(line, ' ')) {
    if (!word.empty()) names.push_back(word);
  }
  if (names.empty()) return quickstart;
  if (names == std::vector<std::string>{"none"}) return std::vector<std::string>{};
  if (names != std::vector<std::string>{"all"}) return names;
  names.clear();
  for (const toolchain::CompilerDescription& each : usable) names.push_back(each.name);
  return names;
}

}  // namespace

Result<std::vector<std::string>> choose_toolchains(const Installation& installation) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return error_of(catalog);
  const auto installed = toolchain::list(installation.toolchains);
  if (!installed) return error_of(installed);
  std::vector<toolchain::CompilerDescription> usable;
  for (const toolchain::CompilerDescription& each : *catalog) {
    const bool is_installed = std::any_of(installed->begin(), installed->end(), [&](const toolchain::Toolchain& there) {
      return there.compiler == each.name && there.version == each.default_version;
    });
    if (is_usable_here(each) && !is_installed) usable.push_back(each);
  }
  if (usable.empty()) {
    say("Every toolchain that this machine can use is installed.\n");
    return std::vector<std::string>{};
  }
  print_choice(usable, *catalog);
  return ask(usable, quickstart_of(installation, usable));
}

}  // namespace ngb::app
