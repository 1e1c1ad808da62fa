// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"
#include "toolchain/files.h"
#include "toolchain/folders.h"
#include "toolchain/hardware.h"
#include "toolchain/manifest.h"
#include "toolchain/pins.h"
#include "toolchain/pip.h"
#include "toolchain/reuse.h"
#include "toolchain/selection.h"
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

// Works in `partial`, which exists.
Result<Selection> choose_packages(const Python& python, const fs::path& partial, const CompilerDescription& compiler,
                                  const std::string& version, bool needs_hashes) {
  Result<std::vector<std::string>> requirements = filled_requirements(compiler, version);
  if (!requirements) return error_of(requirements);
  return select(python,
                {.requirements = *std::move(requirements),
                 .with_dependencies = compiler.with_dependencies,
                 .has_gpu = python.target ? python.target->has_gpu : has_device("cuda"),
                 .skip_without_gpu = compiler.skip_without_gpu,
                 .needs_hashes = needs_hashes},
                partial / "scratch");
}

// Installs the wheels into the place's partial folder, if the disk has room for them. What another toolchain has is
// copied.
Result<std::vector<ChosenWheel>> install_wheels(const Python& python, const Place& place,
                                                std::vector<ChosenWheel> wheels, const Progress& progress) {
  if (Status room = check_disk(place.partial(), bytes_needed(wheels)); !room) return error_of(room);
  std::vector<ChosenWheel> copied = copy_installed(python, place.root, place.partial() / "site", wheels, progress);
  std::erase_if(wheels, [&](const ChosenWheel& wheel) {
    return std::any_of(copied.begin(), copied.end(), [&](const ChosenWheel& each) { return each.name == wheel.name; });
  });
  if (wheels.empty()) return copied;
  Result<std::vector<ChosenWheel>> installed = install_side_by_side(python, place.partial(), wheels, progress);
  if (!installed) return error_of(installed);
  // The index does not give every hash, but pip has reported the hash of each wheel that it installed.
  if (Status same = check_wheels(python, *installed); !same) return error_of(same);
  std::move(copied.begin(), copied.end(), std::back_inserter(*installed));
  return installed;
}

// Installs the packages into the place's partial folder, the smallest set first.
Result<std::vector<ChosenWheel>> collect(const Python& python, const Place& place, const CompilerDescription& compiler,
                                         const Progress& progress) {
  const auto say = [&](const std::string& line) {
    if (progress) progress(line);
  };
  say("choosing packages");
  const Result<Selection> selection = choose_packages(python, place.partial(), compiler, place.version, false);
  if (!selection) return error_of(selection);
  say(weight(*selection));
  Result<std::vector<ChosenWheel>> installed = install_wheels(python, place, selection->wheels, progress);
  if (!installed || python.target) return installed;  // another device's packages cannot be imported on this machine
  if (!compiler.imports.empty()) say("importing " + text::join(compiler.imports, ", "));
  const fs::path site = place.partial() / "site";
  Status imported = try_imports(python.command, site, compiler.imports, true);
  if (!imported && !selection->left_out.empty()) {
    say(imported.error().what + "; installing the packages for GPUs too");
    Result<std::vector<ChosenWheel>> more = install_wheels(python, place, selection->left_out, progress);
    if (!more) return error_of(more);
    std::move(more->begin(), more->end(), std::back_inserter(*installed));
    imported = try_imports(python.command, site, compiler.imports, true);
  }
  if (!imported) return error_of(imported);
  return installed;
}

// Returns a Python that has pip.
Result<Python> python_for(const Target* target) {
  const Result<Python> python = find_python();
  if (!python) return error_of(python);
  if (Status usable = check_pip(*python); !usable) return error_of(usable);
  return target == nullptr ? *python : with_target(*python, *target);
}

// Returns the compiler with the packages of the toolchain that is there, if its manifest can be read, as requirements:
// what is installed again is the same.
CompilerDescription as_before(CompilerDescription compiler, const Place& place) {
  const Result<Toolchain> before = read_manifest(place.folder());
  if (!before || before->compiler != place.compiler || before->version != place.version) return compiler;
  compiler.requirements.clear();
  compiler.with_dependencies = false;
  for (const Package& each : before->packages) compiler.requirements.push_back(each.name + "==" + each.version);
  return compiler;
}

Result<Toolchain> build(const Place& place, const CompilerDescription& compiler, const Target* target,
                        const Progress& progress) {
  const Result<Python> python = python_for(target);
  if (!python) return error_of(python);
  if (Status room = check_disk(place.folder().parent_path(), compiler.disk_bytes); !room) {
    return error_of(room);
  }
  Result<std::vector<ChosenWheel>> wheels = collect(*python, place, compiler, progress);
  if (!wheels) return error_of(wheels);
  std::sort(wheels->begin(), wheels->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  file::remove_all(place.partial() / "scratch");
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
  for (const ChosenWheel& wheel : *wheels) {
    const std::uint64_t size_bytes = sizes[wheel.name];
    toolchain.packages.push_back({wheel.name, wheel.version, wheel.sha256, size_bytes});
    toolchain.size_bytes += size_bytes;
  }
  return finish(place, std::move(toolchain));
}

// Returns, and says, whether this ngb pins a package to another version than the installed one.
bool has_other_pins(const Toolchain& present, const CompilerDescription& compiler, const Progress& progress) {
  const std::vector<std::string> unlike = unlike_pins(present, compiler.requirements);
  if (progress && !unlike.empty()) progress(text::join(unlike, "; ") + ": its packages are chosen anew");
  return !unlike.empty();
}

// Returns whether nothing has to be installed. A toolchain whose Python cannot be asked is left as it is.
bool is_as_installed(const Toolchain& present, const Progress& progress) {
  if (present.is_adopted) return true;
  const Result<std::vector<std::string>> unlike = verify(present);
  if (unlike && !unlike->empty()) {
    if (progress) progress(words_for(*unlike) + ": not as it was installed; the package is installed again");
    return false;
  }
  if (unlike) list_files_once(present);
  return true;
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
  const bool is_outdated = present && *present && has_other_pins(**present, compiler, progress);
  if (present && *present && !is_outdated && is_as_installed(**present, progress)) return **std::move(present);
  if (!present && progress) progress(present.error().what + "; it will be replaced");
  if (Status ours = check_ours(place); !ours) return error_of(ours);
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  if (Status made = file::make_folder(place.partial()); !made) return error_of(made);
  Result<Toolchain> toolchain = build(place, is_outdated ? compiler : as_before(compiler, place), target, progress);
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
  const Result<Selection> selection = choose_packages(*python, place.partial(), compiler, version, true);
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  if (!selection) {
    Error error = selection.error();
    error.what = fmt::format("cannot choose {} {}: {}", compiler.name, version, error.what);
    return tl::unexpected(std::move(error));
  }
  if (progress) progress(weight(*selection));
  Toolchain toolchain{
      .compiler = compiler.toolchain, .version = version, .python = "python3", .created = creation_time()};
  for (const ChosenWheel& wheel : selection->wheels) {
    toolchain.packages.push_back({wheel.name, wheel.version, wheel.sha256, 0});
  }
  toolchain.manifest_sha256 = hash_of(toolchain);
  return toolchain;
}

}  // namespace ngb::toolchain
