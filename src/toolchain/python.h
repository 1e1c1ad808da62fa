// SPDX-License-Identifier: Apache-2.0
// Finds the Python that makes and hosts a toolchain, and asks it about itself in a process of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/target.h"

namespace ngb::toolchain {

struct Python {
  std::string command{};           // how it was started: "python3", "/venv/bin/python"
  std::string executable{};        // its own file; of a virtual environment, the base interpreter's
  std::string version{};           // "3.11.7"
  std::string pip_version{};       // "23.2.1"; "" if it has no pip
  std::optional<Target> target{};  // kind of device for which wheels are chosen; nothing: this machine
};

// Returns $NGB_PYTHON, or python3 of the PATH if that is not set. If this is a virtual environment without pip, as uv
// makes them, returns its base interpreter, provided that has pip. If Python is missing or older than 3.9, the error
// says what to install.
Result<Python> find_python();
Result<Python> ask_python(const std::string& command);
// Returns the same Python with another kind of device as target.
Python with_target(Python python, const Target& target);

// Imports the modules one by one ("a|b": the first that exists), with `site` (may be empty) as the first entry of
// PYTHONPATH. `from_site_only` hides the interpreter's other packages. An error is the last line of Python's message.
Status try_imports(const std::string& command, const std::filesystem::path& site,
                   const std::vector<std::string>& modules, bool from_site_only);

}  // namespace ngb::toolchain
