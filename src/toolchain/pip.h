// SPDX-License-Identifier: Apache-2.0
// pip, as a program: one call installs packages into a folder and tells what it took. Which index it asks, through
// which proxy, with which certificates, is the user's own configuration of pip and is never touched here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/python.h"

namespace ngb::toolchain {

// Error when Python has no pip, or one older than 22.2 (which has no --report).
Result<std::string> pip_version(const Python& python);

// One package as pip installed it.
struct Installed {
  std::string name{};  // normalised
  std::string version{};
  std::string sha256{};                      // of the wheel; "" when pip did not tell
  std::vector<std::string> requires_dist{};  // its own requirements, as its wheel states them
};

// What `pip install --report` wrote. Error names what is missing.
Result<std::vector<Installed>> parse_report(std::string_view json_text);

struct PipRun {
  std::filesystem::path site{};     // --target; empty or not there yet
  std::filesystem::path scratch{};  // for pip's own files; same file system as `site`
  std::vector<std::string> requirements{};
  bool only_choose = false;  // tell what would be installed, and install nothing
};
// Installs exactly `requirements`, without what they require. `on_line` gets pip's own lines about what it fetches.
// Requirements whose marker is false here are left out by pip.
Result<std::vector<Installed>> pip_install(const Python& python, const PipRun& run,
                                           const std::function<void(std::string_view)>& on_line);

// What went wrong, from pip's output, and what to do: no such version (the nearest ones are listed), no network, disk
// full, no wheel for this machine; else pip's own last error. `device`: for which wheels were chosen, in words; "":
// this one.
Error explain_pip_failure(std::string_view output, std::string_view device = "");

}  // namespace ngb::toolchain
