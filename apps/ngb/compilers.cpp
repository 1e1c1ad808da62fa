// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ngb::app {
namespace {

std::string tree_path(const std::string& name, const std::string& version) {
  return fmt::format("toolchains/{}/{}", name, version);
}

}  // namespace

Result<Compilers> Compilers::find(const Installation& installation, const plan::Plan& plan) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return tl::unexpected(catalog.error());
  std::set<std::pair<std::string, std::string>> wanted;
  for (const plan::Cell& cell : plan.cells) wanted.emplace(cell.compiler, cell.compiler_version);
  if (plan.study.reference != "none") wanted.emplace(plan.study.reference, plan.study.reference_version);

  Compilers compilers;
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
  work.python = entry.toolchain->python;
  if (work.host == "python") work.python_path = entry.toolchain->site.string();
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
  work.python = "python3";
  if (work.host == "python") work.python_path = work.toolchain_dir;
  return work;
}

std::vector<dispatch::ToolchainTree> Compilers::trees() const {
  std::vector<dispatch::ToolchainTree> trees;
  for (const auto& [key, entry] : entries_) {
    if (!entry.description.needs_toolchain) continue;
    const bool can_be_given = entry.toolchain && !entry.toolchain->is_adopted;
    trees.push_back(
        {tree_path(key.first, key.second), can_be_given ? entry.toolchain->folder : std::filesystem::path()});
  }
  return trees;
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
