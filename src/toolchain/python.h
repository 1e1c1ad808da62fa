// SPDX-License-Identifier: Apache-2.0
// The Python that a toolchain is made with and hosted by, asked about itself in a process of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/marker.h"
#include "toolchain/target.h"

namespace ngb::toolchain {

struct Python {
  std::string command{};     // how it was started: "python3", "/venv/bin/python"
  std::string executable{};  // its own file; the base interpreter's where `command` belongs to a virtual environment
  std::string version{};     // "3.11.7"
  MarkerVariables marker_variables{};
  std::optional<Target> target{};  // wheels are chosen for this kind of device; nothing: for itself
};

// $NGB_PYTHON, else python3 of the PATH. Error says what to install: none there, or older than 3.9.
Result<Python> find_python();
Result<Python> ask_python(const std::string& command);
// The same one, choosing wheels for another kind of device.
Python with_target(Python python, const Target& target);

struct Distribution {
  std::string name{};
  std::string version{};
};
struct Contents {
  std::string version{};                      // of the first of the asked names that is there
  std::filesystem::path site{};               // the folder that holds it
  std::vector<Distribution> distributions{};  // everything in that folder, sorted by name
};
// What an interpreter finds when `site` (may be empty) comes first in its path. Error when none of `names` is there.
Result<Contents> look_into(const std::string& command, const std::filesystem::path& site,
                           const std::vector<std::string>& names);

// Imports the modules, each in turn ("a|b": the first of them that is there), with `site` (may be empty) first in the
// path. `from_site_only`: without what else the interpreter has installed. Error has the last line of Python's own
// message.
Status try_imports(const std::string& command, const std::filesystem::path& site,
                   const std::vector<std::string>& modules, bool from_site_only);

}  // namespace ngb::toolchain
