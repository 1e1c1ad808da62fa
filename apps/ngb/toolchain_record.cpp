// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/toolchain_record.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "apps/ngb/device_toolchains.h"
#include "base/file.h"
#include "base/text.h"
#include "toolchain/manifest.h"
#include "toolchain/version.h"

namespace ngb::app {

Status ToolchainRecord::take_local(const std::string& device) {
  utsname system{};
  ::uname(&system);
  for (const toolchain::Toolchain& toolchain : compilers_.installed()) {
    const auto manifest = file::read(toolchain.folder / "manifest.json");
    if (!manifest) return tl::unexpected(manifest.error());
    if (Status done = record(device, system.machine, toolchain, *manifest); !done) return done;
  }
  return Done{};
}

Status ToolchainRecord::take(const std::string& device, const std::string& machine, const samples::FoundFolder& found) {
  const Result<toolchain::Toolchain> toolchain = toolchain_there(found);
  if (!toolchain) return tl::unexpected(toolchain.error());
  const bool has_own_manifest = toolchain::parse_manifest(found.manifest, found.path).has_value();
  const auto* const compiler = compilers_.description(toolchain->compiler, toolchain->version);
  const auto version = compiler == nullptr ? std::nullopt : toolchain::version_among(*compiler, distributions(found));
  if (version && toolchain::compare_versions(*version, toolchain->version) != 0 &&
      told_.insert(device + " " + found.path).second) {
    say_(device,
         fmt::format("what stands there as {} {} is version {}", toolchain->compiler, toolchain->version, *version));
  }
  return record(device, machine, *toolchain, has_own_manifest ? found.manifest : toolchain::manifest_text(*toolchain));
}

Status ToolchainRecord::record(const std::string& device, const std::string& machine,
                               const toolchain::Toolchain& toolchain, const std::string& manifest) {
  if (const auto difference = builds_.add(device, machine, toolchain)) say_(device, *difference);
  return store_.record_toolchain(device, toolchain.compiler, toolchain.version, manifest);
}

}  // namespace ngb::app
