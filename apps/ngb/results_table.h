// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "campaign/installation.h"

namespace ngb::app {

// Prints what `ngb show` does of a results folder: in the usual format a table, as wide as the terminal, with the best
// options below it if the study asks for them.
int print_table(const Installation& installation, const std::filesystem::path& results_folder,
                const FormatArguments& format = {});

// Computes the values of all cells of a results folder and keeps them in its file, for those who query it; but not of
// more than 10,000 cells. Ignores errors: a file that cannot be written can still be shown.
void keep_values(const std::filesystem::path& results_folder);

}  // namespace ngb::app
