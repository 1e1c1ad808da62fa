// SPDX-License-Identifier: Apache-2.0
#include "campaign/study_compilers.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/text.h"
#include "campaign/device_toolchains.h"
#include "toolchain/files.h"
#include "toolchain/manifest.h"
#include "toolchain/requirement.h"
#include "work/compiler.h"

namespace ngb::campaign {

namespace {

std::string why_missing(const toolchain::CompilerDescription& compiler, const std::string& version) {
  std::string why = fmt::format("{0} {1} is not installed: ngb toolchain install {0}@{1}", compiler.toolchain, version);
  if (!compiler.install_advice.empty()) why += ". " + compiler.install_advice;
  return why;
}

// Returns nothing if it is not installed, and an error if it cannot be used.
Result<std::optional<toolchain::Toolchain>> find_usable(const std::filesystem::path& root, const std::string& compiler,
                                                        const std::string& version) {
  auto found = toolchain::find(root, compiler, version);
  const Status usable = found && *found ? toolchain::check_adopted(**found) : Status{};
  return usable ? found : error_of(usable);
}

}  // namespace

Result<Compilers> Compilers::find(const Installation& installation, const plan::Plan& plan) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return error_of(catalog);
  Compilers compilers;
  for (const work::Cell& cell : plan.cells) {
    compilers.measured_.emplace(plan.compiler_of(cell).name, plan.compiler_of(cell).version);
  }
  auto wanted = compilers.measured_;
  compilers.reference_ = {plan.study.reference, plan.study.reference_version};
  if (plan.study.reference != "none") wanted.insert(compilers.reference_);
  const bool has_module =
      std::any_of(plan.models.begin(), plan.models.end(), [](const work::Model& model) { return model.is_module(); });
  const bool is_converted = std::any_of(catalog->begin(), catalog->end(), [&](const auto& compiler) {
    const auto measured = compilers.measured_.lower_bound({compiler.name, ""});
    return measured != compilers.measured_.end() && measured->first == compiler.name &&
           work::converts_modules({.host = compiler.host, .runs_modules = compiler.runs_modules});
  });
  if (has_module || is_converted) wanted.emplace(config::kExporter, plan.study.exporter_version);
  compilers.needed_ = wanted;
  for (const work::Compiler& other : plan.study.other_references) wanted.emplace(other.name, other.version);
  std::map<std::pair<std::string, std::string>, Result<std::optional<toolchain::Toolchain>>> toolchains;
  for (const auto& [name, version] : wanted) {
    const auto description = std::find_if(catalog->begin(), catalog->end(),
                                          [&name = name](const auto& compiler) { return compiler.name == name; });
    if (description == catalog->end()) return fail("no such compiler in this installation", name);
    Entry entry{.description = *description, .toolchain = {}};
    if (description->needs_toolchain) {
      // Several compilers may share one, and to look at its files takes a tenth of a second for PyTorch's.
      const auto [found, is_new] = toolchains.try_emplace({description->toolchain, version});
      if (is_new) found->second = find_usable(installation.toolchains, description->toolchain, version);
      if (found->second) {
        entry.toolchain = *found->second;
      } else {
        entry.damage = text::to_utf8(found->second.error().text());
      }
      if (!entry.toolchain && compilers.needed_.contains({name, version}))
        compilers.missing_.push_back({*description, version, entry.damage});
    }
    compilers.entries_.emplace(std::pair(name, version), std::move(entry));
  }
  return compilers;
}

Result<work::Place> Compilers::place_here(const std::string& name, const std::string& version) const {
  const auto found = entries_.find({name, version});
  if (found == entries_.end()) return fail("not a compiler of this plan", name + " " + version);
  const Entry& entry = found->second;
  work::Place place{.compiler = name, .version = version, .host = entry.description.host};
  place.runs_modules = entry.description.runs_modules;
  if (!entry.toolchain) {
    if (entry.description.needs_toolchain) {
      place.why_missing = entry.damage.empty() ? why_missing(entry.description, version) : entry.damage;
    }
    return place;
  }
  place.toolchain_dir = entry.toolchain->site.string();
  place.manifest_sha256 = entry.toolchain->manifest_sha256;
  place.python = entry.toolchain->python;
  if (place.host == "python") place.python_path = entry.toolchain->site.string();
  return place;
}

Result<work::Place> Compilers::place_elsewhere(const std::string& name, const std::string& version) const {
  const auto found = entries_.find({name, version});
  if (found == entries_.end()) return fail("not a compiler of this plan", name + " " + version);
  const toolchain::CompilerDescription& description = found->second.description;
  work::Place place{.compiler = name, .version = version, .host = description.host};
  place.runs_modules = description.runs_modules;
  if (!description.needs_toolchain) return place;
  if (!needed_.contains({name, version})) {
    place.why_missing = "it is not delivered to devices elsewhere unless it is measured there";
    return place;
  }
  place.toolchain_dir = tree_path(description.toolchain, version) + "/site";
  place.python = "python3";
  if (place.host == "python") place.python_path = place.toolchain_dir;
  return place;
}

std::vector<dispatch::ToolchainTree> Compilers::trees(const Installation& installation) const {
  std::map<std::string, dispatch::ToolchainTree> trees;  // by path: one for compilers that share a toolchain
  for (const bool is_measured : {true, false}) {
    for (const auto& [key, entry] : entries_) {
      if (!needed_.contains(key)) continue;
      if (!entry.description.needs_toolchain || measured_.contains(key) != is_measured) continue;
      const std::string path = tree_path(entry.description.toolchain, key.second);
      if (!trees.contains(path)) {
        trees[path] = toolchain_for_devices(installation, entry.description, key.second, entry.toolchain,
                                            is_measured ? Way::deliver : Way::deliver_ours);
      }
      if (key == reference_) trees[path].makes_references = true;
    }
  }
  std::vector<dispatch::ToolchainTree> all;
  for (auto& [path, tree] : trees) all.push_back(std::move(tree));
  return all;
}

const toolchain::CompilerDescription* Compilers::description(const std::string& name,
                                                             const std::string& version) const {
  const auto found = entries_.find({name, version});
  return found == entries_.end() ? nullptr : &found->second.description;
}

bool Compilers::is_missing(const std::string& name, const std::string& version) const {
  return std::any_of(missing_.begin(), missing_.end(),
                     [&](const Missing& missing) { return missing.name() == name + "@" + version; });
}

std::vector<toolchain::Toolchain> Compilers::installed() const {
  std::vector<toolchain::Toolchain> all;
  for (const auto& named : entries_) {
    const Entry& entry = named.second;
    const bool is_known = entry.toolchain && std::any_of(all.begin(), all.end(), [&](const auto& known) {
                            return known.folder == entry.toolchain->folder;
                          });
    if (entry.toolchain && !is_known) all.push_back(*entry.toolchain);
  }
  return all;
}

Status ToolchainRecord::take_local(const std::string& device) {
  utsname system{};
  ::uname(&system);
  for (const toolchain::Toolchain& toolchain : compilers_.installed()) {
    toolchain::list_files_once(toolchain);
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
  if (!toolchain.changed.empty()) say_(device, toolchain::changed_since(toolchain).text());
  return store_.record_toolchain(device, toolchain.compiler, toolchain.version,
                                 {toolchain.manifest_sha256, toolchain::manifest_text(toolchain)});
}

}  // namespace ngb::campaign
