// SPDX-License-Identifier: Apache-2.0
// A toolchain: one version of one compiler on this device, in a folder of its own with a manifest.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/catalog.h"
#include "toolchain/target.h"

namespace ngb::toolchain {

struct Package {
  std::string name{};
  std::string version{};
  std::string sha256{};          // of the wheel; "" when adopted
  std::uint64_t size_bytes = 0;  // installed
};

struct Toolchain {
  std::string compiler{};
  std::string version{};
  std::filesystem::path folder{};  // holds manifest.json
  std::filesystem::path site{};    // site-packages: inside folder, or the adopted venv's
  std::string python{};            // interpreter that can import from `site`
  std::string python_version{};    // its "3.11.7" when the packages were chosen; "" where a manifest does not say
  bool is_adopted = false;
  std::vector<Package> packages{};
  std::uint64_t size_bytes = 0;
  std::string created{};          // "2026-11-21T10:30:00Z"
  std::string manifest_sha256{};  // over compiler, version and packages: the same wheels give the same hash
};

// $NGB_TOOLCHAINS, else $XDG_DATA_HOME/ngraphbench/toolchains, else ~/.local/share/ngraphbench/toolchains.
std::filesystem::path default_root();

// Installed and adopted ones, sorted by compiler and version. A folder without a readable manifest is not one.
Result<std::vector<Toolchain>> list(const std::filesystem::path& root);
// Nothing when it is not installed.
Result<std::optional<Toolchain>> find(const std::filesystem::path& root, std::string_view compiler,
                                      std::string_view version);

using Progress = std::function<void(std::string_view line)>;

// The compiler's toolchain, its own or the one that it shares.
// Installs with pip (its own index settings apply), with the Python that $NGB_PYTHON names, else python3. Present
// already: returns it. A killed install leaves only a
// ".partial" folder, which the next install of the same toolchain removes.
Result<Toolchain> install(const std::filesystem::path& root, const CompilerDescription& compiler,
                          const std::string& version, const Progress& progress);
// The same for devices of another kind, with this machine's pip; nothing of it is run here, so its imports are not
// tried. `root`: the toolchains of that kind (targets_root).
Result<Toolchain> fetch(const std::filesystem::path& root, const CompilerDescription& compiler,
                        const std::string& version, const Target& target, const Progress& progress);
// Which wheels that would take, without taking them: no folder, and sizes are 0. pip works in `root`.
Result<Toolchain> choose(const std::filesystem::path& root, const CompilerDescription& compiler,
                         const std::string& version, const Target& target, const Progress& progress);
// Beside the folder of this machine's toolchains: "toolchains-aarch64-cp311-glibc2.36".
std::filesystem::path targets_root(const std::filesystem::path& root, const Target& target);
// Takes a venv or site-packages folder that exists already; its version is read from the package itself, without a
// local part ("2.15.0+cpu" is 2.15.0). Nothing is copied and nothing is ever written there.
Result<Toolchain> adopt(const std::filesystem::path& root, const CompilerDescription& compiler,
                        const std::filesystem::path& path);
// Deletes an installed toolchain's folder; an adopted one is only forgotten. Error when there is none.
Status remove(const std::filesystem::path& root, std::string_view compiler, std::string_view version);

}  // namespace ngb::toolchain
