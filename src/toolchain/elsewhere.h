// SPDX-License-Identifier: Apache-2.0
// Toolchains that stand on devices elsewhere, as far as the devices tell of them. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "toolchain/catalog.h"
#include "toolchain/python.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// One that has no manifest, or is about to get one: adopted, with these packages, whose wheels nobody knows.
Toolchain without_manifest(const std::string& compiler, const std::string& version, const std::string& site,
                           const std::vector<Distribution>& packages);

// The compiler's version as its package says, without a local part. Nothing: its package is not among them.
std::optional<std::string> version_among(const CompilerDescription& compiler,
                                         const std::vector<Distribution>& packages);

// What `one` has otherwise than `other`, which is the same version of the same compiler on another device: "numpy 2.4.5
// instead of 2.4.6, no protobuf". Nothing: no difference that matters. Wheels are compared on machines of one kind
// only, and where both are known.
std::optional<std::string> difference(const Toolchain& one, const Toolchain& other, bool same_machine);

// The builds of a fleet's toolchains, to be compared as they become known.
class Builds {
 public:
  // `machine`: as `uname -m` says. What it has otherwise than the first device that had this version, in words;
  // nothing: no difference, or it was told of already.
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

// As a file of requirements from which pip installs exactly these wheels. Error: the hash of one is not known.
Result<std::string> pinned_requirements(const Toolchain& toolchain);

}  // namespace ngb::toolchain
