// SPDX-License-Identifier: Apache-2.0
// What this installation can deliver: for every kind of machine an agent and a bundle.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/bundle.h"
#include "dispatch/fleet.h"

namespace ngb::dispatch {

struct Parts {
  std::string machine{};  // this one's kind
  std::vector<AgentFile> agents{};
  std::map<std::string, LocalTree> bundles{};  // by machine

  // Null: there is none for it.
  [[nodiscard]] const LocalTree* bundle_for(const std::string& machine) const;
};

// This machine's own parts, and those in lib/ngraphbench-devices/<machine>. Error: a file cannot be read.
Result<Parts> find_parts(const Installation& installation);

}  // namespace ngb::dispatch
