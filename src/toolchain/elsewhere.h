// SPDX-License-Identifier: Apache-2.0
// Compares toolchains on devices elsewhere, from what the devices report. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "toolchain/catalog.h"
#include "toolchain/site.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// Returns a toolchain without a manifest: an adopted one with these packages. Their wheels are unknown.
Toolchain without_manifest(const std::string& compiler, const std::string& version, const std::string& site,
                           const std::vector<Distribution>& packages);

// Returns the compiler's version from its package, without local part, or nothing if `packages` does not contain it.
std::optional<std::string> version_among(const CompilerDescription& compiler,
                                         const std::vector<Distribution>& packages);

// Returns how `one` differs from `other`, the same version of the same compiler on another device: "numpy 2.4.5 instead
// of 2.4.6, no protobuf". Returns nothing if no difference matters. Wheels are compared only between machines of one
// kind, and only if both are known.
std::optional<std::string> difference(const Toolchain& one, const Toolchain& other, bool same_machine);

// Builds compares the builds of a fleet's toolchains as they become known.
class Builds {
 public:
  // Returns how this build differs from that of the first device with this version, in words. Returns nothing if it
  // does not or if that was reported already. `machine` is as `uname -m` prints it.
  std::optional<std::string> add(const std::string& device, const std::string& machine, const Toolchain& toolchain);

 private:
  struct Build {
    std::string device{};
    std::string machine{};
    Toolchain toolchain{};
  };
  std::map<std::pair<std::string, std::string>, Build> first_{};  // by compiler and version
  std::map<std::pair<std::string, std::string>, std::string> told_{};
};

// Returns a requirements file from which pip installs exactly these wheels. Fails if a wheel's hash is unknown.
Result<std::string> pinned_requirements(const Toolchain& toolchain);

}  // namespace ngb::toolchain
