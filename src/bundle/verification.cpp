// SPDX-License-Identifier: Apache-2.0
#include "bundle/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/scratch_folder.h"
#include "bundle/archive.h"
#include "bundle/comparison.h"
#include "bundle/contents.h"
#include "bundle/descriptions.h"
#include "bundle/paths.h"
#include "report/page/html.h"
#include "store/copy.h"
#include "store/store.h"

namespace ngb::bundle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestManifest = 16ULL << 20U;
constexpr std::uint64_t kLargestCompared = 1ULL << 30U;  // of files whose difference is named

// Returns whether the error is one of this machine, which says nothing about the bundle.
bool says_nothing(const Error& error) { return error.code != ErrorCode::other && error.code != ErrorCode::not_found; }

// Returns an error if something in the results file cannot be read, or cannot be true.
Status check_readable(const fs::path& results) {
  auto store = store::Store::open(results, store::Mode::read_only);
  if (!store) return error_of(store);
  const auto cells = store->load_cells(store::Detail::full);
  return cells ? Status{} : Status(error_of(cells));
}

class Verifier {
 public:
  Verifier(fs::path given, fs::path scratch, std::string verified_by)
      : given_(std::move(given)), scratch_(std::move(scratch)), verified_by_(std::move(verified_by)) {
    for (const Rule& rule : rules()) verification_.outcomes.push_back({.rule = &rule});
  }

  Result<Verification> verify() {
    if (const Status checked = check_all(); !checked) return error_of(checked);
    verification_.folder = folder_;
    return std::move(verification_);
  }

 private:
  // Returns an error only if the work cannot be done, not if a rule does not hold.
  Status check_all() {
    if (const Status opened = open(); !opened) return opened;
    if (!passed("archive") || !passed("paths")) return Done{};
    if (const Status checked = check_manifest(); !checked) return checked;
    if (!manifest_) return Done{};
    if (const Status checked = check_hashes(); !checked) return checked;
    return check_numbers();
  }

  Status open() {
    std::error_code code;
    if (fs::is_directory(given_, code)) return open_folder();
    if (!fs::exists(given_, code)) {
      return fail("there is no bundle here", given_.string(), "name a file that `ngb bundle` has written");
    }
    const auto entries = list_zip(given_);
    if (!entries)
      return says_nothing(entries.error()) ? Status(error_of(entries)) : add_error("archive", entries.error());
    if (const Status plain = check_layout(given_); !plain) return add_error("archive", plain.error());
    mark_checked("archive");
    check_entries(*entries);
    if (!passed("paths")) return Done{};
    folder_ = scratch_ / "given";
    if (const Status made = file::make_folder(folder_); !made) return made;
    const Status unpacked = unpack_zip(given_, *entries, folder_);
    if (unpacked) return Done{};
    if (unpacked.error().code != ErrorCode::other) return unpacked;
    return add_error("archive", unpacked.error());
  }

  Status open_folder() {
    folder_ = given_;
    outcome("archive").remark = "an unpacked bundle";
    mark_checked("archive");
    auto files = list_files(folder_);
    if (has_code(files, ErrorCode::not_found)) return add_error("paths", files.error());
    if (!files) return error_of(files);
    paths_ = *std::move(files);
    check_paths();
    return Done{};
  }

  void check_entries(const std::vector<ZipEntry>& entries) {
    for (const ZipEntry& entry : entries) {
      paths_.push_back(entry.path);
      if (!entry.is_file) add("paths", {entry.path, "it is no file, but a link, a folder or something else"});
      if (!entry.is_readable) add("paths", {entry.path, "it is encrypted, or packed in a way that ngb does not use"});
    }
    check_paths();
  }

  void check_paths() {
    for (const std::string& path : paths_) {
      if (const std::string why = why_not_a_path(path); !why.empty()) add("paths", {path, why});
    }
    if (const std::string twice = twice_used_path(paths_); !twice.empty()) {
      add("paths", {twice, "the name occurs twice"});
    }
    mark_checked("paths");
  }

