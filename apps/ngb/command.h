// SPDX-License-Identifier: Apache-2.0
// The commands of ngb. Each function adds its command to the command line; if the user chooses it, `chosen` is set to
// the function that performs it.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "config/vocabulary.h"
#include "dispatch/link/installation.h"
#include "toolchain/catalog.h"

namespace ngb::app {

// The exit codes of ngb; `ngb --help` prints their meaning.
enum ExitCode : int {
  kSuccess = 0,  // of a run: every cell has a result
  kSomeCellsFailed = 1,
  kWrongUsage = 2,     // command line or study file
  kCannotGoOn = 3,     // folder in use, disk full, toolchain that cannot be installed, …
  kSlower = 4,         // of a gate: the candidate is slower, newly fails or is newly inaccurate
  kNotHeld = 4,        // of a choice that was confirmed: the limit of latency was not kept
  kUndecided = 5,      // of a gate that is told to fail then, and of a bisection without a single answer
  kFilesDiffer = 6,    // of a verified bundle: its files are not those of its manifest
  kNumbersDiffer = 7,  // of a verified bundle: its numbers do not follow from its samples
  kInterrupted = 130,
};

// The paths of this installation's parts, found from the running program's path.
struct Installation {
  dispatch::Installation parts{};
  std::filesystem::path toolchains{};  // folder of this machine's toolchains
  std::filesystem::path cache{};       // what is kept between studies; empty if there is no place for it
  std::filesystem::path devices{};     // file of the user's devices
  std::filesystem::path studies{};     // the studies that ship with ngb
};
// Sets HOME from the system's list of users if the environment has none.
Installation find_installation();

// Returns the cache of reference outputs and tuning records, created for its owner alone if it is missing. Returns ""
// and prints the reason if there is no place for a cache or other users may write in it.
std::filesystem::path usable_cache(const Installation& installation);

// Returns the folder for ssh's messages outside a run, or an error if there is no place for it.
Result<std::filesystem::path> connection_logs(const Installation& installation);

// Returns the words that a study may use, from the compilers' descriptions, the zoo's families and the user's devices.
Result<config::Vocabulary> read_vocabulary(const Installation& installation);

using Action = std::function<int()>;  // returns an ExitCode

void add_run(CLI::App& app, const Installation& installation, Action& chosen);
void add_resume(CLI::App& app, const Installation& installation, Action& chosen);
void add_fetch(CLI::App& app, const Installation& installation, Action& chosen);
void add_cancel(CLI::App& app, const Installation& installation, Action& chosen);
void add_calibrate(CLI::App& app, const Installation& installation, Action& chosen);
void add_plan(CLI::App& app, const Installation& installation, Action& chosen);
void add_show(CLI::App& app, const Installation& installation, Action& chosen);
void add_report(CLI::App& app, const Installation& installation, Action& chosen);
void add_models(CLI::App& app, const Installation& installation, Action& chosen);
void add_compilers(CLI::App& app, const Installation& installation, Action& chosen);
void add_toolchain(CLI::App& app, const Installation& installation, Action& chosen);
void add_devices(CLI::App& app, const Installation& installation, Action& chosen);
void add_doctor(CLI::App& app, const Installation& installation, Action& chosen);
void add_compare(CLI::App& app, const Installation& installation, Action& chosen);
void add_bisect(CLI::App& app, const Installation& installation, Action& chosen);
void add_gate(CLI::App& app, const Installation& installation, Action& chosen);
void add_merge(CLI::App& app, const Installation& installation, Action& chosen);
void add_bundle(CLI::App& app, const Installation& installation, Action& chosen);
void add_verify(CLI::App& app, const Installation& installation, Action& chosen);
void add_status(CLI::App& app, const Installation& installation, Action& chosen);
void add_schema(CLI::App& app, const Installation& installation, Action& chosen);
void add_choose(CLI::App& app, const Installation& installation, Action& chosen);
void add_profile(CLI::App& app, const Installation& installation, Action& chosen);
void add_new(CLI::App& app, const Installation& installation, Action& chosen);
void add_completions(CLI::App& app, const Installation& installation, Action& chosen);

// Prints "ngb: where: what; next" on stderr and returns `code`.
int report_failure(const Error& error, ExitCode code);

}  // namespace ngb::app
