// SPDX-License-Identifier: Apache-2.0
// Lists a delivered tree's files in the tree itself, so that it can be checked for damage later.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

// The file in a tree that lists the others.
inline constexpr const char* kTreeListFile = ".ngraphbench-files";

Status write_tree_list(const std::filesystem::path& folder, const std::vector<samples::TreeFile>& files);

// Returns the regular files below the folder with their sizes, without hashes and without __pycache__.
std::vector<samples::TreeFile> files_in(const std::filesystem::path& folder);

enum class TreeCheck { sizes, hashes };
// Returns whether every file in the tree's list exists with its size and, with `hashes`, its content. Files that are
// not in the list are ignored. A tree without a list (of an earlier version, adopted, or unpacked by hand) counts as
// whole.
bool is_tree_whole(const std::filesystem::path& folder, TreeCheck check);

}  // namespace ngb::reception