  Status check_manifest() {
    mark_checked("manifest");
    if (std::find(paths_.begin(), paths_.end(), kManifestPath) == paths_.end()) {
      add("manifest", {kManifestPath, "it is missing: this is no bundle of ngb, or a part of one"});
      return Done{};
    }
    const auto text = file::read(folder_ / kManifestPath, kLargestManifest);
    if (!text) return add_error("manifest", text.error());
    if (is_of_newer_version(*text)) {
      return fail("a newer version of ngb has made this bundle", given_.string(), "verify it with that version");
    }
    auto manifest = parse_manifest(*text);
    if (!manifest) return add_error("manifest", manifest.error());
    manifest_ = *std::move(manifest);
    verification_.about = manifest_->about;
    std::set<std::string> extra(paths_.begin(), paths_.end());
    extra.erase(kManifestPath);
    for (const BundledFile& file : manifest_->files) {
      if (extra.erase(file.path) == 0) add("manifest", {file.path, "it is listed and missing"});
    }
    for (const std::string& path : extra) add("manifest", {path, "it is there and not listed"});
    return Done{};
  }

  Status check_hashes() {
    mark_checked("hash");
    auto found = describe_files(folder_, paths_);
    if (!found) return error_of(found);
    for (BundledFile& file : *found) files_.emplace(file.path, std::move(file));
    for (const BundledFile& listed : manifest_->files) {
      const auto there = files_.find(listed.path);
      if (there == files_.end()) continue;  // the rule `manifest` says so
      const BundledFile& file = there->second;
      if (file.bytes != listed.bytes) {
        add("hash", {listed.path, fmt::format("it has {} bytes, {} are listed", file.bytes, listed.bytes)});
      } else if (file.sha256 != listed.sha256) {
        add("hash", {listed.path, fmt::format("its SHA-256 is {}, {} is listed", file.sha256, listed.sha256)});
      }
    }
    return Done{};
  }

  // Makes everything again from a copy of the results file and compares.
  Status check_numbers() {
    const fs::path results = scratch_ / "results.db";
    std::error_code code;
    // A copy without what may be beside it: SQLite would apply a journal.
    fs::copy_file(folder_ / kResultsPath, results, code);
    if (code == std::errc::no_such_file_or_directory) {
      return add("samples", {kResultsPath, "it is missing, so no number can be computed again"});
    }
    if (code) return tl::unexpected(file::from_errno("copy", folder_ / kResultsPath, code.value()));
    fs::permissions(results, fs::perms::owner_read | fs::perms::owner_write, code);
    if (const std::string why = store::why_version_is_not_read(results); !why.empty()) {
      for (RuleOutcome& each : verification_.outcomes) {
        if (each.rule->level == Level::numbers) each.why_unchecked = why;
      }
      return Done{};
    }
    for (const auto check : {store::check_references, store::check_only_ours}) {
      const Status sound = check(results);
      if (sound) continue;
      if (says_nothing(sound.error())) return sound;
      return add("samples", {kResultsPath, sound.error().what});
    }
    const fs::path again = scratch_ / "again";
    if (const Status made = make_contents(results, manifest_->about, again); !made) {
      if (says_nothing(made.error())) return made;
      if (const Status readable = check_readable(results); !readable) {
        if (says_nothing(readable.error())) return readable;
        return add("samples", {kResultsPath, readable.error().what});
      }
      // Everything was read. That the numbers cannot be made is then an error of this program, and no fault of the
      // bundle.
      for (RuleOutcome& each : verification_.outcomes) {
        if (each.rule->level == Level::numbers) each.why_unchecked = "it cannot be made again: " + made.error().text();
      }
      return Done{};
    }
    if (const Status compared = compare_stored(results, again / kResultsPath); !compared) return compared;
    if (const Status compared = compare_files(again); !compared) return compared;
    if (const Status compared = compare_descriptions(); !compared) return compared;
    for (const auto& [rule, why] : other_words_) {
      if (passed(rule)) outcome(rule).why_unchecked = why;
    }
    if (is_of_other() && manifest_->about.formulas != formulas()) leave_to_its_maker();
    return Done{};
  }

