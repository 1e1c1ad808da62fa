// SPDX-License-Identifier: Apache-2.0
// Describes the files of this installation that a device needs, as trees that are named by their content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::dispatch {

struct LocalTree {
  samples::Tree tree{};
  std::vector<std::filesystem::path> sources{};  // where the files of `tree` are here, in the same order
};

// AgentFile is the agent for devices of one kind, a single file.
struct AgentFile {
  std::string machine{};  // as `uname -m` prints it there: "x86_64"
  std::filesystem::path path{};
  std::string sha256{};
  std::uint64_t size_bytes = 0;
};

// Returns everything below `folder`, except Python's caches (__pycache__), as a tree that is delivered to `path` on the
// device. Follows links. This and the functions below return an error if a file cannot be read.
Result<LocalTree> tree_of(const std::filesystem::path& folder, const std::string& path);

// Returns worker, plugins and Python package as the tree "bundles/<hash of all hashes>".
Result<LocalTree> bundle_of(const std::filesystem::path& worker, const std::filesystem::path& lib);

Result<AgentFile> agent_file(const std::string& machine, const std::filesystem::path& path);

}  // namespace ngb::dispatch
