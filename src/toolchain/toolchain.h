// SPDX-License-Identifier: Apache-2.0
// Toolchain is one version of one compiler on this device, in its own folder with a manifest.
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
  std::string sha256{};          // of the wheel; "" if adopted
  std::uint64_t size_bytes = 0;  // installed
  std::string record_sha256{};   // of an adopted one's RECORD, the list of its files with hashes; "" if none
};

struct Toolchain {
  std::string compiler{};
  std::string version{};
  std::filesystem::path folder{};  // holds manifest.json
  std::filesystem::path site{};    // site-packages: inside the folder, or in the adopted venv
  std::string python{};            // interpreter that can import from `site`
  std::string python_version{};    // its "3.11.7" when the packages were chosen; "" if unknown
  bool is_adopted = false;
  std::vector<Package> packages{};
  std::uint64_t size_bytes = 0;
  std::string created{};  // "2026-11-21T10:30:00Z"
  // The files that are not as they were installed, from the folder, with their hashes now: "" for one that is gone.
  std::map<std::string, std::string> changed{};
  std::string manifest_sha256{};  // over compiler, version, packages and changed files: equal wheels have equal hashes
};

// Returns $NGB_TOOLCHAINS, else $XDG_DATA_HOME/ngraphbench/toolchains, else ~/.local/share/ngraphbench/toolchains, as
// an absolute path (file::user_folder).
std::filesystem::path default_root();

// Returns the installed and adopted toolchains with a readable manifest, sorted by compiler and version. Their files
// are not looked at.
Result<std::vector<Toolchain>> list(const std::filesystem::path& root);
// DamagedToolchain is a folder in a toolchain's place whose manifest is missing or cannot be read, or whose files are
// not all as they were installed.
struct DamagedToolchain {
  std::string compiler{};
  std::string version{};
  std::filesystem::path folder{};
  Error why{};               // says also what to type
  bool can_be_used = false;  // as another build, because some of its files have changed
};
// Returns the damaged toolchains, sorted by compiler and version as texts, and removes them from `listed`.
std::vector<DamagedToolchain> take_damaged(const std::filesystem::path& root, std::vector<Toolchain>& listed);
// Returns nothing if it is not installed. If it is damaged, lacks files, or its manifest names another compiler or
// version, the error says why and what to type.
Result<std::optional<Toolchain>> find(const std::filesystem::path& root, std::string_view compiler,
                                      std::string_view version);

// Compares all files with those that were installed, by their hashes: with the list that was written then, and with the
// lists of the packages' wheels. Returns the paths of those that differ, are gone or were added, from the folder.
// Returns an error if its Python cannot be asked, or, for an adopted one, that of check_adopted.
Result<std::vector<std::string>> verify(const Toolchain& toolchain);

// Checks that an adopted toolchain's packages are still the adopted ones. An error names the first that is not.
Status check_adopted(const Toolchain& toolchain);

using Progress = std::function<void(std::string_view line)>;

// Installs the compiler's toolchain, its own or the shared one, with pip (the user's index settings apply) and the
// Python of $NGB_PYTHON, else python3. Returns the toolchain if it is installed already and all its files are as they
// were installed; otherwise it installs the same packages again, of which it copies those that are whole. A killed
// install leaves only a ".partial" folder, which the next install of the same toolchain removes.
Result<Toolchain> install(const std::filesystem::path& root, const CompilerDescription& compiler,
                          const std::string& version, const Progress& progress);
// Returns the versions of the compiler's toolchain that pip's configured index has for this machine and the Python with
// which `install` works, newest first, pre-releases included. Fails with the code `unreachable` if the index cannot be
// read, and with `not_found` if it has none.
Result<std::vector<std::string>> available_versions(const CompilerDescription& compiler);
// Installs for devices of another kind, with this machine's pip. Nothing of it can run here, so its imports are not
// tried. `root` holds the toolchains of that kind (targets_root).
Result<Toolchain> download(const std::filesystem::path& root, const CompilerDescription& compiler,
                           const std::string& version, const Target& target, const Progress& progress);
// Returns the wheels that `download` would install: there is no folder, and sizes are 0. pip works in `root`.
Result<Toolchain> choose(const std::filesystem::path& root, const CompilerDescription& compiler,
                         const std::string& version, const Target& target, const Progress& progress);
// Returns a folder beside that of this machine's toolchains: "toolchains-aarch64-cp311-glibc2.36".
std::filesystem::path targets_root(const std::filesystem::path& root, const Target& target);
// Adopts an existing venv or site-packages folder. Its version is read from the package, without local part
// ("2.15.0+cpu" is 2.15.0). Nothing is copied, and nothing is ever written there.
Result<Toolchain> adopt(const std::filesystem::path& root, const CompilerDescription& compiler,
                        const std::filesystem::path& path);
// Deletes the folder of a toolchain, even a damaged one, but never adopted packages. Fails if there is none.
Status remove(const std::filesystem::path& root, std::string_view compiler, std::string_view version);

}  // namespace ngb::toolchain
