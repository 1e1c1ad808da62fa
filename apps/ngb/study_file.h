// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"
#include "plan/plan.h"

namespace ngb::app {

// The file in a results folder with the study as it was run last, including every default.
inline constexpr const char* kStudyFile = "study.json";

// Reads a study file and plans it. A name without an ending that is no file ("quickstart") is a study that ships with
// ngb. On failure prints every problem to stderr and returns the exit code.
tl::expected<plan::Plan, ExitCode> plan_study(const Installation& installation, const std::filesystem::path& given);

}  // namespace ngb::app
