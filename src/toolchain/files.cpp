// SPDX-License-Identifier: Apache-2.0
#include "toolchain/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/file_list.h"
#include "base/text.h"
#include "toolchain/manifest.h"
#include "toolchain/site.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

// Returns the packages of the manifest that have no folder with their metadata.
std::vector<std::string> lost_packages(const Toolchain& toolchain) {
  std::set<std::string> found;
  std::error_code code;
  for (fs::directory_iterator entry(toolchain.site, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().extension() != ".dist-info") continue;
    const std::string stem = entry->path().stem().string();
    found.insert(normalised_name(stem.substr(0, stem.rfind('-'))));
  }
  std::vector<std::string> lost;
  for (const Package& package : toolchain.packages) {
    if (!found.contains(normalised_name(package.name))) lost.push_back("the package " + package.name);
  }
  return lost;
}

}  // namespace

std::string words_for(const std::vector<std::string>& paths) {
  constexpr std::ptrdiff_t kShown = 3;
  const std::vector<std::string> first(paths.begin(), paths.begin() + std::min(kShown, std::ssize(paths)));
  return text::join(first, ", ") +
         (std::ssize(paths) > kShown ? fmt::format(" and {} more", paths.size() - kShown) : "");
}

Error changed_since(const Toolchain& toolchain) {
  std::vector<std::string> paths;
  for (const auto& [path, sha256] : toolchain.changed) paths.push_back(path);
  const std::string name = toolchain.compiler + "@" + toolchain.version;
  return {fmt::format("{} {} is not as it was installed, so it counts as another build: {}", toolchain.compiler,
                      toolchain.version, words_for(paths)),
          toolchain.folder.string(), fmt::format("ngb toolchain install {} mends it", name)};
}

Status look_at_files(Toolchain& toolchain) {
  if (toolchain.is_adopted) return Done{};
  std::vector<std::string> gone;
  if (auto changed = file_list::changes(toolchain.folder)) {
    toolchain.changed = *std::move(changed);
    toolchain.manifest_sha256 = hash_of(toolchain);
    for (const auto& [path, sha256] : toolchain.changed) {
      if (sha256.empty()) gone.push_back(path);
    }
  } else if (!file_list::is_there(toolchain.folder)) {
    gone = lost_packages(toolchain);
  } else {
    return error_of(changed);
  }
  if (gone.empty()) return Done{};
  return fail(words_for(gone) + (gone.size() == 1 ? " is gone" : " are gone"), toolchain.folder.string());
}

void list_files_once(const Toolchain& toolchain) {
  if (!toolchain.is_adopted && !file_list::is_there(toolchain.folder)) (void)file_list::write(toolchain.folder);
}

Result<std::vector<std::string>> verify(const Toolchain& toolchain) {
  if (toolchain.is_adopted) {
    const Status same = check_adopted(toolchain);
    return same ? std::vector<std::string>() : Result<std::vector<std::string>>(error_of(same));
  }
  const auto changed = file_list::changes(toolchain.folder, file_list::Check::hashes);
  std::set<std::string> paths;
  if (changed) {
    std::transform(changed->begin(), changed->end(), std::inserter(paths, paths.end()),
                   [](const auto& each) { return each.first; });
  } else if (file_list::is_there(toolchain.folder)) {
    return error_of(changed);
  }
  std::vector<std::string> names;
  for (const Package& package : toolchain.packages) names.push_back(package.name);
  const auto unlike = site::unlike_record(toolchain.python, toolchain.site, names);
  if (!unlike) return error_of(unlike);
  for (const std::string& path : *unlike) paths.insert("site/" + path);
  return std::vector<std::string>(paths.begin(), paths.end());
}

}  // namespace ngb::toolchain
