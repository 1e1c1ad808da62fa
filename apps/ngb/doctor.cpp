// SPDX-License-Identifier: Apache-2.0
#include "toolchain/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"

namespace ngb::app {
namespace {

using toolchain::Check;

int examine(const Installation& installation, bool json) {
  const std::vector<Check> checks = toolchain::examine(installation.lib, installation.toolchains);
  const bool lacks_something = std::any_of(checks.begin(), checks.end(),
                                           [](const Check& check) { return check.state == Check::State::missing; });
  nlohmann::json all = nlohmann::json::array();
  for (const Check& check : checks) {
    all.push_back({{"name", check.name},
                   {"state", toolchain::name(check.state)},
                   {"found", check.found},
                   {"advice", check.advice}});
    if (json) continue;
    fmt::print("{:<8} {:<24} {}\n", toolchain::name(check.state), check.name, check.found);
    if (!check.advice.empty()) fmt::print("{:<8} {:<24} → {}\n", "", "", check.advice);
  }
  if (json) fmt::print("{}\n", all.dump(2));
  return lacks_something ? kCannotGoOn : kAllCellsHaveResults;
}

}  // namespace

void add_doctor(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine has and lacks, and what to type");
  command->add_flag("--json", *json, "Print JSON");
  command->footer("Exit code 0: nothing that a study needs is missing; 3: something is.");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return examine(installation, *json); }; });
}

}  // namespace ngb::app
