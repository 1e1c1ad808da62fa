// SPDX-License-Identifier: Apache-2.0
// What a device needs of this installation, as trees of files that are named by their content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::dispatch {

// A tree and where its files are here, in the same order.
struct LocalTree {
  samples::Tree tree{};
  std::vector<std::filesystem::path> sources{};
};

// An agent as one file, for devices of one kind.
struct AgentFile {
  std::string machine{};  // as `uname -m` says there: "x86_64"
  std::filesystem::path path{};
  std::string sha256{};
  std::uint64_t size_bytes = 0;
};

// Everything below `folder`, links followed, as `path` on the device; without what Python leaves behind (__pycache__).
Result<LocalTree> tree_of(const std::filesystem::path& folder, const std::string& path);

// Worker, plugins and Python package: "bundles/<hash of all hashes>".
Result<LocalTree> bundle_of(const std::filesystem::path& worker, const std::filesystem::path& lib);

Result<AgentFile> agent_file(const std::string& machine, const std::filesystem::path& path);

}  // namespace ngb::dispatch
