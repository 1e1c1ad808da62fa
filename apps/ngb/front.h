// SPDX-License-Identifier: Apache-2.0
// The front of ngb's command line: how its help looks, and what it says of words that are no command and no option.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace ngb::app {

// Sets how the app's help looks, and that of all commands that are added from now on.
void set_help(CLI::App& app);

// Parses the command line by the commands that the app has. Prints help and the version if they are asked for, and help
// with the exit code of wrong usage if nothing is. Returns an ExitCode if there is nothing more to do; else the chosen
// command has been called back.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace ngb::app
