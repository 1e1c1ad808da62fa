// SPDX-License-Identifier: Apache-2.0
#include "campaign/toolchain_record.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "campaign/device_toolchains.h"
#include "toolchain/manifest.h"
#include "toolchain/requirement.h"

namespace ngb::campaign {

Status ToolchainRecord::take_local(const std::string& device) {
  utsname system{};
  ::uname(&system);
  for (const toolchain::Toolchain& toolchain : compilers_.installed()) {
    if (Status done = record(device, system.machine, toolchain); !done) return done;
  }
  return Done{};
}

Result<std::string> ToolchainRecord::take(const std::string& device, const std::string& machine,
                                          const samples::FoundFolder& found) {
  const Result<toolchain::Toolchain> toolchain = toolchain_there(found);
  if (!toolchain) return error_of(toolchain);
  const auto* const compiler = compilers_.description(toolchain->compiler, toolchain->version);
  const auto version = compiler == nullptr ? std::nullopt : toolchain::version_among(*compiler, distributions(found));
  if (version && !toolchain::is_same_version(*version, toolchain->version) &&
      told_.insert(device + " " + found.path).second) {
    say_(device,
         fmt::format("the toolchain {} {} there has version {}", toolchain->compiler, toolchain->version, *version));
  }
  if (Status done = record(device, machine, *toolchain); !done) return error_of(done);
  return toolchain->manifest_sha256;
}

Status ToolchainRecord::record(const std::string& device, const std::string& machine,
                               const toolchain::Toolchain& toolchain) {
  if (const auto difference = builds_.add(device, machine, toolchain)) say_(device, *difference);
  return store_.record_toolchain(device, toolchain.compiler, toolchain.version,
                                 {toolchain.manifest_sha256, toolchain::manifest_text(toolchain)});
}

}  // namespace ngb::campaign
