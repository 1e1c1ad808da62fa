// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"

namespace ngb::app {

// Prints the table of a results folder, as wide as the terminal, on stdout. kSomeCellsFailed when it has failed cells.
ExitCode print_table(const std::filesystem::path& results_folder, bool all);

}  // namespace ngb::app
