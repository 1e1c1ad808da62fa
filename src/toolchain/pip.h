// SPDX-License-Identifier: Apache-2.0
// Runs pip as a program: one call installs packages into a folder and reports them. The user's own configuration of pip
// chooses index, proxy and certificates and is never changed.
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

// Fails if Python has no pip, or one older than 22.2 (which has no --report).
Result<std::string> pip_version(const Python& python);

// Installed is a package as pip installed it.
struct Installed {
  std::string name{};  // normalised
  std::string version{};
  std::string sha256{};                      // of the wheel; "" if pip did not report it
  std::vector<std::string> requires_dist{};  // its own requirements, as its wheel states them
};

// Parses the output of `pip install --report`. An error names what is missing.
Result<std::vector<Installed>> parse_report(std::string_view json_text);

// Returns every version of the package that pip's configured index has as a wheel for this machine and Python, newest
// first, pre-releases included. Fails with the code `unreachable` if one of the index's pages cannot be read, and with
// `not_found` if no version is found.
Result<std::vector<std::string>> pip_versions(const Python& python, const std::string& package);

// Parses the output of `pip index versions -vv`, as pip_versions returns it.
Result<std::vector<std::string>> parse_versions(std::string_view output, const std::string& package);

struct PipRun {
  std::filesystem::path site{};     // --target; empty, or does not exist yet
  std::filesystem::path scratch{};  // for pip's own files; same file system as `site`
  std::vector<std::string> requirements{};
  bool only_choose = false;  // install nothing, only report what would be installed
};
// Installs exactly `requirements` and not what they require. `on_line` receives pip's lines about downloads. pip skips
// requirements whose marker is false here.
Result<std::vector<Installed>> pip_install(const Python& python, const PipRun& run,
                                           const std::function<void(std::string_view)>& on_line);

// Returns what went wrong and what to do, from pip's output: no such version (the error lists the nearest ones), no
// network, disk full, no wheel for this machine, or else pip's last error. `device` describes the device for which
// wheels were chosen; "" is this machine. The code is `unreachable` without a network or an answering index,
// `not_found` if there is no such version, `disk_full`, or `other`.
Error explain_pip_failure(std::string_view output, std::string_view device = "");

}  // namespace ngb::toolchain
