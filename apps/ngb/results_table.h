// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"

namespace ngb::app {

// Prints the table of a results folder, as wide as the terminal, on stdout; the best options below it where they are
// asked for, here or by the study. kSomeCellsFailed when it has failed cells.
ExitCode print_table(const std::filesystem::path& results_folder, bool all, bool best);

}  // namespace ngb::app
