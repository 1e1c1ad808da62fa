// SPDX-License-Identifier: Apache-2.0
// ngb compilers: lists the compilers that studies may name, their installed versions and their options.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "config/keys/value.h"
#include "toolchain/hardware.h"
#include "toolchain/pins.h"
#include "toolchain/toolchain.h"

namespace ngb::app {
namespace {

using toolchain::CompilerDescription;
using toolchain::OptionDescription;

struct CompilersArguments {
  std::string name{};  // empty: all
  bool json = false;
};

struct CompilerRow {
  CompilerDescription compiler{};
  std::vector<std::string> installed{};     // versions, oldest first
  std::vector<std::string> devices_here{};  // those of its devices that this machine has
};

std::vector<CompilerRow> rows_of(const std::vector<CompilerDescription>& catalog,
                                 const std::vector<toolchain::Toolchain>& toolchains) {
  std::vector<CompilerRow> rows;
  for (const CompilerDescription& compiler : catalog) {
    CompilerRow& row = rows.emplace_back(CompilerRow{compiler, {}, {}});
    for (const std::string& device : compiler.devices) {
      if (toolchain::has_device(device)) row.devices_here.push_back(device);
    }
    for (const toolchain::Toolchain& each : toolchains) {
      if (each.compiler == compiler.toolchain) row.installed.push_back(each.version);
    }
  }
  return rows;
}

std::string devices_here_words(const CompilerRow& row) {
  return row.devices_here.empty() ? "none" : text::join(row.devices_here, ", ");
}

std::string installed_words(const CompilerRow& row) {
  if (!row.compiler.needs_toolchain) return "built in";
  return row.installed.empty() ? "no" : text::join(row.installed, ", ");
}

// Returns null for a compiler that hands no settings on.
nlohmann::json settings_json(const toolchain::SettingsDescription& settings) {
  if (settings.meaning.empty()) return nullptr;
  nlohmann::json reserved = nlohmann::json::object();
  for (const toolchain::ReservedSetting& each : settings.reserved) reserved[each.name] = each.owner;
  return {{"meaning", settings.meaning}, {"reserved", std::move(reserved)}};
}

nlohmann::json default_of(const OptionDescription& option) {
  return option.type == "string" ? nlohmann::json(option.default_value) : config::json_of(option.default_value);
}

nlohmann::json compiler_json(const CompilerRow& row) {
  nlohmann::json options = nlohmann::json::array();
  for (const OptionDescription& option : row.compiler.options) {
    options.push_back({{"name", option.name},
                       {"type", option.type},
                       {"values", option.values},
                       {"default", default_of(option)},
                       {"meaning", option.meaning}});
  }
  return {{"name", row.compiler.name},
          {"summary", row.compiler.summary},
          {"host", row.compiler.host},
          {"needs_toolchain", row.compiler.needs_toolchain},
          {"default_version", row.compiler.default_version},
          {"installed", row.installed},
          {"devices", row.compiler.devices},
          {"devices_here", row.devices_here},
          {"in_flight", row.compiler.in_flight},
          {"options", std::move(options)},
          {"settings", settings_json(row.compiler.settings)}};
}

void print_compilers(const std::vector<CompilerRow>& rows) {
  say("{:<14} {:<18} {:<12} {:<19} {:<8} {}\n", "compiler", "installed", "default", "devices here", "host",
      "what it is");
  for (const CompilerRow& row : rows) {
    const CompilerDescription& compiler = row.compiler;
    say("{:<14} {:<18} {:<12} {:<19} {:<8} {}\n", compiler.name, installed_words(row),
        compiler.default_version.empty() ? "-" : compiler.default_version, devices_here_words(row), compiler.host,
        compiler.summary);
  }
  say("ngb compilers NAME shows a compiler's options; ngb toolchain install NAME installs one.\n");
}

void print_settings(const CompilerDescription& compiler) {
  const toolchain::SettingsDescription& settings = compiler.settings;
  if (settings.meaning.empty()) return;
  say("\nsettings, in a study as `{}: {{settings: {{NAME: VALUE}}}}`\n  {}\n", compiler.name, settings.meaning);
  for (const toolchain::ReservedSetting& reserved : settings.reserved) {
    say("  not {}: {}\n", reserved.name, reserved.owner);
  }
}

void print_one(const CompilerRow& row) {
  const CompilerDescription& compiler = row.compiler;
  say("{}: {}\n\n", compiler.name, compiler.summary);
  const auto line = [](std::string_view name, const std::string& value) { say("  {:<13} {}\n", name, value); };
  line("installed", installed_words(row));
  if (compiler.needs_toolchain) {
    line("default", compiler.default_version);
    const std::vector<std::string> tested = toolchain::tested_versions(compiler.toolchain);
    line("tested", tested.empty() ? "none" : text::join(tested, ", "));
  }
  line("devices", text::join(compiler.devices, ", "));
  line("devices here", devices_here_words(row));
  line("host", compiler.host);
  line("in flight", compiler.in_flight ? "one or several inferences" : "one inference");
  if (!compiler.options.empty()) say("\noptions, in a study as `{}: {{options: {{NAME: VALUE}}}}`\n", compiler.name);
  for (const OptionDescription& option : compiler.options) {
    const std::string value = option.values.empty() ? option.type : text::join(option.values, " | ");
    say("  {}: {}  (default {})\n      {}\n", option.name, value, config::plain_text(default_of(option)),
        option.meaning);
  }
  print_settings(compiler);
}

int show_compilers(const Installation& installation, const CompilersArguments& arguments) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return report_failure(catalog.error(), kCannotGoOn);
  const auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return report_failure(toolchains.error(), kCannotGoOn);
  std::vector<CompilerRow> rows = rows_of(*catalog, *toolchains);
  if (!arguments.name.empty()) {
    const auto wanted = toolchain::find_compiler(*catalog, arguments.name);
    if (!wanted) return report_failure(wanted.error(), kWrongUsage);
    std::erase_if(rows, [&](const CompilerRow& row) { return row.compiler.name != wanted->name; });
  }
  if (arguments.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const CompilerRow& row : rows) all.push_back(compiler_json(row));
    print_json_text(all);
  } else if (arguments.name.empty()) {
    print_compilers(rows);
  } else {
    print_one(rows.front());
  }
  return kSuccess;
}

}  // namespace

void add_compilers(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<CompilersArguments>();
  CLI::App* command = app.add_subcommand("compilers", "List the compilers, or show one with its options");
  command->add_option("name", arguments->name, "Compiler (default: a table of all)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Example:\n  ngb compilers openvino");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation] { return show_compilers(installation, *arguments); };
  });
}

}  // namespace ngb::app
