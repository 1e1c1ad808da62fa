// SPDX-License-Identifier: Apache-2.0
// What ARCHITECTURE.md says about the rooms, and what the sources say.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::rooms {

using Edges = std::map<std::string, std::set<std::string>>;  // room -> rooms that it may use

// The rows of the first table whose header is "| room | … | may use |".
Edges read_table(std::string_view markdown);

// The rooms that `#include "room/…"` lines name; a header of the file's own folder names none.
std::vector<std::string> included_rooms(std::string_view source);

// USES of `ngb_room(…)` in a CMake file.
std::set<std::string> cmake_uses(std::string_view cmake);

// One sentence per include, CMake edge or folder that the table does not list.
std::vector<std::string> violations(const Edges& table, const std::filesystem::path& sources);

}  // namespace ngb::rooms
