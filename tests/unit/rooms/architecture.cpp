// SPDX-License-Identifier: Apache-2.0
#include "architecture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;

std::set<std::string> words(std::string_view text) {
  std::set<std::string> found;
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '\n', ' ');
  for (const std::string& word : text::split(spaced, ' ')) {
    if (!word.empty()) found.insert(word);
  }
  return found;
}

// Returns the innermost room of the table that contains the folder; a folder outside all rooms is a room of its own.
std::string room_of(const std::string& folder, const Edges& table) {
  for (fs::path path = folder; !path.empty(); path = path.parent_path()) {
    if (table.contains(path.string())) return path.string();
  }
  return folder;
}

bool may_use(const std::string& room, const std::string& used, const Edges& table) {
  return used == room || used.starts_with(room + "/") || table.at(room).contains(used);
}

void check_source(const fs::path& source, const std::string& room, const Edges& table,
                  std::vector<std::string>& found) {
  for (const std::string& folder : included_folders(file::read(source).value_or(""))) {
    const std::string used = room_of(folder, table);
    if (may_use(room, used, table)) continue;
    found.push_back(
        fmt::format("{}/{} includes {}, which {} may not use", room, source.filename().string(), used, room));
  }
}

void check_sources(const fs::path& sources, const Edges& table, std::vector<std::string>& found) {
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".h" && ending != ".cpp" && ending != ".c") continue;
    const std::string room = room_of(fs::relative(entry.path().parent_path(), sources).string(), table);
    if (table.contains(room)) check_source(entry.path(), room, table, found);
  }
}

}  // namespace

Edges read_table(std::string_view markdown) {
  Edges table;
  bool is_inside = false;
  for (const std::string& line : text::split(markdown, '\n')) {
    const std::vector<std::string> columns = text::split(line, '|');
    if (columns.size() != 5) {
      if (is_inside) return table;
      continue;
    }
    const std::string room(text::trim(columns[1]));
    const bool is_header = room == "room" && text::trim(columns[3]) == "may use";
    if (is_inside && !room.starts_with("---")) table[room] = words(columns[3]);
    is_inside = is_inside || is_header;
  }
  return table;
}

std::vector<std::string> included_folders(std::string_view source) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string> folders;
  for (const std::string& line : text::split(source, '\n')) {
    if (!line.starts_with(kInclude)) continue;
    const std::string path = line.substr(kInclude.size());
    const std::size_t slash = path.rfind('/', path.find('"'));
    if (slash == std::string::npos || path.starts_with("onnx/")) continue;  // onnx.pb.h is generated
    folders.push_back(path.starts_with("ngraphbench/") ? "include" : path.substr(0, slash));
  }
  return folders;
}

std::set<std::string> cmake_uses(std::string_view cmake) {
  const std::size_t call = cmake.find("\nngb_room(");
  const std::size_t uses = call == std::string_view::npos ? call : cmake.find("USES ", call);
  const std::size_t end = call == std::string_view::npos ? call : cmake.find(')', call);
  if (uses == std::string_view::npos || uses > end) return {};
  return words(cmake.substr(uses + 5, std::min(end, cmake.find("LINKS", uses)) - uses - 5));
}

std::vector<std::string> violations(const Edges& table, const fs::path& sources) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(sources)) {
    const std::string room = entry.path().filename().string();
    if (!table.contains(room)) found.push_back(fmt::format("src/{} is not in the table", room));
  }
  for (const auto& [room, allowed] : table) {
    if (room.find('/') != std::string::npos) {
      if (!fs::is_directory(sources / room))
        found.push_back(fmt::format("the table has {}, and there is no src/{}", room, room));
      continue;
    }
    if (!fs::exists(sources / room / "CMakeLists.txt")) {
      found.push_back(fmt::format("the table has {}, and src/{} has no CMakeLists.txt", room, room));
      continue;
    }
    std::set<std::string> listed = allowed;
    listed.erase("include");  // not a library
    std::erase_if(listed, [](const std::string& used) { return used.find('/') != std::string::npos; });  // nor these
    if (cmake_uses(file::read(sources / room / "CMakeLists.txt").value_or("")) != listed) {
      found.push_back(fmt::format("USES in src/{}/CMakeLists.txt is not what the table lists", room));
    }
  }
  check_sources(sources, table, found);
  return found;
}

}  // namespace ngb::rooms
