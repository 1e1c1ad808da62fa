// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/bundle_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/revision/revision.h"
#include "bundle/paths.h"
#include "bundle/verification.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;

bool is_unpacked_bundle(const fs::path& path) {
  return fs::is_regular_file(path / bundle::kManifestPath) && fs::is_regular_file(path / bundle::kResultsPath);
}

// Returns the folder of its files: below `scratch`, if it is a zip file.
Result<fs::path> verified(const std::string& given, const fs::path& scratch) {
  const auto verification = bundle::verify_bundle(given, describe(this_revision()), scratch);
  if (!verification) return error_of(verification);
  const std::string next = fmt::format("`ngb verify {}` says all; leave it out, or ask who made it", given);
  if (const std::string problem = verification->first_problem(); !problem.empty()) {
    return fail("the bundle does not verify: " + problem, given, next);
  }
  if (verification->is_complete()) return verification->folder;
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

}  // namespace

Result<OpenedBundles> open_bundles(const SourcesArguments& given) {
  OpenedBundles opened{given, {}};
  for (const std::string& each : given.folders) {
    if (!fs::is_regular_file(each) && !is_unpacked_bundle(each)) continue;
    auto scratch = ScratchFolder::temporary("ngb-bundle");
    if (!scratch) return error_of(scratch);
    const auto folder = verified(each, scratch->path());
    if (!folder) return error_of(folder);
    read_from(opened.results, each, (*folder / bundle::kResultsPath).parent_path());
    opened.unpacked.push_back(*std::move(scratch));
  }
  return opened;
}

}  // namespace ngb::app
