// SPDX-License-Identifier: Apache-2.0
// Reads a folder of installed Python packages as pip arranges it: modules, and one <name>-<version>.dist-info each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::toolchain {

struct Distribution {
  std::string name{};  // as its metadata spells it
  std::string version{};
  std::uint64_t size_bytes = 0;  // total of the files that its RECORD lists, and of their bytecode
};

struct Contents {
  std::string version{};                      // of the first of `names` that is installed
  std::filesystem::path site{};               // the folder that holds it
  std::vector<Distribution> distributions{};  // all packages in that folder, sorted by name
};
// Returns what is in `site` or, if that is empty, what the interpreter finds. Fails if there is none of `names`.
Result<Contents> examine_site(const std::string& command, const std::filesystem::path& site,
                              const std::vector<std::string>& names);

// Any Python (`command`) can answer the following, also about a folder for another kind of device.
namespace site {

// Returns every package in `site`, sorted by name.
Result<std::vector<Distribution>> contents(const std::string& command, const std::filesystem::path& site);

// Returns the files that the RECORDs of the named packages list and that are missing or are not those of the wheel, as
// paths from the site, and "NAME" for a package that has no RECORD any more.
Result<std::vector<std::string>> unlike_record(const std::string& command, const std::filesystem::path& site,
                                               const std::vector<std::string>& names);

// Copies the files that the RECORDs of the named packages list from one site into another one, and makes their bytecode
// there: that of the first site has no hash. Returns the names of the copied ones. Does not copy a package of which a
// file is missing, or is not the one that was in the wheel.
Result<std::vector<std::string>> copy(const std::string& command, const std::filesystem::path& from,
                                      const std::filesystem::path& into, const std::vector<std::string>& names);

// Moves everything in `from` into `into` (same file system). Folders of the same name are merged, because packages
// share namespaces such as nvidia/, which pip would replace. Files are replaced.
Status merge(const std::filesystem::path& from, const std::filesystem::path& into);

}  // namespace site
}  // namespace ngb::toolchain
