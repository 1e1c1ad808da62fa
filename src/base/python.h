// SPDX-License-Identifier: Apache-2.0
// Runs small Python programs whose text is compiled in (ngb_python in cmake/Room.cmake). Each is started for one
// question, which it answers with Python's own libraries.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::python {

// Returns the interpreter that $NGB_PYTHON names; else, if this program lies in a virtual environment that has pip, the
// environment's; else "python3", which is searched in PATH.
std::string default_command();

// Return the command line of a program, or of a module, to which its own arguments are appended. `interpreter` is the
// command with its options. Python itself would look for all modules in the working folder first, and a folder that
// somebody has sent may have a json.py; with these command lines it does not look there. All Pythons that ask, install
// or draw are started so; those that compile and measure run in a folder of ours (agent/workers/launcher.h).
std::vector<std::string> run_program(std::vector<std::string> interpreter, std::string_view program);
std::vector<std::string> run_module(std::vector<std::string> interpreter, std::string_view module);

// Returns the command that runs Python with a toolchain's packages, to which a module or a script is appended. `site`
// is the folder of its packages. If ngb has installed the toolchain, the command sees nothing else that is installed on
// this machine: neither the interpreter's packages nor what they, or the user, run at each start (.pth, usercustomize).
// An adopted toolchain is used as it is.
std::vector<std::string> of_toolchain(const std::string& python, const std::filesystem::path& site);
// Returns whether ngb has installed the packages in this folder.
bool is_installed_by_ngb(const std::filesystem::path& site);

struct Question {
  std::vector<std::string> interpreter{};  // command, then its options: {"python3", "-S"}
  std::string_view program{};              // the program's text
  std::vector<std::string> arguments{};
  std::string input{};             // what the program reads from standard input
  std::filesystem::path site{};    // first entry of PYTHONPATH, and none is the user's own site; empty: nothing is set
  std::filesystem::path folder{};  // working folder; empty: ours
  int tasks = 1;                   // that it does, each of which may take ten minutes
};

// Returns what the program's own text has printed, and nothing that libraries print: its `print`, which it hands to our
// modules, writes to a descriptor of its own. Fails if the program cannot be started, did not end within ten minutes
// for each task (a first import from a slow disk takes minutes), or failed; then the error is the last line of all that
// it printed.
Result<std::string> ask(const Question& question);

}  // namespace ngb::python
