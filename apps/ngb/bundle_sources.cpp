// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/bundle_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/revision/revision.h"
#include "bundle/archive.h"
#include "bundle/paths.h"
#include "bundle/verification.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;

bool is_unpacked_bundle(const fs::path& path) {
  return fs::is_regular_file(path / bundle::kManifestPath) && fs::is_regular_file(path / bundle::kResultsPath);
}

Status check_bundle(const std::string& given) {
  const auto verification = bundle::verify_bundle(given, describe(this_revision()));
  if (!verification) return error_of(verification);
  const std::string next = fmt::format("`ngb verify {}` says all; leave it out, or ask who made it", given);
  if (const std::string problem = verification->first_problem(); !problem.empty()) {
    return fail("the bundle does not verify: " + problem, given, next);
  }
  if (verification->is_complete()) return Done{};
  const auto unchecked = std::ranges::find_if(
      verification->outcomes, [](const bundle::RuleOutcome& outcome) { return outcome.why_unchecked.has_value(); });
  return fail(fmt::format("the bundle cannot be verified: {}", *unchecked->why_unchecked), given, next);
}

// Makes `given` the folder `results` in the arguments, also where a device of it is renamed.
void read_from(SourcesArguments& arguments, const std::string& given, const fs::path& results) {
  std::ranges::replace(arguments.folders, given, results.string());
  for (std::string& renaming : arguments.renamings) {
    if (renaming.starts_with(given + ":")) renaming = results.string() + renaming.substr(given.size());
  }
}

Status open_zip(const std::string& given, OpenedBundles& opened) {
  auto scratch = ScratchFolder::temporary("ngb-bundle");
  if (!scratch) return error_of(scratch);
  const auto entries = bundle::list_zip(given);
  if (!entries) return error_of(entries);
  if (const Status unpacked = bundle::unpack_zip(given, *entries, scratch->path()); !unpacked) return unpacked;
  read_from(opened.results, given, (scratch->path() / bundle::kResultsPath).parent_path());
  opened.unpacked.push_back(*std::move(scratch));
  return Done{};
}

}  // namespace

Result<OpenedBundles> open_bundles(const SourcesArguments& given) {
  OpenedBundles opened{given, {}};
  for (const std::string& each : given.folders) {
    const bool is_zip = fs::is_regular_file(each);
    if (!is_zip && !is_unpacked_bundle(each)) continue;
    if (const Status verified = check_bundle(each); !verified) return error_of(verified);
    if (!is_zip) read_from(opened.results, each, (fs::path(each) / bundle::kResultsPath).parent_path());
    if (!is_zip) continue;
    if (const Status unpacked = open_zip(each, opened); !unpacked) return error_of(unpacked);
  }
  return opened;
}

}  // namespace ngb::app
