// SPDX-License-Identifier: Apache-2.0
// What this installation can deliver: for every kind of machine an agent and a bundle.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/delivery/bundle.h"
#include "dispatch/delivery/fetching.h"
#include "dispatch/link/installation.h"

namespace ngb::dispatch {

struct Parts {
  std::string machine{};  // this one's kind
  std::vector<AgentFile> agents{};
  std::map<std::string, LocalTree> bundles{};  // by machine

  // By folder here: those that some device has lacked.
  std::map<std::filesystem::path, LocalTree> toolchains{};
  Fetching fetching{};

  // Null: there is none for it.
  [[nodiscard]] const LocalTree* bundle_for(const std::string& machine) const;
  // Of gigabytes, perhaps, so hashed once, however many devices lack it. Error: a file cannot be read.
  Result<const LocalTree*> tree_of_toolchain(const std::filesystem::path& folder, const std::string& path);
};

// This machine's own parts, and those in lib/ngraphbench-devices/<machine>. Error: a file cannot be read.
Result<Parts> find_parts(const Installation& installation);

}  // namespace ngb::dispatch
