// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"
#include "plan/plan.h"

namespace ngb::app {

// In a results folder: the study as it was run last, with every default.
inline constexpr const char* kStudyFile = "study.json";

// Study file -> plan. On failure every problem has been printed to stderr, and the exit code is the error.
tl::expected<plan::Plan, ExitCode> plan_study(const Installation& installation, const std::filesystem::path& file);

}  // namespace ngb::app
