// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "toolchain/collection.h"
#include "toolchain/folders.h"
#include "toolchain/hardware.h"
#include "toolchain/manifest.h"
#include "toolchain/pins.h"
#include "toolchain/pip.h"
#include "toolchain/site.h"
#include "toolchain/spelling.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

Status check_disk(const fs::path& folder, std::uint64_t needed_bytes) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  if (code || space.available >= needed_bytes) return Done{};
  return fail(fmt::format("about {} are needed, {} are free", text::human_bytes(needed_bytes),
                          text::human_bytes(space.available)),
              folder.string(), "free some space, or set NGB_TOOLCHAINS to a folder on a larger disk",
              ErrorCode::disk_full);
}

Result<std::vector<std::string>> filled_requirements(const CompilerDescription& compiler, const std::string& version) {
  std::vector<std::string> requirements;
  for (const std::string& requirement : compiler.requirements) {
    Result<std::string> filled = fill_placeholders(requirement, version);
    if (!filled) return error_of(filled);
    requirements.push_back(*std::move(filled));
  }
  return requirements;
}

Result<Collection> begin_collection(const Python& python, const fs::path& partial, const CompilerDescription& compiler,
                                    const std::string& version, const Progress& progress) {
  const Result<std::vector<std::string>> requirements = filled_requirements(compiler, version);
  if (!requirements) return error_of(requirements);
  Collection collection(python, partial, compiler.with_dependencies, progress);
  const bool has_gpu = python.target ? python.target->has_gpu : has_device("cuda");
  if (!has_gpu) collection.skip(compiler.skip_without_gpu);
  for (const std::string& requirement : *requirements) collection.add(requirement);
  return collection;
}

// Installs the packages into `partial`, the smallest set first.
Result<std::vector<Installed>> collect(const Python& python, const fs::path& partial,
                                       const CompilerDescription& compiler, const std::string& version,
                                       const Progress& progress) {
  Result<Collection> begun = begin_collection(python, partial, compiler, version, progress);
  if (!begun) return error_of(begun);
  Collection& collection = *begun;
  if (Status filled = collection.fill(); !filled) return error_of(filled);
  if (python.target) return collection.installed();  // they cannot be imported on this machine
  if (!compiler.imports.empty() && progress) progress("importing " + text::join(compiler.imports, ", "));
  Status imported = try_imports(python.command, collection.site(), compiler.imports, true);
  if (!imported && collection.has_skipped()) {
    if (progress) progress(imported.error().what + "; installing the packages for GPUs too");
    collection.stop_skipping();
    if (Status filled = collection.fill(); !filled) return error_of(filled);
    imported = try_imports(python.command, collection.site(), compiler.imports, true);
  }
  if (!imported) return error_of(imported);
  return collection.installed();
}

// Returns a Python that has pip.
Result<Python> python_for(const Target* target) {
  const Result<Python> python = find_python();
  if (!python) return error_of(python);
  const Result<std::string> pip = pip_version(*python);
  if (!pip) return error_of(pip);
  return target == nullptr ? *python : with_target(*python, *target);
}

Result<Toolchain> build(const Place& place, const CompilerDescription& compiler, const Target* target,
                        const Progress& progress) {
  const Result<Python> python = python_for(target);
  if (!python) return error_of(python);
  if (Status room = check_disk(place.folder().parent_path(), compiler.disk_bytes); !room) {
    return error_of(room);
  }
  const Result<std::vector<Installed>> packages = collect(*python, place.partial(), compiler, place.version, progress);
  if (!packages) return error_of(packages);
  Toolchain toolchain{.compiler = place.compiler,
                      .version = place.version,
                      .folder = place.partial(),
                      .site = place.partial() / "site",
                      .python = target == nullptr ? python->executable : "python3",
                      .python_version = target == nullptr ? python->version : target->python};
  const Result<std::vector<Distribution>> there = site::contents(python->command, toolchain.site);
  if (!there) return error_of(there);
  std::map<std::string, std::uint64_t> sizes;
  for (const Distribution& each : *there) sizes[normalised_name(each.name)] = each.size_bytes;
  for (const Installed& package : *packages) {
    const std::uint64_t size_bytes = sizes[package.name];
    toolchain.packages.push_back({package.name, package.version, package.sha256, size_bytes});
    toolchain.size_bytes += size_bytes;
  }
  return finish(place, std::move(toolchain));
}