  // By other formulas other numbers follow, which says nothing about the bundle. All samples are still checked.
  void leave_to_its_maker() {
    for (RuleOutcome& each : verification_.outcomes) {
      constexpr std::array<std::string_view, 7> kOfFormulas{"derived", "series", "verdicts", "tables",
                                                            "figures", "page",   "metadata"};
      if (std::find(kOfFormulas.begin(), kOfFormulas.end(), each.rule->id) == kOfFormulas.end()) continue;
      if (each.problems.empty()) continue;
      const Problem& first = each.problems.front();
      each.why_unchecked =
          fmt::format("this ngb has other formulas, by which other numbers follow ({}: {}); ngb {} can decide",
                      first.where, first.what, manifest_->about.made_by);
      each.problems.clear();
    }
  }

  Status compare_stored(const fs::path& given, const fs::path& again) {
    const auto given_values = store::stored_derived(given);
    const auto given_parts = store::stored_series(given);
    const auto values = store::stored_derived(again);
    const auto parts = store::stored_series(again);
    if (!values) return error_of(values);
    if (!parts) return error_of(parts);
    if (!given_values && says_nothing(given_values.error())) return error_of(given_values);
    if (!given_parts && says_nothing(given_parts.error())) return error_of(given_parts);
    if (given_values) {
      add_all("derived", differences(kept_values(*given_values), kept_values(*values)));
    } else {
      add("derived", {kResultsPath, given_values.error().what});
    }
    if (given_parts) {
      add_all("series", differences(kept_numbers(*given_parts), kept_numbers(*parts)));
      add_all("verdicts", differences(kept_conclusions(*given_parts), kept_conclusions(*parts)));
    } else {
      add("series", {kResultsPath, given_parts.error().what});
      add("verdicts", {kResultsPath, given_parts.error().what});
    }
    return Done{};
  }

  Status compare_files(const fs::path& again) {
    for (const char* const rule : {"samples", "tables", "figures", "page", "study", "environment"}) mark_checked(rule);
    const auto made = list_files(again);
    if (!made) return error_of(made);
    std::set<std::string> extra(paths_.begin(), paths_.end());
    for (const std::string& path : *made) {
      const std::string_view rule = rule_of_path(path);
      if (extra.erase(path) == 0) {
        add(rule, {path, "it is missing"});
      } else if (path != kResultsPath) {
        if (const Status compared = compare_file(path, again); !compared) return compared;
      }
    }
    for (const std::string& path : extra) {
      if (rule_of_path(path) != "metadata") add(rule_of_path(path), {path, "it does not follow"});
    }
    return Done{};
  }

  // Compares hashes first, so that a large file that is the same is not read into memory.
  Status compare_file(const std::string& path, const fs::path& again) {
    const auto made_hash = hash::sha256_of_file(again / path);
    if (!made_hash) return error_of(made_hash);
    if (files_.at(path).sha256 == *made_hash) return Done{};
    std::error_code code;
    if (std::max(fs::file_size(folder_ / path, code), fs::file_size(again / path, code)) > kLargestCompared) {
      return add(rule_of_path(path), {path, "it does not follow from the samples, and is too large to say where"});
    }
    const auto given = file::read(folder_ / path);
    if (!given) return error_of(given);
    const auto follows = file::read(again / path);
    if (!follows) return error_of(follows);
    compare_text(path, *given, *follows);
    return Done{};
  }

  Status compare_descriptions() {
    mark_checked("metadata");
    std::set<std::string> extra;
    for (const std::string& path : paths_) {
      if (rule_of_path(path) == "metadata" && path != kManifestPath) extra.insert(path);
    }
    for (const Description& each : descriptions(manifest_->about, paths_)) {
      if (extra.erase(each.path) == 0) {
        add("metadata", {each.path, "it is missing"});
        continue;
      }
      const auto given = file::read(folder_ / each.path);
      if (!given) return error_of(given);
      compare_text(each.path, *given, each.text);
    }
    if (is_of_other() && !extra.empty()) {
      other_words_.emplace("metadata", fmt::format("{}: this ngb makes no such file; ngb {} can decide", *extra.begin(),
                                                   manifest_->about.made_by));
      return Done{};
    }
    for (const std::string& path : extra) add("metadata", {path, "no bundle has such a file"});
    return Done{};
  }

