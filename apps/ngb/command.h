// SPDX-License-Identifier: Apache-2.0
// The commands of ngb: each adds itself to the command line and, when chosen, sets what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "config/vocabulary.h"
#include "dispatch/installation.h"
#include "toolchain/catalog.h"

namespace ngb::app {

// What ngb's exit code means; `ngb --help` prints it.
enum ExitCode : int {
  kAllCellsHaveResults = 0,
  kSomeCellsFailed = 1,
  kWrongUsage = 2,  // command line or study file
  kCannotGoOn = 3,  // folder in use, disk full, toolchain that cannot be installed, …
  kInterrupted = 130,
};

// Where this installation keeps its parts, found from the running program's own path.
struct Installation {
  dispatch::Installation parts{};
  std::filesystem::path toolchains{};  // folder of this machine's toolchains
  std::filesystem::path cache{};       // reference outputs, kept between studies
  std::filesystem::path devices{};     // file of the user's devices
};
Installation find_installation();

// The words a study may use, from the compilers' descriptions, the zoo's families and the user's devices.
Result<config::Vocabulary> read_vocabulary(const Installation& installation);

using Action = std::function<int()>;  // returns an ExitCode

void add_run(CLI::App& app, const Installation& installation, Action& chosen);
void add_resume(CLI::App& app, const Installation& installation, Action& chosen);
void add_fetch(CLI::App& app, const Installation& installation, Action& chosen);
void add_cancel(CLI::App& app, const Installation& installation, Action& chosen);
void add_plan(CLI::App& app, const Installation& installation, Action& chosen);
void add_show(CLI::App& app, const Installation& installation, Action& chosen);
void add_models(CLI::App& app, const Installation& installation, Action& chosen);
void add_compilers(CLI::App& app, const Installation& installation, Action& chosen);
void add_toolchain(CLI::App& app, const Installation& installation, Action& chosen);
void add_devices(CLI::App& app, const Installation& installation, Action& chosen);
void add_doctor(CLI::App& app, const Installation& installation, Action& chosen);
void add_status(CLI::App& app, const Installation& installation, Action& chosen);
void add_schema(CLI::App& app, const Installation& installation, Action& chosen);

// "ngb: where: what; next" on stderr.
int report_failure(const Error& error, ExitCode code);

}  // namespace ngb::app
