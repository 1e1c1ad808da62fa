// SPDX-License-Identifier: Apache-2.0
#include "campaign/missing_toolchains.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {
namespace {

// Returns whether it is installed now.
bool install_one(const Installation& installation, const Compilers::Missing& missing, const Say& say) {
  const std::uint64_t bytes = missing.compiler.disk_bytes;
  say(fmt::format("ngb: {} {} is not installed: installing it now{} (--no-install leaves it out)\n",
                  missing.compiler.toolchain, missing.version,
                  bytes == 0 ? "" : ", about " + text::human_bytes(bytes)));
  const auto done = toolchain::install(installation.toolchains, missing.compiler, missing.version,
                                       [&say](std::string_view line) { say(fmt::format("  {}\n", line)); });
  if (!done) say(fmt::format("ngb: {}\n", done.error().text()));
  return done.has_value();
}

}  // namespace

bool install_missing(const Installation& installation, const config::Study& study, const Compilers& compilers,
                     const Say& say) {
  if (std::none_of(study.devices.begin(), study.devices.end(), config::is_here)) return false;
  std::set<std::pair<std::string, std::string>> tried;  // several compilers may share a toolchain
  bool is_any_new = false;
  for (const Compilers::Missing& each : compilers.missing()) {
    if (!each.damage.empty() || !tried.emplace(each.compiler.toolchain, each.version).second) continue;
    is_any_new = install_one(installation, each, say) || is_any_new;
  }
  return is_any_new;
}

}  // namespace ngb::campaign
