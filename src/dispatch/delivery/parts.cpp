// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/parts.h"

#include <sys/utsname.h>

#include <system_error>

namespace ngb::dispatch {
namespace {

Status add(Parts& parts, const std::string& machine, const Installation& from) {
  Result<AgentFile> agent = agent_file(machine, from.agent);
  if (!agent) return error_of(agent);
  Result<LocalTree> bundle = bundle_of(from.worker, from.lib);
  if (!bundle) return error_of(bundle);
  parts.agents.push_back(*std::move(agent));
  parts.bundles[machine] = *std::move(bundle);
  return Done{};
}

}  // namespace

const LocalTree* Parts::bundle_for(const std::string& kind) const {
  const auto found = bundles.find(kind);
  return found == bundles.end() ? nullptr : &found->second;
}

Result<const LocalTree*> Parts::tree_of_toolchain(const std::filesystem::path& folder, const std::string& path) {
  const auto known = toolchains.find(folder);
  if (known != toolchains.end()) return &known->second;
  Result<LocalTree> tree = tree_of(folder, path);
  if (!tree) return error_of(tree);
  return &(toolchains[folder] = *std::move(tree));
}

Result<Parts> find_parts(const Installation& installation) {
  utsname system{};
  ::uname(&system);
  Parts parts;
  parts.machine = system.machine;
  if (const Status added = add(parts, parts.machine, installation); !added) return error_of(added);
  std::error_code code;
  for (const auto& entry :
       std::filesystem::directory_iterator(installation.lib.parent_path() / "ngraphbench-devices", code)) {
    const std::filesystem::path& folder = entry.path();
    if (folder.filename() == parts.machine || !std::filesystem::exists(folder / "bin/ngb-agent", code)) continue;
    const Installation other{folder / "bin/ngb-agent", folder / "bin/ngb-worker", folder / "lib/ngraphbench"};
    const Status added = add(parts, folder.filename().string(), other);
    if (!added) return error_of(added);
  }
  return parts;
}

}  // namespace ngb::dispatch
