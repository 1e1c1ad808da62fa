// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"

namespace ngb::app {

// Prints the table of a results folder on stdout, as wide as the terminal, with the best options below it if the study
// asks for them.
int print_table(const std::filesystem::path& results_folder);

}  // namespace ngb::app
