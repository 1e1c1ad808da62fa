// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/study.h"
#include "report/results.h"

namespace ngb::app {
namespace {

struct Renaming {
  std::string given;   // as the user wrote it
  std::string folder;  // "": every folder
  std::string from;
  std::string to;
};

// Returns the path without "." and a slash at the end, so that two spellings of a folder are equal.
std::filesystem::path plain_path(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// A device's name has neither ":" nor "=", and a folder's may have both.
Result<Renaming> parse_renaming(const std::string& given) {
  const std::size_t equals = given.rfind('=');
  if (equals != std::string::npos) {
    const std::string before = given.substr(0, equals);
    const std::size_t colon = before.rfind(':');
    const std::string folder = colon == std::string::npos ? "" : before.substr(0, colon);
    const std::string from = colon == std::string::npos ? before : before.substr(colon + 1);
    const std::string to = given.substr(equals + 1);
    if (config::is_device_name(from) && config::is_device_name(to) && (colon == std::string::npos || !folder.empty())) {
      return Renaming{given, folder, from, to};
    }
  }
  return fail(fmt::format("\"{}\" renames no device", given), "--as",
              "write OLD=NEW or FOLDER:OLD=NEW, for example --as local=xeon; a name has letters, digits and . _ -");
}

// A results file with the names of its devices.
struct Named {
  std::string folder;
  std::vector<std::string> devices;
  store::Source source;
};

Result<Named> read_names(const std::string& folder) {
  Named named{folder, {}, {std::filesystem::path(folder) / "results.db", {}}};
  auto opened = store::Store::open(named.source.file, store::Mode::read_only);
  if (!opened) return error_of(opened);
  auto devices = opened->devices();
  if (!devices) return error_of(devices);
  named.devices = *std::move(devices);
  return named;
}

Status rename(std::vector<Named>& all, const Renaming& renaming) {
  bool is_folder_known = renaming.folder.empty();
  bool is_device_known = false;
  std::vector<std::string> folders;
  std::vector<std::string> devices;
  for (Named& named : all) {
    folders.push_back(named.folder);
    if (!renaming.folder.empty() && plain_path(named.folder) != plain_path(renaming.folder)) continue;
    is_folder_known = true;
    devices.insert(devices.end(), named.devices.begin(), named.devices.end());
    if (std::find(named.devices.begin(), named.devices.end(), renaming.from) == named.devices.end()) continue;
    is_device_known = true;
    named.source.device_names[renaming.from] = renaming.to;
  }
  const std::string where = "--as " + renaming.given;
  if (!is_folder_known) {
    return fail(renaming.folder + " is not among the results", where, "expected one of: " + text::join(folders, ", "));
  }
  if (is_device_known) return Done{};
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return fail("these results have no device " + renaming.from, where, "expected one of: " + text::join(devices, ", "));
}

}  // namespace

void add_source_options(CLI::App& command, SourcesArguments& arguments, const std::string& what, int fewest, int most) {
  command.add_option("results", arguments.folders, what)->required()->expected(fewest, most);
  command
      .add_option("--as", arguments.renamings,
                  "OLD=NEW or FOLDER:OLD=NEW: read a device under another name, for example --as local=xeon")
      ->allow_extra_args(false);
}

void add_filter_options(CLI::App& command, std::map<std::string, std::vector<std::string>>& wanted,
                        std::string_view without) {
  for (const report::Filter& filter : report::filters()) {
    if (filter.name == without) continue;
    command.add_option(fmt::format("--{}", filter.name), wanted[filter.name], filter.meaning)->allow_extra_args(false);
  }
}

Result<std::vector<store::Source>> sources_of(const SourcesArguments& arguments) {
  std::vector<Renaming> renamings;
  for (const std::string& given : arguments.renamings) {
    auto renaming = parse_renaming(given);
    if (!renaming) return error_of(renaming);
    renamings.push_back(*std::move(renaming));
  }
  // Renamings for one folder come last, so that they override those for all folders.
  std::stable_partition(renamings.begin(), renamings.end(), [](const Renaming& each) { return each.folder.empty(); });
  std::vector<Named> all;
  for (const std::string& folder : arguments.folders) {
    if (renamings.empty()) {
      all.push_back({folder, {}, {std::filesystem::path(folder) / "results.db", {}}});
      continue;
    }
    auto named = read_names(folder);
    if (!named) return error_of(named);
    all.push_back(*std::move(named));
  }
  for (const Renaming& renaming : renamings) {
    if (const Status renamed = rename(all, renaming); !renamed) return error_of(renamed);
  }
  std::vector<store::Source> sources;
  for (Named& named : all) sources.push_back(std::move(named.source));
  return sources;
}

}  // namespace ngb::app
