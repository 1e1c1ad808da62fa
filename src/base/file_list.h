// SPDX-License-Identifier: Apache-2.0
// Lists a folder's files in the folder itself, as they were when it was put in its place: a tree that was delivered, an
// installed toolchain, an entry of the cache. The list tells later whether they still are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::file_list {

// The file in a folder that lists the others.
inline constexpr const char* kName = ".ngraphbench-files";

struct Entry {
  std::string path{};  // from the folder
  std::uint64_t size_bytes = 0;
  std::string sha256{};          // "" if it is unknown
  std::int64_t modified_ns = 0;  // since 1970
};

// Returns the regular files below the folder, sorted by path, without hashes; links are followed. The list itself and
// Python's caches (__pycache__), which every machine makes for itself, are left out. Returns an error if the folder
// cannot be read.
Result<std::vector<Entry>> files_below(const std::filesystem::path& folder);

// Writes the list. Hashes the files of which the hash is unknown, and asks for the time of each.
Status write(const std::filesystem::path& folder, std::vector<Entry> files);
// Writes the list of all files below the folder, and hashes them.
Status write(const std::filesystem::path& folder);

bool is_there(const std::filesystem::path& folder);

enum class Check { sizes, hashes };
// Returns whether the folder has a list, and every listed file exists with its size and, with `hashes`, its content.
// Files that are not listed are ignored.
bool is_whole(const std::filesystem::path& folder, Check check);

// Returns the files that are not as they are listed, with their hashes now: "" for one that is gone. Files that are
// not listed are among them. Reads only files whose size or time differs or, with `hashes`, all. Where only times
// differ, the list learns them, if it can be written. Returns an error if there is no list, or a file cannot be read.
Result<std::map<std::string, std::string>> changes(const std::filesystem::path& folder, Check check = Check::sizes);

}  // namespace ngb::file_list
