// SPDX-License-Identifier: Apache-2.0
// The commands of ngb. Each function adds its command to the command line; if the user chooses it, `chosen` is set to
// the function that performs it.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/refusal.h"
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
  kNotAsFast = 4,      // of an exported program that was verified: its speed is not ngb's
  kUndecided = 5,      // of a gate that is told to fail then, and of a bisection without a single answer
  kFilesDiffer = 6,    // of a verified bundle: its files are not those of its manifest
  kNumbersDiffer = 7,  // of a verified bundle: its numbers do not follow from its samples
  kInterrupted = 130,
};

using campaign::Installation;

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
void add_explain(CLI::App& app, const Installation& installation, Action& chosen);
void add_gate(CLI::App& app, const Installation& installation, Action& chosen);
void add_export(CLI::App& app, const Installation& installation, Action& chosen);
void add_merge(CLI::App& app, const Installation& installation, Action& chosen);
void add_bundle(CLI::App& app, const Installation& installation, Action& chosen);
void add_verify(CLI::App& app, const Installation& installation, Action& chosen);
void add_collection(CLI::App& app, const Installation& installation, Action& chosen);
void add_status(CLI::App& app, const Installation& installation, Action& chosen);
void add_schema(CLI::App& app, const Installation& installation, Action& chosen);
void add_tune(CLI::App& app, const Installation& installation, Action& chosen);
void add_choose(CLI::App& app, const Installation& installation, Action& chosen);
void add_profile(CLI::App& app, const Installation& installation, Action& chosen);
void add_history(CLI::App& app, const Installation& installation, Action& chosen);
void add_new(CLI::App& app, const Installation& installation, Action& chosen);
void add_completions(CLI::App& app, const Installation& installation, Action& chosen);

// Prints "ngb: where: what; next" on stderr and returns `code`.
int report_failure(const Error& error, ExitCode code);
// Prints why a campaign has no answer, and returns the exit code that says so.
ExitCode report_refusal(const campaign::Refusal& refusal);

}  // namespace ngb::app
