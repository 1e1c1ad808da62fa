// SPDX-License-Identifier: Apache-2.0
#include "agent/builds.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/file_list.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/python.h"
#include "base/text.h"
#include "packages_around.py.h"
#include "work/compiler.h"

namespace ngb::agent {
namespace {

namespace fs = std::filesystem;

// Returns the compiler whose toolchain this one shares and whose modules it may import.
std::string owner_of(const fs::path& folder) {
  const Result<std::string> text = file::read(folder / "compiler.json");
  const nlohmann::json described = text ? json_text::parse(*text) : nlohmann::json();
  if (!described.is_object() || !described.contains("toolchain") || !described["toolchain"].is_string()) return {};
  return described["toolchain"].get<std::string>();
}

}  // namespace

Result<std::string> Builds::file(const fs::path& path) {
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  std::error_code code;
  if (!fs::exists(path, code)) return known_[path] = "";
  Result<std::string> hash = files_.add(path);
  if (hash) known_[path] = *hash;
  return hash;
}

Result<std::string> Builds::folder(const fs::path& path) {
  const auto known = known_.find(path);
  if (known != known_.end()) return known->second;
  std::string lines;
  const auto files = file_list::files_below(path);  // none if there is no such folder
  for (const file_list::Entry& each : files.value_or(std::vector<file_list::Entry>())) {
    const Result<std::string> hash = files_.add(path / each.path);
    if (!hash) return hash;
    lines += *hash + " " + each.path + "\n";
  }
  return known_[path] = lines.empty() ? "" : hash::sha256(lines);
}

// Hashes the compiler's folder, together with that of the compiler whose modules it may import.
Result<std::string> Builds::plugin(const std::string& compiler) {
  const fs::path own = surroundings_.lib / "compilers" / compiler;
  Result<std::string> hash = folder(own);
  const std::string owner = hash ? owner_of(own) : "";
  if (owner.empty() || owner == compiler) return hash;
  const Result<std::string> shared = folder(surroundings_.lib / "compilers" / owner);
  if (!shared || shared->empty()) return shared ? hash : shared;
  return hash::sha256(*hash + *shared);
}

Builds::Site Builds::look(const fs::path& folder) {
  Site site{fingerprint(folder), {}};
  if (site.folder) site.folder = Fingerprint{.device = site.folder->device, .inode = site.folder->inode};
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().extension() == ".dist-info") names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  site.packages = text::join(names, "\n");
  return site;
}

void Builds::watch(const work::Place& compiler) {
  if (compiler.toolchain_dir.empty() || !compiler.why_missing.empty()) return;
  if (!sites_.contains(compiler.toolchain_dir)) sites_[compiler.toolchain_dir] = look(compiler.toolchain_dir);
}

// An interpreter that cannot answer will not measure either; its processes then say why.
Result<std::string> Builds::package(const work::Place& compiler) {
  const Result<std::string> ours = folder(surroundings_.lib / "python/ngraphbench");
  const bool is_adopted = !compiler.toolchain_dir.empty() && compiler.why_missing.empty() &&
                          !python::is_installed_by_ngb(compiler.toolchain_dir);
  if (!ours || !is_adopted) return ours;
  const auto [around, is_new] = around_.emplace(std::pair(compiler.python, compiler.toolchain_dir), "");
  if (is_new) {
    around->second =
        python::ask(
            {.interpreter = {compiler.python}, .program = kPython_packages_around, .site = compiler.toolchain_dir})
            .value_or("");
  }
  return hash::sha256(*ours + around->second);
}

Result<samples::Provenance> Builds::of(const work::Place& compiler, const work::Place* exporter) {
  const Result<std::string> worker = file(surroundings_.worker);
  if (!worker) return error_of(worker);
  const Result<std::string> packages = package(compiler);
  if (!packages) return error_of(packages);
  const Result<std::string> own = plugin(compiler.compiler);
  if (!own) return error_of(own);
  watch(compiler);
  samples::Provenance made_with{.manifest_sha256 = compiler.manifest_sha256,
                                .worker_sha256 = *worker,
                                .package_sha256 = *packages,
                                .plugin_sha256 = *own};
  if (exporter == nullptr) return made_with;
  const Result<std::string> exporting = plugin(exporter->compiler);
  if (!exporting) return error_of(exporting);
  watch(*exporter);
  const Result<std::string> around = package(*exporter);
  if (!around) return error_of(around);
  const std::string others = *around == *packages ? "" : *around;
  made_with.exporter_sha256 = hash::sha256(*exporting + exporter->manifest_sha256 + others);
  return made_with;
}

Status Builds::check_unchanged() {
  const auto replaced = [](const fs::path& path) {
    return fail("was replaced during the run", path.string(), "run the same command again");
  };
  if (const auto path = files_.changed()) return replaced(*path);
  for (const auto& [path, before] : sites_) {
    const Site now = look(path);
    if (now.folder != before.folder || now.packages != before.packages) return replaced(path);
  }
  return Done{};
}

Status JobBuilds::learn() {
  bool has_modules = false;
  for (const work::Model& model : job_.models) has_modules = has_modules || work::has_module(model);
  std::vector<const work::Compiler*> compilers;
  for (const work::Compiler& compiler : job_.compilers) compilers.push_back(&compiler);
  if (job_.reference) compilers.push_back(&*job_.reference);
  for (const work::Compiler& compiler : job_.other_references) compilers.push_back(&compiler);
  for (const work::Compiler* const compiler : compilers) {
    for (const bool exported : {false, true}) {
      if (exported && !has_modules) continue;
      if (Status known = learn(*compiler, exported); !known) return known;
    }
  }
  return Done{};
}

Status JobBuilds::learn(const work::Compiler& compiler, bool is_exported) {
  const work::Place& place = job_.place_of(compiler);
  const std::tuple key{compiler.name, place.manifest_sha256, is_exported};
  if (known_.contains(key)) return Done{};
  const bool has_exporter = (is_exported || work::converts_modules(place)) && job_.exporter;
  Result<samples::Provenance> made_with = builds_.of(place, has_exporter ? &job_.place_of(*job_.exporter) : nullptr);
  if (!made_with) return error_of(made_with);
  known_[key] = {*made_with, made_with->build()};
  return Done{};
}

const JobBuilds::Build& JobBuilds::of(const work::Compiler& compiler, const work::Model& model) const {
  return known_.at({compiler.name, job_.place_of(compiler).manifest_sha256, model.is_module()});
}

std::string differing_parts(const samples::Provenance& one, const samples::Provenance& other) {
  using samples::Provenance;
  if (one.worker_sha256.empty()) return "the earlier build is not recorded";
  struct Part {
    const char* name;
    std::string Provenance::* hash;
  };
  constexpr Part kParts[] = {{"toolchain", &Provenance::manifest_sha256},
                             {"ngb-worker", &Provenance::worker_sha256},
                             {"Python package ngraphbench, or what an adopted toolchain's Python finds elsewhere",
                              &Provenance::package_sha256},
                             {"plugin or adaptor", &Provenance::plugin_sha256},
                             {"exporter", &Provenance::exporter_sha256}};
  std::vector<std::string> parts;
  for (const Part& part : kParts) {
    const std::string& before = one.*part.hash;
    const std::string& now = other.*part.hash;
    const auto brief = [](const std::string& hash) { return hash.empty() ? "none" : hash.substr(0, 12); };
    if (before != now) parts.push_back(fmt::format("{} ({} before, {} now)", part.name, brief(before), brief(now)));
  }
  return text::join(parts, ", ");
}

}  // namespace ngb::agent