// `target` is null for this machine.
Result<Toolchain> make(const fs::path& root, const CompilerDescription& compiler, const std::string& version,
                       const Target* target, const Progress& progress) {
  if (!compiler.needs_toolchain) return fail(compiler.name + " needs no toolchain");
  if (Status plain = check_version(version); !plain) return error_of(plain);
  const Place place{root, compiler.toolchain, version};
  const Result<FileDescriptor> held = lock(place, progress);
  if (!held) return error_of(held);
  Result<std::optional<Toolchain>> present = find(root, compiler.toolchain, version);
  if (present && present->has_value()) return **std::move(present);
  if (!present) {
    if (progress) progress(present.error().what + "; it will be replaced");
    if (Status removed = remove_place(place); !removed) return error_of(removed);
  }
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  if (Status made = file::make_folder(place.partial()); !made) return error_of(made);
  Result<Toolchain> toolchain = build(place, compiler, target, progress);
  if (!toolchain) {
    Error error = toolchain.error();
    error.what = fmt::format("cannot {} {} {}: {}", target == nullptr ? "install" : "download", place.compiler, version,
                             error.what);
    if (Status clean = remove_leftovers(place); !clean) error.what += "; " + clean.error().text();
    if (!compiler.install_advice.empty()) {
      error.next += (error.next.empty() ? "" : "; ") + compiler.install_advice;
    }
    return tl::unexpected(std::move(error));
  }
  return toolchain;
}

}  // namespace

Result<Toolchain> install(const fs::path& root, const CompilerDescription& compiler, const std::string& version,
                          const Progress& progress) {
  return make(root, compiler, version, nullptr, progress);
}

Result<std::vector<std::string>> available_versions(const CompilerDescription& compiler) {
  const std::string package = versioned_package(compiler.requirements);
  if (package.empty()) return fail("this compiler's package has no versions of its own", compiler.name);
  const Result<Python> python = python_for(nullptr);
  if (!python) return error_of(python);
  return pip_versions(*python, package);
}

Result<Toolchain> download(const fs::path& root, const CompilerDescription& compiler, const std::string& version,
                           const Target& target, const Progress& progress) {
  return make(root, compiler, version, &target, progress);
}

Result<Toolchain> choose(const fs::path& root, const CompilerDescription& compiler, const std::string& version,
                         const Target& target, const Progress& progress) {
  if (Status plain = check_version(version); !plain) return error_of(plain);
  const Place place{root, compiler.toolchain, version};
  const Result<FileDescriptor> held = lock(place, progress);
  if (!held) return error_of(held);
  const Result<Python> python = python_for(&target);
  if (!python) return error_of(python);
  if (Status made = file::make_folder(place.partial()); !made) return error_of(made);
  Result<Collection> collection = begin_collection(*python, place.partial(), compiler, version, progress);
  Status filled = collection ? Status{} : error_of(collection);
  if (collection) {
    collection->only_choose();
    filled = collection->fill();
  }
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  if (!filled) {
    Error error = filled.error();
    error.what = fmt::format("cannot choose {} {}: {}", compiler.name, version, error.what);
    return tl::unexpected(std::move(error));
  }
  Toolchain toolchain{
      .compiler = compiler.toolchain, .version = version, .python = "python3", .created = creation_time()};
  for (const Installed& package : collection->installed()) {
    toolchain.packages.push_back({package.name, package.version, package.sha256, 0});
  }
  toolchain.manifest_sha256 = hash_of(toolchain);
  return toolchain;
}

}  // namespace ngb::toolchain
