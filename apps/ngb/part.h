// SPDX-License-Identifier: Apache-2.0
// The options of ngb run that choose a part of a study.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "plan/plan.h"

namespace ngb::app {

struct PartArguments {
  std::map<std::string, std::vector<std::string>> wanted{};  // words by the name of the filter (report/results.h)
  bool only_failed = false;
  std::vector<std::string> without{};  // devices

  [[nodiscard]] bool is_whole() const;
};

// Adds an option for each filter of cells, of which each may have several words, --failed and --without.
void add_part_options(CLI::App& command, PartArguments& arguments);

// Keeps the cells of the plan that were asked for, as if the study had no others. Returns an error if a word fits no
// cell, or if no cell passes. `results` is the folder in which cells may have failed.
Status take_part(plan::Plan& plan, const PartArguments& arguments, const std::filesystem::path& results);

}  // namespace ngb::app
