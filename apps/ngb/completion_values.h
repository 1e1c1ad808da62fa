// SPDX-License-Identifier: Apache-2.0
// What may follow the words of a command line, which a shell's completion offers: ngb's own names, and those in
// results.
#pragma once

#include <string>
#include <vector>

#include "apps/ngb/command.h"

namespace ngb::app {

// Returns the values of the option or, if none was begun, of the argument that follows the words "ngb", "show",
// "results/test", "--model". Nothing where only the user knows them.
std::vector<std::string> values_after(const CLI::App& app, const Installation& installation,
                                      const std::vector<std::string>& words);

}  // namespace ngb::app
