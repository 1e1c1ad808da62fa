// SPDX-License-Identifier: Apache-2.0
#include "collection/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "base/threads.h"
#include "bundle/paths.h"
#include "collection/measurements.h"

namespace ngb::collection {
namespace {

namespace fs = std::filesystem;

struct Files {
  std::vector<fs::path> zips{};
  std::size_t others = 0;
};

Result<Files> files_below(const fs::path& folder) {
  Files files;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (!fs::is_regular_file(entry->path(), code)) continue;
    const bool is_zip = entry->path().extension() == ".zip";
    if (is_zip) files.zips.push_back(entry->path());
    if (!is_zip) ++files.others;
  }
  if (code) return tl::unexpected(file::from_errno("read the folder", folder, code.value()));
  if (files.zips.empty()) {
    return fail("there is no bundle in this folder", folder.string(),
                "write one with `ngb bundle RESULTS -o NAME.zip` and put it there");
  }
  std::ranges::sort(files.zips);
  return files;
}

bool is_of_this_machine(const Error& error) {
  return error.code != ErrorCode::other && error.code != ErrorCode::not_found;
}

// Returns why nothing of the bundle is shown. Rules about words and formulas may be left to the ngb that made it,
// because all numbers are computed again here; the samples have to be those that it lists.
std::string why_refused(const bundle::Verification& verification) {
  if (std::string problem = verification.first_problem(); !problem.empty()) return problem;
  for (const bundle::RuleOutcome& outcome : verification.outcomes) {
    if (std::string_view(outcome.rule->id) == "samples" && outcome.why_unchecked) return *outcome.why_unchecked;
  }
  return {};
}

Status read_measured(const std::string& verified_by, Bundle& bundle, std::vector<Measurement>& measurements) {
  const auto scratch = ScratchFolder::temporary("ngb-collection");
  if (!scratch) return error_of(scratch);
  auto verification = bundle::verify_bundle(bundle.file, verified_by, scratch->path());
  if (!verification) {
    if (is_of_this_machine(verification.error())) return error_of(verification);
    bundle.why_refused = verification.error().text();
    return Done{};
  }
  bundle.verification = *std::move(verification);
  bundle.why_refused = why_refused(*bundle.verification);
  if (!bundle.why_refused.empty()) return Done{};
  return add_measurements(bundle.verification->folder / bundle::kResultsPath, bundle, measurements);
}

// Removes bundles with the content of one before.
void keep_each_content_once(Collection& collection) {
  std::map<std::string, std::string> names;  // by content
  std::erase_if(collection.bundles, [&](const Bundle& bundle) {
    const auto [known, is_new] = names.emplace(bundle.sha256, bundle.name);
    if (!is_new) collection.same_files.push_back(fmt::format("{} is {}", bundle.name, known->second));
    return !is_new;
  });
}

Result<Collection> list_bundles(const fs::path& folder) {
  auto files = files_below(folder);
  if (!files) return error_of(files);
  Collection collection{.other_files = files->others};
  for (const fs::path& zip : files->zips) {
    const auto sha256 = hash::sha256_of_file(zip);
    if (!sha256) return error_of(sha256);
    collection.bundles.push_back(
        {.file = zip, .name = zip.lexically_relative(folder).generic_string(), .sha256 = *sha256});
  }
  keep_each_content_once(collection);
  return collection;
}

}  // namespace

std::string Bundle::page() const {
  constexpr std::size_t kDigits = 16;
  return sha256.substr(0, kDigits);
}

Result<Collection> read_collection(const fs::path& folder, const std::string& verified_by, int threads) {
  auto collection = list_bundles(folder);
  if (!collection) return collection;
  std::vector<Bundle>& bundles = collection->bundles;
  std::vector<std::vector<Measurement>> read(bundles.size());
  std::vector<Status> done(bundles.size(), Status{});
  std::atomic<std::size_t> next{0};
  const std::size_t together = std::min(bundles.size(), static_cast<std::size_t>(std::max(threads, 1)));
  run_side_by_side(together, [&](std::size_t /*thread*/) {
    for (std::size_t i = next++; i < bundles.size(); i = next++)
      done[i] = read_measured(verified_by, bundles[i], read[i]);
  });
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    if (!done[i]) return error_of(done[i]);
    for (Measurement& each : read[i]) {
      each.bundle = i;
      collection->measurements.push_back(std::move(each));
    }
  }
  mark_copies(*collection);
  return collection;
}

void mark_copies(Collection& collection) {
  std::vector<Measurement*> in_order;
  for (Measurement& each : collection.measurements) in_order.push_back(&each);
  std::ranges::stable_sort(in_order, std::ranges::greater{},
                           [](const Measurement* each) { return each->processes.size(); });
  std::map<std::string, std::size_t> owners;  // the bundle that has a process, by the process
  std::map<std::size_t, std::set<std::string>> copied;
  std::set<std::size_t> have_own;
  for (Measurement* const each : in_order) {
    for (const std::string& process : each->processes) {
      const auto known = owners.find(process);
      if (known == owners.end()) continue;
      each->is_copy = true;
      copied[each->bundle].insert(collection.bundles[known->second].name);
    }
    if (each->is_copy) continue;
    have_own.insert(each->bundle);
    for (const std::string& process : each->processes) owners.emplace(process, each->bundle);
  }
  for (const auto& [bundle, of] : copied) {
    if (!have_own.contains(bundle))
      collection.bundles[bundle].copy_of = text::join(std::vector<std::string>(of.begin(), of.end()), ", ");
  }
}

}  // namespace ngb::collection
