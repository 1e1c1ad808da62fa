// SPDX-License-Identifier: Apache-2.0
// Has pip choose wheels, which downloads none of them, and install wheels that were chosen. The user's own
// configuration of pip chooses index, proxy and certificates and is never changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/python.h"

namespace ngb::toolchain {

// ChosenWheel is a package as pip chose it. A size is empty if the index does not tell it.
struct ChosenWheel {
  std::string name{};  // normalised
  std::string version{};
  std::string sha256{};                            // "" if pip did not report it
  std::vector<std::string> requires_dist{};        // its own requirements, as it states them
  std::string url{};                               // with the hash, if the index has one
  std::optional<std::uint64_t> download_bytes{};   // of the wheel
  std::optional<std::uint64_t> installed_bytes{};  // of its files, without bytecode
  std::optional<std::uint64_t> python_bytes{};     // of its files in Python
};

// Parses the output of `pip install --report`, with what resolve.py adds to it. An error names what is missing.
Result<std::vector<ChosenWheel>> parse_report(std::string_view json_text);

struct PipChoice {
  std::vector<std::string> requirements{};
  std::filesystem::path scratch{};  // for pip's own files
  bool with_dependencies = false;   // also choose what the requirements require, recursively
  bool prefer_cpu = false;          // 2.15.0+cpu comes before 2.15.0 and 2.15.0+cu132
  bool needs_hashes = false;        // download wheels of which the index has no hash
};
// Returns what pip's resolver chooses, in its order, for the markers of this machine or of the target. Reads only the
// wheels' metadata if the index permits it, which answers range requests.
Result<std::vector<ChosenWheel>> pip_choose(const Python& python, const PipChoice& choice);

struct PipRun {
  std::filesystem::path site{};     // --target; empty, or does not exist yet
  std::filesystem::path scratch{};  // for pip's own files; same file system as `site`
  std::vector<ChosenWheel> wheels{};
};
// Installs exactly these wheels, each from its URL and compared with its hash, and makes the bytecode of all but their
// tests. `on_line` receives a line about each download. Returns them with the hashes that pip reports.
Result<std::vector<ChosenWheel>> pip_install(const Python& python, const PipRun& run,
                                             const std::function<void(std::string_view)>& on_line);

}  // namespace ngb::toolchain
