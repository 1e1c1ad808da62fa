// SPDX-License-Identifier: Apache-2.0
// Finds files and folders that file::partial_path has named.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ngb::file {

struct Partial {
  std::filesystem::path path{};
  std::string host{};  // as in its name, with what the caller of partial_path has put before it
};
// Returns those that partial_path named for `path`, whoever made them.
std::vector<Partial> partials_of(const std::filesystem::path& path);
// Returns whether the path is within a folder that partial_path named. Such a folder is removed or put in its place,
// and all that it holds is put on disk then (file::put_in_place); before, nothing in it has to be.
bool is_in_partial(const std::filesystem::path& path);
// Returns the HOST of names that this host's processes make.
std::string host_in_partials();

}  // namespace ngb::file
