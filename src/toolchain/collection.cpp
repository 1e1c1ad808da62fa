// SPDX-License-Identifier: Apache-2.0
#include "toolchain/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "toolchain/marker.h"
#include "toolchain/site.h"
#include "toolchain/version.h"

namespace ngb::toolchain {

Collection::Collection(Python python, std::filesystem::path folder, bool with_dependencies, Progress progress)
    : python_(std::move(python)),
      folder_(std::move(folder)),
      with_dependencies_(with_dependencies),
      progress_(std::move(progress)) {}

void Collection::skip(const std::vector<std::string>& names) {
  for (const std::string& name : names) skip_.insert(normalised_name(name));
}

void Collection::stop_skipping() {
  skip_.clear();
  open_.insert(open_.end(), std::make_move_iterator(skipped_.begin()), std::make_move_iterator(skipped_.end()));
  skipped_.clear();
}

Status Collection::add(std::string_view requirement) {
  Result<Requirement> parsed = parse_requirement(requirement);
  if (!parsed) return tl::unexpected(parsed.error());
  const Result<bool> counts = holds(parsed->marker, python_.marker_variables, {});
  if (!counts) return tl::unexpected(counts.error());
  if (*counts) open_.push_back(*std::move(parsed));
  return Done{};
}

bool Collection::is_met(const Requirement& requirement) const {
  const auto present = installed_.find(requirement.name);
  return present != installed_.end() && satisfies(present->second.version, requirement.specifier);
}

// What pip is to be asked for: every requirement known so far on each package that is missing or does not fit.
std::vector<std::string> Collection::next_round() {
  std::set<std::string> names;
  for (Requirement& requirement : std::exchange(open_, {})) {
    const std::string& name = requirement.name;
    if (skip_.contains(name)) {
      skipped_.push_back(std::move(requirement));
      continue;
    }
    Named& named = named_[name];
    const std::size_t extras_before = named.extras.size();
    for (const std::string& extra : requirement.extras) named.extras.insert(normalised_name(extra));
    named.texts.insert(pip_text(requirement));
    if (!is_met(requirement)) {
      names.insert(name);
    } else if (named.extras.size() > extras_before) {
      add_requirements_of(installed_.at(name));
    }
  }
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const std::set<std::string>& known = named_[name].texts;
    texts.insert(texts.end(), known.begin(), known.end());
  }
  return texts;
}

void Collection::add_requirements_of(const Installed& package) {
  if (!with_dependencies_) return;
  const std::set<std::string>& extras = named_[package.name].extras;
  for (const std::string& text : package.requires_dist) {
    Result<Requirement> requirement = parse_requirement(text);
    if (!requirement) continue;  // an address, not a name: pip would not take it from an index either
    if (holds(requirement->marker, python_.marker_variables, extras).value_or(false)) {
      open_.push_back(*std::move(requirement));
    }
  }
}

Status Collection::take(std::vector<Installed> packages) {
  const std::filesystem::path incoming = folder_ / "incoming";
  for (const Installed& package : packages) {
    if (only_choose_ || !installed_.contains(package.name)) continue;
    if (Status removed = site::remove_package(site(), package.name); !removed) return removed;
  }
  if (!packages.empty() && !only_choose_) {
    if (Status merged = site::merge(incoming, site()); !merged) return merged;
  }
  std::error_code code;
  std::filesystem::remove_all(incoming, code);
  if (code) return tl::unexpected(file::from_errno("remove", incoming, code.value()));
  for (Installed& package : packages) {
    add_requirements_of(installed_[package.name] = std::move(package));
  }
  return Done{};
}

Status Collection::fill() {
  while (!open_.empty()) {
    const std::vector<std::string> texts = next_round();
    if (texts.empty()) continue;
    Result<std::vector<Installed>> packages = pip_install(python_,
                                                          {.site = folder_ / "incoming",
                                                           .scratch = folder_ / "scratch",
                                                           .requirements = texts,
                                                           .only_choose = only_choose_},
                                                          progress_);
    if (!packages) return tl::unexpected(packages.error());
    if (Status taken = take(*std::move(packages)); !taken) return taken;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_ / "scratch", ignored);
  return Done{};
}

std::vector<Installed> Collection::installed() const {
  std::vector<Installed> all;
  std::transform(installed_.begin(), installed_.end(), std::back_inserter(all),
                 [](const auto& entry) { return entry.second; });
  return all;
}

}  // namespace ngb::toolchain
