// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "campaign/study_compilers.h"
#include "store/store.h"

namespace ngb::app {

using CellStates = std::vector<store::CellState>;

// Returns the progress of a run's cells when it has ended, which is read once for all that is said of it.
Result<CellStates> states_of(const std::filesystem::path& results_folder);

// Prints the results of a run that has ended: in the usual format as a table or, if they are very many, as counts.
// Returns kSomeCellsFailed if cells failed.
int print_outcome(const Installation& installation, const std::filesystem::path& results_folder,
                  const CellStates& states, const FormatArguments& format);

// Prints the results of a run that its budget has ended. Returns kCannotGoOn if a cell has no result yet.
int print_what_the_budget_allowed(const Installation& installation, const std::filesystem::path& results_folder,
                                  const CellStates& states, const FormatArguments& format, const std::string& budget);

// Says of a run that was stopped what is measured, where it is shown, and how it is resumed.
void tell_what_was_measured(const std::filesystem::path& results_folder);

// Says what to type to get the fastest cell's number in a program of one's own, if ngb writes programs for its
// compiler. Reads the repetitions of that cell's workload only.
void tell_how_to_export(const std::filesystem::path& results_folder, const campaign::Compilers& compilers);

// Writes RESULTS/report of a run that has ended, prints the page's path and returns it; nothing if it wrote none. A
// page that cannot be written is only a warning. Of so many cells that writing would delay the end of the run, it
// writes none.
std::optional<std::filesystem::path> write_report_of_run(const std::filesystem::path& results, std::size_t cells);

}  // namespace ngb::app
