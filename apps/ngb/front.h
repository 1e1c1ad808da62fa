// SPDX-License-Identifier: Apache-2.0
// The front of ngb's command line: how its help looks, and what it says of words that are no command and no option.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ngb::app {

// Sets how the app's help looks, and that of all commands that are added from now on.
void set_help(CLI::App& app);

// Parses the command line, and calls back the command that it chooses. Prints help and the version if they are asked
// for, and help if nothing is. Returns the program's exit code if it is to end now; nothing if a command was chosen.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

// The words that a command takes, for help, suggestions and completions.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
struct OptionWord {
  std::string text{};  // "--output"
  const CLI::Option* option = nullptr;
};
std::vector<OptionWord> options_of(const CLI::App& app);
// Returns the app's command of that name; null if there is none.
const CLI::App* command_of(const CLI::App& app, const std::string& name);
// Returns "ngb toolchain install".
std::string path_of(const CLI::App& app);

}  // namespace ngb::app