  // Another version of ngb may write the same numbers with other words, and a page in another way altogether. Whether
  // somebody has changed them, only the version that made them can tell. A page's numbers are in tables and figures
  // too.
  void compare_text(const std::string& path, std::string given, std::string follows) {
    const bool is_page = path == kPagePath;
    if (is_page && given != follows) {
      given = report::page::with_parts_unpacked(given);
      follows = report::page::with_parts_unpacked(follows);
    }
    const std::string difference = text_difference(given, follows);
    if (difference.empty()) return;
    const std::string_view rule = rule_of_path(path);
    const bool has_words_only = is_page || path == kReadmePath;
    if (!is_of_other() || !(has_words_only || have_alike_numbers(given, follows))) {
      add(rule, {path, difference});
      return;
    }
    other_words_.emplace(rule,
                         fmt::format("{}: {} ({}); ngb {} can decide", path,
                                     is_page ? "another version has made it" : "the numbers are the same, words differ",
                                     difference, manifest_->about.made_by));
  }

  [[nodiscard]] bool is_of_other() const { return manifest_->about.made_by != verified_by_; }
  RuleOutcome& outcome(std::string_view rule) {
    return *std::find_if(verification_.outcomes.begin(), verification_.outcomes.end(),
                         [&](const RuleOutcome& each) { return each.rule->id == rule; });
  }
  [[nodiscard]] bool passed(std::string_view rule) { return outcome(rule).problems.empty(); }
  void mark_checked(std::string_view rule) { outcome(rule).why_unchecked.reset(); }
  Status add(std::string_view rule, Problem problem) {
    mark_checked(rule);
    outcome(rule).problems.push_back(std::move(problem));
    return Done{};
  }
  Status add_error(std::string_view rule, const Error& error) {
    return add(rule, {error.where.empty() ? given_.string() : error.where, error.what});
  }
  void add_all(std::string_view rule, std::vector<Problem> problems) {
    mark_checked(rule);
    for (Problem& problem : problems) outcome(rule).problems.push_back(std::move(problem));
  }

  fs::path given_;
  fs::path scratch_;
  std::string verified_by_;
  fs::path folder_{};                 // of the unpacked files
  std::vector<std::string> paths_{};  // of them
  std::optional<Manifest> manifest_{};
  std::map<std::string, BundledFile> files_{};             // by path, as they are, whatever the manifest says of them
  std::map<std::string_view, std::string> other_words_{};  // by rule, why only another version can decide
  Verification verification_{};
};

}  // namespace

bool Verification::holds(Level level) const {
  return std::all_of(outcomes.begin(), outcomes.end(), [&](const RuleOutcome& outcome) {
    return outcome.rule->level != level || outcome.problems.empty();
  });
}

bool Verification::is_complete() const {
  return std::none_of(outcomes.begin(), outcomes.end(),
                      [](const RuleOutcome& outcome) { return outcome.why_unchecked.has_value(); });
}

std::string Verification::first_problem() const {
  for (const RuleOutcome& outcome : outcomes) {
    if (outcome.problems.empty()) continue;
    const Problem& first = outcome.problems.front();
    return fmt::format("rule {}: {}: {}", outcome.rule->id, first.where, first.what);
  }
  return {};
}

Result<Verification> verify_bundle(const fs::path& given, const std::string& verified_by, const fs::path& scratch) {
  return Verifier(given, scratch, verified_by).verify();
}

Result<Verification> verify_bundle(const fs::path& given, const std::string& verified_by) {
  const auto scratch = ScratchFolder::temporary("ngb-verify");
  if (!scratch) return error_of(scratch);
  return verify_bundle(given, verified_by, scratch->path());
}

}  // namespace ngb::bundle
