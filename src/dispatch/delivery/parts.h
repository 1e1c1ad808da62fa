// SPDX-License-Identifier: Apache-2.0
// Parts are what this installation can deliver: an agent and a bundle for each kind of machine, and toolchains.
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
  std::string machine{};  // the kind of this machine: "x86_64"
  std::vector<AgentFile> agents{};
  std::map<std::string, LocalTree> bundles{};  // by machine

  std::map<std::filesystem::path, LocalTree> toolchains{};  // those that a device lacked, by folder here
  Fetching fetching{};

  // Returns the bundle for that kind of machine; null if there is none.
  [[nodiscard]] const LocalTree* bundle_for(const std::string& machine) const;
  // Returns the toolchain in `folder` as a tree for `path` on the device. It may have gigabytes, so it is hashed once,
  // no matter how many devices lack it. Returns an error if a file cannot be read.
  Result<const LocalTree*> tree_of_toolchain(const std::filesystem::path& folder, const std::string& path);
};

// Returns this machine's own parts and those in lib/ngraphbench-devices/<machine>. Returns an error if a file cannot be
// read.
Result<Parts> find_parts(const Installation& installation);

}  // namespace ngb::dispatch
