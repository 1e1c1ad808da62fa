// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "toolchain/folders.h"
#include "toolchain/python.h"
#include "toolchain/site.h"
#include "toolchain/spelling.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string python{};   // the interpreter that will host it
  std::string command{};  // the interpreter that examines it
  fs::path site{};        // first entry of PYTHONPATH; empty: none is needed
};

// A virtual or conda environment has its own interpreter. A plain folder is used with ours.
Result<Candidate> candidate_at(const fs::path& path) {
  std::error_code code;
  const fs::path absolute = fs::canonical(path, code);
  if (code) return tl::unexpected(file::from_errno("adopt", path, code.value()));
  if (!fs::is_directory(absolute, code)) return fail("not a folder", path.string(), "give a venv or a site-packages");
  const fs::path own = absolute / "bin/python";
  if (fs::exists(own, code)) return Candidate{own.string(), own.string(), {}};
  const Result<Python> python = find_python();
  if (!python) return error_of(python);
  return Candidate{python->executable, python->command, absolute};
}

// Returns the SHA-256 of the package's RECORD, which lists its files with their hashes, or "" if there is no RECORD.
std::string record_sha256(const fs::path& site, const std::string& name) {
  constexpr std::string_view kEnding = ".dist-info";
  std::error_code code;
  for (fs::directory_iterator entry(site, code), end; !code && entry != end; entry.increment(code)) {
    const std::string folder = entry->path().filename().string();
    if (!folder.ends_with(kEnding)) continue;
    const std::string stem = folder.substr(0, folder.size() - kEnding.size());
    if (normalised_name(stem.substr(0, stem.rfind('-'))) != name) continue;
    return hash::sha256_of_file(entry->path() / "RECORD").value_or("");
  }
  return {};
}

Result<Toolchain> describe(const Candidate& candidate, const CompilerDescription& compiler) {
  const Result<Python> python = ask_python(candidate.command);
  if (!python) return error_of(python);
  const Result<Contents> contents = examine_site(candidate.command, candidate.site, compiler.distributions);
  if (!contents) return error_of(contents);
  if (!candidate.site.empty() && contents->site != candidate.site) {
    return fail("no package " + text::join(compiler.distributions, " or ") + " there", candidate.site.string());
  }
  if (Status imported = try_imports(candidate.command, candidate.site, compiler.imports, false); !imported) {
    return error_of(imported);
  }
  Toolchain toolchain{.compiler = compiler.toolchain,
                      .version = std::string(public_version(contents->version)),
                      .site = contents->site,
                      .python = candidate.python,
                      .python_version = python->version,
                      .is_adopted = true};
  for (const Distribution& distribution : contents->distributions) {
    const std::string name = normalised_name(distribution.name);
    toolchain.packages.push_back(
        {name, distribution.version, "", distribution.size_bytes, record_sha256(contents->site, name)});
    toolchain.size_bytes += distribution.size_bytes;
  }
  return toolchain;
}

}  // namespace

Status check_adopted(const Toolchain& toolchain) {
  for (const Package& package : toolchain.packages) {
    if (!toolchain.is_adopted || package.record_sha256.empty()) continue;
    if (record_sha256(toolchain.site, package.name) == package.record_sha256) continue;
    return fail(fmt::format("{} is not the {} that was adopted as {} {}", package.name, package.version,
                            toolchain.compiler, toolchain.version),
                toolchain.site.string(),
                fmt::format("ngb toolchain remove {}@{}, then adopt it again", toolchain.compiler, toolchain.version));
  }
  return Done{};
}

Result<Toolchain> adopt(const fs::path& root, const CompilerDescription& compiler, const fs::path& path) {
  if (!compiler.needs_toolchain) return fail(compiler.name + " needs no toolchain");
  const Result<Candidate> candidate = candidate_at(path);
  if (!candidate) return error_of(candidate);
  Result<Toolchain> toolchain = describe(*candidate, compiler);
  if (!toolchain) {
    Error error = toolchain.error();
    error.what = fmt::format("cannot adopt as {}: {}", compiler.name, error.what);
    return tl::unexpected(std::move(error));
  }
  if (Status plain = check_version(toolchain->version); !plain) return error_of(plain);
  const Place place{root, compiler.toolchain, toolchain->version};
  const Result<FileDescriptor> held = lock(place, {});
  if (!held) return error_of(held);
  const Result<std::optional<Toolchain>> present = find(root, compiler.toolchain, toolchain->version);
  if (!present) return error_of(present);
  if (present->has_value()) {
    return fail(fmt::format("{} {} exists already", place.compiler, place.version), (*present)->folder.string(),
                fmt::format("ngb toolchain remove {}@{}", place.compiler, place.version));
  }
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  if (Status made = file::make_folder(place.partial()); !made) return error_of(made);
  return finish(place, *std::move(toolchain));
}

}  // namespace ngb::toolchain
