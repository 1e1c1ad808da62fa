// SPDX-License-Identifier: Apache-2.0
// Compares what ARCHITECTURE.md says about the rooms with what the sources do.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::rooms {

// Maps each room to the rooms that it may use. "agent/workers" is a room within "agent", whose other files may use it.
using Edges = std::map<std::string, std::set<std::string>>;

// Returns the rows of the first table whose header is "| room | … | may use |".
Edges read_table(std::string_view markdown);

// Returns the folders that `#include "folder/…"` lines name. A header of the file's own folder names none.
std::vector<std::string> included_folders(std::string_view source);

// Returns the USES of `ngb_room(…)` in a CMake file.
std::set<std::string> cmake_uses(std::string_view cmake);

// Returns one sentence for each include, CMake edge or folder that the table does not list.
std::vector<std::string> violations(const Edges& table, const std::filesystem::path& sources);

}  // namespace ngb::rooms
