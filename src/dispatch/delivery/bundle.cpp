// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/bundle.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"

namespace ngb::dispatch {
namespace {

Status add_file(LocalTree& tree, const std::filesystem::path& source, const std::string& path) {
  Result<std::string> hash = hash::sha256_of_file(source);
  if (!hash) return error_of(hash);
  std::error_code code;
  const bool is_executable = ::access(source.c_str(), X_OK) == 0;
  tree.tree.files.push_back({path, *std::move(hash), std::filesystem::file_size(source, code), is_executable});
  tree.sources.push_back(source);
  return Done{};
}

Status add_folder(LocalTree& tree, const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  constexpr auto kFollow = std::filesystem::directory_options::follow_directory_symlink;
  std::filesystem::recursive_directory_iterator entry(folder, kFollow, code);
  for (const std::filesystem::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    if (entry->path().filename() == "__pycache__") {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back(entry->path());
    }
  }
  if (code) return tl::unexpected(file::from_errno("read", folder, code.value()));
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& source : files) {
    if (Status added = add_file(tree, source, prefix + source.lexically_relative(folder).string()); !added)
      return added;
  }
  return Done{};
}

}  // namespace

Result<LocalTree> tree_of(const std::filesystem::path& folder, const std::string& path) {
  LocalTree tree;
  tree.tree.path = path;
  if (const Status added = add_folder(tree, folder, ""); !added) return error_of(added);
  return tree;
}

Result<LocalTree> bundle_of(const std::filesystem::path& worker, const std::filesystem::path& lib) {
  LocalTree tree;
  Status added = add_file(tree, worker, "bin/ngb-worker");
  if (added) added = add_folder(tree, lib, "lib/ngraphbench/");
  if (!added) return error_of(added);
  std::string hashes;
  for (const samples::TreeFile& file : tree.tree.files) hashes += file.sha256 + " " + file.path + "\n";
  tree.tree.path = "bundles/" + hash::sha256(hashes);
  return tree;
}

Result<AgentFile> agent_file(const std::string& machine, const std::filesystem::path& path) {
  Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return error_of(hash);
  std::error_code code;
  return AgentFile{machine, path, *std::move(hash), std::filesystem::file_size(path, code)};
}

}  // namespace ngb::dispatch
