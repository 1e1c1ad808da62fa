// SPDX-License-Identifier: Apache-2.0
// What `ngb explain` shares with commands that end with an explanation on request.
#pragma once

#include <filesystem>
#include <string>

#include "apps/ngb/command.h"
#include "campaign/two_sides.h"
#include "report/explain/profiles.h"
#include "report/formats.h"

namespace ngb::app {

// The meaning of --explain, for --help.
inline constexpr const char* kExplainMeaning =
    "Afterwards profile both sides and say where the difference arises, operator by operator";

void print_explained(const report::Document& document, const report::Format& format, bool all);

// Prints why results cannot be explained, and returns the exit code: kWrongUsage if a side has no cell.
ExitCode refuse_profiles(const Error& error);

// Prints what explains each pair. Returns kCannotGoOn, after printing why, if no pair is explained.
ExitCode print_pairs(const report::Profiles& profiles, const report::Format& format, bool all);

// Returns an error if the format cannot hold two documents one after the other.
Status check_can_explain(const report::Format& format);

// Profiles the study's models with the two sides into `results` and prints what explains their differences.
ExitCode explain_after(const Installation& installation, const std::filesystem::path& study,
                       const campaign::ProfileSides& sides, const std::filesystem::path& results,
                       const report::Format& format);

}  // namespace ngb::app
