// SPDX-License-Identifier: Apache-2.0
#include "toolchain/elsewhere.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "toolchain/manifest.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

std::map<std::string, const Package*> by_name(const Toolchain& toolchain) {
  std::map<std::string, const Package*> packages;
  for (const Package& package : toolchain.packages) packages[normalised_name(package.name)] = &package;
  return packages;
}

}  // namespace

Toolchain without_manifest(const std::string& compiler, const std::string& version, const std::string& site,
                           const std::vector<Distribution>& packages) {
  Toolchain toolchain{.compiler = compiler, .version = version, .site = site, .python = "python3", .is_adopted = true};
  for (const Distribution& package : packages) {
    toolchain.packages.push_back({normalised_name(package.name), package.version, "", 0});
  }
  toolchain.manifest_sha256 = hash_of(toolchain);
  return toolchain;
}

std::optional<std::string> version_among(const CompilerDescription& compiler,
                                         const std::vector<Distribution>& packages) {
  for (const std::string& wanted : compiler.distributions) {
    for (const Distribution& package : packages) {
      if (normalised_name(package.name) == normalised_name(wanted)) return std::string(public_version(package.version));
    }
  }
  return std::nullopt;
}

std::optional<std::string> difference(const Toolchain& one, const Toolchain& other, bool same_machine) {
  const std::map<std::string, const Package*> ours = by_name(one);
  const std::map<std::string, const Package*> theirs = by_name(other);
  std::vector<std::string> found;
  for (const auto& [name, package] : ours) {
    const auto there = theirs.find(name);
    if (there == theirs.end()) {
      // An adopted folder may contain any other packages.
      if (!one.is_adopted) found.push_back(fmt::format("{} {} in addition", name, package->version));
    } else if (package->version != there->second->version) {
      found.push_back(fmt::format("{} {} instead of {}", name, package->version, there->second->version));
    } else if (same_machine && !package->sha256.empty() && !there->second->sha256.empty() &&
               package->sha256 != there->second->sha256) {
      found.push_back(fmt::format("another wheel of {} {}", name, package->version));
    }
  }
  for (const auto& [name, package] : theirs) {
    if (!ours.contains(name) && !other.is_adopted) found.push_back(fmt::format("no {}", name));
  }
  if (one.changed != other.changed) found.push_back("other files have been changed since it was installed");
  if (found.empty()) return std::nullopt;
  return text::join(found, ", ");
}

std::optional<std::string> Builds::add(const std::string& device, const std::string& machine,
                                       const Toolchain& toolchain) {
  const auto [first, is_new] =
      first_.try_emplace({toolchain.compiler, toolchain.version}, Build{device, machine, toolchain});
  if (is_new || first->second.device == device) return std::nullopt;
  const std::optional<std::string> found =
      difference(toolchain, first->second.toolchain, machine == first->second.machine);
  std::string& told = told_[{device, toolchain.compiler + "@" + toolchain.version}];
  if (!found || told == *found) return std::nullopt;
  told = *found;
  return fmt::format("{} {} is not built as on {}: {}", toolchain.compiler, toolchain.version, first->second.device,
                     *found);
}

Result<std::string> pinned_requirements(const Toolchain& toolchain) {
  std::string lines;
  for (const Package& package : toolchain.packages) {
    if (package.sha256.empty()) return fail(fmt::format("the hash of {}'s wheel is not known", package.name), "pip");
    lines += fmt::format("{}=={} --hash=sha256:{}\n", package.name, package.version, package.sha256);
  }
  return lines;
}

}  // namespace ngb::toolchain
