// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/removal.h"
#include "collection/collection.h"
#include "collection/pages.h"

namespace ngb::collection {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".ngb-collection";  // file that marks a folder as a site
constexpr const char* kMarkText = "A site of ngb. ngb collection replaces what it has written here.\n";

Status begin_site(const fs::path& site) {
  std::error_code code;
  const std::string next = "name another folder with -o";
  if (fs::exists(site, code) && !fs::is_directory(site, code)) {
    return fail("a file has the site's name", site.string(), next);
  }
  if (fs::is_symlink(site / kBundlesFolder, code)) {
    return fail("is a link, and files behind it would be replaced", (site / kBundlesFolder).string(), next);
  }
  if (fs::exists(site, code) && !fs::exists(site / kMark, code) && !fs::is_empty(site, code)) {
    return fail("the folder contains something and is no site of ngb", site.string(), next);
  }
  if (const Status made = file::make_folder(site / kBundlesFolder); !made) return made;
  return file::write_atomically(site / kMark, kMarkText);
}

// Copies what was verified: a file that has changed since is an error.
Status copy_bundle(const Bundle& bundle, const fs::path& to) {
  const fs::path made = file::partial_path(to);
  const auto sha256 = hash::copy_file(bundle.file, made);
  if (sha256 && *sha256 == bundle.sha256) {
    std::error_code code;  // a web server of another user reads it
    fs::permissions(made, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add, code);
    return file::put_in_place(made, to);
  }
  file::remove(made);
  if (!sha256) return error_of(sha256);
  return fail("it has changed while it was read", bundle.file.string(), "type the command again");
}

// Returns whether the name is that of a page or a copy of a bundle: sixteen hexadecimal digits with an ending.
bool is_of_bundle(const fs::path& name) {
  constexpr std::size_t kDigits = 16;
  const std::string stem = name.stem().string();
  return (name.extension() == ".zip" || name.extension() == ".html") && stem.size() == kDigits &&
         stem.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Removes what an earlier site had: a bundle that is refused by now must not stay.
Status remove_others(const fs::path& folder, const std::set<std::string>& names) {
  std::error_code code;
  std::vector<fs::path> others;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const fs::path name = entry->path().filename();
    if (is_of_bundle(name) && !names.contains(name.string())) others.push_back(entry->path());
  }
  if (code) return tl::unexpected(file::from_errno("read the folder", folder, code.value()));
  for (const fs::path& each : others) {
    if (!file::remove(each)) return tl::unexpected(file::from_errno("remove", each, errno));
  }
  return Done{};
}

}  // namespace

Result<WrittenSite> write_site(const Collection& collection, const fs::path& site, const std::string& made_by) {
  if (const Status begun = begin_site(site); !begun) return error_of(begun);
  WrittenSite written{.page = site / "index.html"};
  std::set<std::string> names;
  for (std::size_t i = 0; i < collection.bundles.size(); ++i) {
    const Bundle& each = collection.bundles[i];
    if (!each.why_refused.empty()) continue;
    const std::string zip = each.page() + ".zip";
    const std::string page = each.page() + ".html";
    if (const Status copied = copy_bundle(each, site / kBundlesFolder / zip); !copied) return error_of(copied);
    const std::string html = bundle_page(collection, i, made_by);
    if (const Status done = file::write_atomically(site / kBundlesFolder / page, html); !done) return error_of(done);
    names.insert({zip, page});
    written.bytes += html.size();
  }
  const std::string html = index_page(collection, made_by);
  if (const Status done = file::write_atomically(written.page, html); !done) return error_of(done);
  written.bytes += html.size();
  written.numbers = static_cast<std::size_t>(
      std::ranges::count_if(collection.measurements, [](const Measurement& each) { return !each.is_copy; }));
  if (const Status removed = remove_others(site / kBundlesFolder, names); !removed) return error_of(removed);
  return written;
}

}  // namespace ngb::collection
