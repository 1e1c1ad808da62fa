// SPDX-License-Identifier: Apache-2.0
#include "samples/delivery.h"

#include <nlohmann/json.hpp>

#include "samples/json_fields.h"

namespace ngb::samples {

using fields::get;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kSha256Digits = 64;

std::string path_of(const json& object, const char* key) {
  auto path = get<std::string>(object, key);
  if (!is_path_within(path)) throw fields::FieldError(fmt::format("\"{}\" leaves the device's folder", key));
  return path;
}

std::vector<std::string> paths_of(const json& object, const char* key) {
  return fields::vector_of(object, key, [&](const json& item) {
    if (!item.is_string() || !is_path_within(item.get<std::string>())) {
      throw fields::FieldError(fmt::format("\"{}\" holds what is no path", key));
    }
    return item.get<std::string>();
  });
}

TreeFile file_of(const json& object) {
  TreeFile file{path_of(object, "path"), get<std::string>(object, "sha256"), get<std::uint64_t>(object, "size_bytes"),
                get<bool>(object, "is_executable")};
  const bool is_hash =
      file.sha256.size() == kSha256Digits && file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) throw fields::FieldError("\"sha256\" is not one");
  return file;
}

}  // namespace

bool is_path_within(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes || path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

json to_json(const Arrival& arrival) {
  return {{"folder", arrival.folder},
          {"machine", arrival.machine},
          {"free_bytes", arrival.free_bytes},
          {"unix_time_ns", arrival.unix_time_ns}};
}
json to_json(const Ask& ask) { return {{"trees", ask.trees}}; }
json to_json(const Lacking& lacking) { return {{"trees", lacking.trees}}; }
json to_json(const Tree& tree) {
  return {{"path", tree.path},
          {"files", fields::array_of(tree.files,
                                     [](const TreeFile& file) -> json {
                                       return {{"path", file.path},
                                               {"sha256", file.sha256},
                                               {"size_bytes", file.size_bytes},
                                               {"is_executable", file.is_executable}};
                                     })},
          {"keep_free_bytes", tree.keep_free_bytes}};
}
json to_json(const Want& want) {
  return {{"pieces", fields::array_of(want.pieces, [](const Want::Piece& piece) -> json {
             return {{"file_index", piece.file_index}, {"offset_bytes", piece.offset_bytes}};
           })}};
}
json to_json(const Installed& installed) { return {{"path", installed.path}}; }
json to_json(const Attach& attach) {
  return {{"run", attach.run}, {"worker", attach.worker}, {"lib", attach.lib}, {"holder", attach.holder}};
}
json to_json(const Description& description) {
  return {{"environment", to_json(description.environment)},
          {"toolchains", fields::array_of(description.toolchains,
                                          [](const ToolchainFolder& folder) -> json {
                                            return {{"name", folder.name}, {"has_manifest", folder.has_manifest}};
                                          })},
          {"python", fields::to_json(description.python)}};
}
json to_json(const Inspect& inspect) { return {{"paths", inspect.paths}}; }
json to_json(const Inspection& inspection) {
  const auto package = [](const FoundPackage& each) -> json {
    return {{"name", each.name}, {"version", each.version}};
  };
  return {{"folders", fields::array_of(inspection.folders, [&](const FoundFolder& folder) -> json {
             return {{"path", folder.path},
                     {"site", folder.site},
                     {"manifest", folder.manifest},
                     {"packages", fields::array_of(folder.packages, package)}};
           })}};
}
json to_json(const Adopt& adopt) { return {{"path", adopt.path}, {"site", adopt.site}, {"manifest", adopt.manifest}}; }
json to_json(const InstallThere& install) {
  return {{"path", install.path},
          {"requirements", install.requirements},
          {"manifest", install.manifest},
          {"timeout_ns", install.timeout_ns}};
}
json to_json(const Remove& remove) { return {{"runs", remove.runs}, {"with_toolchains", remove.with_toolchains}}; }
json to_json(const Removed& removed) { return {{"left", removed.left}, {"processes_left", removed.processes_left}}; }

Result<Arrival> arrival_from_json(const json& object) {
  return fields::parse("arrival", [&] {
    return Arrival{get<std::string>(object, "folder"), get<std::string>(object, "machine"),
                   get<std::uint64_t>(object, "free_bytes"), get<std::int64_t>(object, "unix_time_ns")};
  });
}
Result<Ask> ask_from_json(const json& object) {
  return fields::parse("question", [&] { return Ask{paths_of(object, "trees")}; });
}
Result<Lacking> lacking_from_json(const json& object) {
  return fields::parse("answer", [&] { return Lacking{paths_of(object, "trees")}; });
}
Result<Tree> tree_from_json(const json& object) {
  return fields::parse("tree", [&] {
    return Tree{path_of(object, "path"), fields::vector_of(object, "files", file_of),
                get<std::uint64_t>(object, "keep_free_bytes")};
  });
}
Result<Want> want_from_json(const json& object) {
  return fields::parse("wish", [&] {
    return Want{fields::vector_of(object, "pieces", [](const json& piece) {
      return Want::Piece{get<std::uint64_t>(piece, "file_index"), get<std::uint64_t>(piece, "offset_bytes")};
    })};
  });
}
Result<Installed> installed_from_json(const json& object) {
  return fields::parse("answer", [&] { return Installed{path_of(object, "path")}; });
}
Result<Attach> attach_from_json(const json& object) {
  return fields::parse("attach", [&] {
    Attach attach{path_of(object, "run"), path_of(object, "worker"), path_of(object, "lib"), ""};
    if (!get<std::string>(object, "holder").empty()) attach.holder = path_of(object, "holder");
    return attach;
  });
}
Result<Description> description_from_json(const json& object) {
  return fields::parse("description", [&] {
    return Description{fields::value_of(environment_from_json(fields::child(object, "environment"))),
                       fields::vector_of(object, "toolchains",
                                         [](const json& folder) {
                                           return ToolchainFolder{get<std::string>(folder, "name"),
                                                                  get<bool>(folder, "has_manifest")};
                                         }),
                       fields::get_known<std::string>(object, "python")};
  });
}
Result<Inspect> inspect_from_json(const json& object) {
  return fields::parse("question", [&] { return Inspect{get<std::vector<std::string>>(object, "paths")}; });
}
Result<Inspection> inspection_from_json(const json& object) {
  const auto package = [](const json& each) {
    return FoundPackage{get<std::string>(each, "name"), get<std::string>(each, "version")};
  };
  return fields::parse("answer", [&] {
    return Inspection{fields::vector_of(object, "folders", [&](const json& folder) {
      return FoundFolder{get<std::string>(folder, "path"), get<std::string>(folder, "site"),
                         get<std::string>(folder, "manifest"), fields::vector_of(folder, "packages", package)};
    })};
  });
}
Result<Adopt> adopt_from_json(const json& object) {
  return fields::parse("adoption", [&] {
    return Adopt{path_of(object, "path"), get<std::string>(object, "site"), get<std::string>(object, "manifest")};
  });
}
Result<InstallThere> install_there_from_json(const json& object) {
  return fields::parse("installation", [&] {
    return InstallThere{path_of(object, "path"), get<std::string>(object, "requirements"),
                        get<std::string>(object, "manifest"), get<std::int64_t>(object, "timeout_ns")};
  });
}
Result<Remove> remove_from_json(const json& object) {
  return fields::parse("remove",
                       [&] { return Remove{paths_of(object, "runs"), get<bool>(object, "with_toolchains")}; });
}
Result<Removed> removed_from_json(const json& object) {
  return fields::parse("removed", [&] {
    return Removed{get<std::vector<std::string>>(object, "left"), get<std::uint64_t>(object, "processes_left")};
  });
}

}  // namespace ngb::samples
