// SPDX-License-Identifier: Apache-2.0
// The front of ngb's command line: how its help looks, and what it says of words that are no command and no option.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace ngb::app {

// Sets how the app's help looks, and that of all commands that are added from now on.
void set_help(CLI::App& app);

// Parses the command line, and calls back the command that it chooses. Prints help and the version if they are asked
// for, and help if nothing is. Returns the program's exit code if it is to end now; nothing if a command was chosen.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace ngb::app
