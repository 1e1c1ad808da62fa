// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/study_compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/ngb/device_toolchains.h"

namespace ngb::app {
Result<Compilers> Compilers::find(const Installation& installation, const plan::Plan& plan) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return tl::unexpected(catalog.error());
  std::set<std::pair<std::string, std::string>> wanted;
  for (const plan::Cell& cell : plan.cells) wanted.emplace(cell.compiler, cell.compiler_version);
  const std::pair reference(plan.study.reference, plan.study.reference_version);
  const bool is_reference_measured = wanted.contains(reference);
  if (plan.study.reference != "none") wanted.insert(reference);

  Compilers compilers;
  compilers.reference_ = reference;
  compilers.is_reference_measured_ = is_reference_measured;
  for (const auto& [name, version] : wanted) {
    const auto description = std::find_if(catalog->begin(), catalog->end(),
                                          [&name = name](const auto& compiler) { return compiler.name == name; });
    if (description == catalog->end()) return fail("no such compiler in this installation", name);
    Entry entry{.description = *description, .toolchain = {}};
    if (description->needs_toolchain) {
      auto found = toolchain::find(installation.toolchains, name, version);
      if (!found) return tl::unexpected(found.error());
      entry.toolchain = *std::move(found);
      if (!entry.toolchain) compilers.missing_.push_back(fmt::format("{}@{}", name, version));
    }
    compilers.entries_.emplace(std::pair(name, version), std::move(entry));
  }
  return compilers;
}

Result<samples::CompilerWork> Compilers::work(const std::string& name, const std::string& version) const {
  const auto found = entries_.find({name, version});
  if (found == entries_.end()) return fail("not a compiler of this plan", name + " " + version);
  const Entry& entry = found->second;
  samples::CompilerWork work;
  work.name = name;
  work.version = version;
  work.host = entry.description.host;
  if (!entry.toolchain) return work;
  work.toolchain_dir = entry.toolchain->site.string();
  if (work.host == "python") {
    work.python = entry.toolchain->python;
    work.python_path = entry.toolchain->site.string();
  }
  return work;
}

Result<samples::CompilerWork> Compilers::work_elsewhere(const std::string& name, const std::string& version) const {
  const auto found = entries_.find({name, version});
  if (found == entries_.end()) return fail("not a compiler of this plan", name + " " + version);
  const toolchain::CompilerDescription& description = found->second.description;
  samples::CompilerWork work;
  work.name = name;
  work.version = version;
  work.host = description.host;
  if (!description.needs_toolchain) return work;
  work.toolchain_dir = tree_path(name, version) + "/site";
  if (work.host == "python") {
    work.python = "python3";
    work.python_path = work.toolchain_dir;
  }
  return work;
}

std::vector<dispatch::ToolchainTree> Compilers::trees(const Installation& installation) const {
  std::vector<dispatch::ToolchainTree> trees;
  for (const auto& [key, entry] : entries_) {
    if (!entry.description.needs_toolchain) continue;
    const bool can_be_given = entry.toolchain && !entry.toolchain->is_adopted;
    const bool is_reference = key == reference_;
    trees.push_back(toolchain_for_devices(installation, entry.description, key.second,
                                          can_be_given ? entry.toolchain : std::nullopt,
                                          is_reference && !is_reference_measured_ ? Way::deliver_ours : Way::deliver));
    trees.back().makes_references = is_reference;
  }
  return trees;
}

const toolchain::CompilerDescription* Compilers::description(const std::string& name,
                                                             const std::string& version) const {
  const auto found = entries_.find({name, version});
  return found == entries_.end() ? nullptr : &found->second.description;
}

bool Compilers::is_missing(const std::string& name, const std::string& version) const {
  return std::find(missing_.begin(), missing_.end(), name + "@" + version) != missing_.end();
}

std::vector<toolchain::Toolchain> Compilers::installed() const {
  std::vector<toolchain::Toolchain> all;
  for (const auto& [key, entry] : entries_) {
    if (entry.toolchain) all.push_back(*entry.toolchain);
  }
  return all;
}

}  // namespace ngb::app
