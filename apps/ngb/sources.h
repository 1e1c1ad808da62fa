// SPDX-License-Identifier: Apache-2.0
// The options of commands that read several results folders as one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ngb/command.h"
#include "store/merge.h"

namespace ngb::app {

struct SourcesArguments {
  std::vector<std::string> folders{};
  std::vector<std::string> renamings{};  // the values of --as
};

// Adds the positional arguments (between `fewest` and `most` folders) and --as.
void add_source_options(CLI::App& command, SourcesArguments& arguments, const std::string& what, int fewest, int most);

// Adds an option for each filter of cells (report/results.h), but not for the one named `without`. `wanted` receives
// the words by the name of the filter.
void add_filter_options(CLI::App& command, std::map<std::string, std::vector<std::string>>& wanted,
                        std::string_view without = {});

// Returns the results files, with the new names of their devices. OLD=NEW renames in every folder that has a device
// OLD, FOLDER:OLD=NEW in that folder only, where it overrides the former. Returns an error if a value has another form,
// names a folder that is not among the arguments or a device that no such folder has, or if a results file cannot be
// read.
Result<std::vector<store::Source>> sources_of(const SourcesArguments& arguments);

}  // namespace ngb::app
