// SPDX-License-Identifier: Apache-2.0
#include "reception/belongings.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "agent/lock.h"
#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kTuningDigits = 32;
constexpr std::size_t kRunDigits = 16;
constexpr std::size_t kDeviceDigits = 8;

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

bool is_hex(std::string_view name, std::size_t digits) {
  return name.size() == digits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_number(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Removes the ending of an incomplete file: NAME.partial or NAME.HOST-PID-NUMBER.partial (file::partial_path).
bool take_partial(std::string_view& name) {
  if (!take_suffix(name, ".partial")) return false;
  const std::string_view maker = name.substr(std::min(name.size(), name.rfind('.')));
  const std::size_t process_end = maker.rfind('-');
  const std::size_t host_end = process_end == std::string_view::npos ? process_end : maker.rfind('-', process_end - 1);
  const bool is_maker = host_end != std::string_view::npos && host_end > 0 &&
                        is_number(maker.substr(host_end + 1, process_end - host_end - 1)) &&
                        is_number(maker.substr(process_end + 1));
  if (is_maker) name.remove_suffix(maker.size());
  return true;
}

// Accepts also the ending of a tree that was found damaged.
bool is_tree_name(std::string_view name) {
  if (!take_partial(name)) take_suffix(name, ".damaged");
  return is_hex(name, kHashDigits);
}

bool is_content_name(std::string_view name) {
  take_partial(name);
  take_suffix(name, ".x");
  return is_hex(name, kHashDigits);
}

bool is_run_name(std::string_view name) {
  take_prefix(name, "ngb-");
  if (!is_hex(name.substr(0, kRunDigits), kRunDigits)) return false;
  name.remove_prefix(kRunDigits);
  if (!take_prefix(name, "-") || !is_hex(name.substr(0, kDeviceDigits), kDeviceDigits)) return false;
  name.remove_prefix(kDeviceDigits);
  return name.empty() || (take_prefix(name, "-") && is_number(name));
}

bool is_holder_name(std::string_view name) {
  if (!take_partial(name)) take_suffix(name, ".log");
  return name.starts_with("ngb-") && is_run_name(name);
}

// Accepts names of compilers and versions, without characters that are special to a shell or a file system.
bool is_word(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
         name.find_first_not_of(std::string(kLetters) + ".+!_-") == std::string_view::npos;
}

// Accepts the two forms of names that compilers give to what they keep (cache_dir in ngraphbench/compiler.h).
bool is_tuning(std::string_view name) {
  return is_hex(name, kTuningDigits) || (name.starts_with("timing-") && is_word(name));
}

enum class EntryKind { folder, file, other };

EntryKind kind_of(const fs::directory_entry& entry) {
  std::error_code code;
  const fs::file_type type = entry.symlink_status(code).type();
  if (type == fs::file_type::directory) return EntryKind::folder;
  return type == fs::file_type::regular ? EntryKind::file : EntryKind::other;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    entries.push_back(*entry);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Returns whether the folder is a version that NGraphBench has made or that a user has unpacked as a toolchain.
bool is_toolchain(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (kind_of(entry) == EntryKind::file) return name.ends_with(".log") && is_number(name.substr(0, 1)) && is_word(name);
  if (kind_of(entry) != EntryKind::folder || !is_word(name)) return false;
  if (name.find(".partial") != std::string::npos || name.ends_with(".damaged")) return true;
  std::error_code code;
  for (const char* part : {"manifest.json", "site"}) {
    if (fs::exists(fs::symlink_status(entry.path() / part, code))) return true;
  }
  return false;
}

// Returns whether the entry is one of our things.
bool is_belonging(BelongingKind kind, const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  const EntryKind type = kind_of(entry);
  switch (kind) {
    case BelongingKind::agent:
      return type == EntryKind::folder && is_hex(name, kHashDigits);
    case BelongingKind::bundle:
    case BelongingKind::exported:
    case BelongingKind::model:
      return type == EntryKind::folder && is_tree_name(name);
    case BelongingKind::reference: {
      if (type == EntryKind::folder) return is_tree_name(name);
      std::string_view stem = name;
      while (take_partial(stem)) {  // a file that a worker left incomplete has the ending twice
      }
      return type == EntryKind::file && take_suffix(stem, ".ref") && is_hex(stem, kHashDigits);
    }
    case BelongingKind::holder:
      return type == EntryKind::file && is_holder_name(name);
    case BelongingKind::run:
      return type == EntryKind::folder && is_run_name(name);
    case BelongingKind::content:
      return type == EntryKind::file && is_content_name(name);
    case BelongingKind::tuning:
      return type != EntryKind::other && is_tuning(name);
    case BelongingKind::toolchain:
      return is_toolchain(entry);
    case BelongingKind::lock:
    case BelongingKind::delivery:
      return type == EntryKind::file && agent::is_lock_file(entry.path());
  }
  return false;
}

struct Shelf {
  const char* name;
  BelongingKind kind;
  bool has_levels;  // our things are two levels below it: toolchains/<compiler>/<version>
};
constexpr std::array<Shelf, 9> kShelves{{{"agents", BelongingKind::agent, false},
                                         {"bundles", BelongingKind::bundle, false},
                                         {"exports", BelongingKind::exported, false},
                                         {"models", BelongingKind::model, false},
                                         {"references", BelongingKind::reference, false},
                                         {"holders", BelongingKind::holder, false},
                                         {"runs", BelongingKind::run, false},
                                         {"tuning", BelongingKind::tuning, true},
                                         {"toolchains", BelongingKind::toolchain, true}}};
constexpr const char* kFiles = "files";

void sort_out(BelongingKind kind, const fs::directory_entry& entry, FolderContent& content) {
  if (is_belonging(kind, entry)) {
    content.ours.push_back({kind, entry.path()});
  } else {
    content.others.push_back(entry.path());
  }
}

void look_through(const Shelf& shelf, const fs::path& folder, FolderContent& content) {
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (!shelf.has_levels) {
      sort_out(shelf.kind, entry, content);
    } else if (kind_of(entry) != EntryKind::folder || !is_word(entry.path().filename().string())) {
      content.others.push_back(entry.path());
    } else {
      for (const fs::directory_entry& inner : entries_of(entry.path())) sort_out(shelf.kind, inner, content);
    }
  }
}

void look_through_files(const fs::path& folder, FolderContent& content) {
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const fs::path name = entry.path().filename();
    const bool is_lock = name == "lock" || name == "next";
    sort_out(is_lock ? BelongingKind::delivery : BelongingKind::content, entry, content);
  }
}

// Splits "runs/NAME" into its two parts; both are empty if it does not have two.
std::array<std::string_view, 2> parts_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || path.find('/', slash + 1) != std::string_view::npos) return {};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

FolderContent content_of(const fs::path& device_folder) {
  FolderContent content;
  for (const fs::directory_entry& entry : entries_of(device_folder)) {
    const std::string name = entry.path().filename().string();
    const auto shelf =
        std::find_if(kShelves.begin(), kShelves.end(), [&](const Shelf& each) { return name == each.name; });
    const bool is_folder = kind_of(entry) == EntryKind::folder;
    if (name == samples::kMarkFile) continue;
    if (name == "lock") {
      sort_out(BelongingKind::lock, entry, content);
    } else if (shelf != kShelves.end() && is_folder) {
      look_through(*shelf, entry.path(), content);
    } else if (name == kFiles && is_folder) {
      look_through_files(entry.path(), content);
    } else if (name != "toolchains" || !entry.is_symlink()) {
      content.others.push_back(entry.path());
    }
  }
  return content;
}

std::vector<fs::path> shelves(const fs::path& device_folder) {
  std::vector<fs::path> found;
  std::vector<std::string> names{kFiles};
  for (const Shelf& shelf : kShelves) names.emplace_back(shelf.name);
  for (const std::string& name : names) {
    const fs::directory_entry shelf(device_folder / name);
    if (kind_of(shelf) != EntryKind::folder) continue;
    if (name == "tuning" || name == "toolchains") {
      for (const fs::directory_entry& inner : entries_of(shelf.path())) {
        if (kind_of(inner) == EntryKind::folder) found.push_back(inner.path());
      }
    }
    found.push_back(shelf.path());
  }
  return found;
}

bool is_run_folder(std::string_view path) {
  const auto [shelf, name] = parts_of(path);
  return shelf == "runs" && is_run_name(name);
}

bool is_toolchain_folder(std::string_view path) {
  if (!take_prefix(path, "toolchains/")) return false;
  const auto [compiler, version] = parts_of(path);
  return is_word(compiler) && is_word(version) && version.find(".partial") == std::string_view::npos &&
         !version.ends_with(".damaged");
}

bool is_tree_folder(std::string_view path) {
  const auto [shelf, name] = parts_of(path);
  const bool has_trees = shelf == "bundles" || shelf == "models" || shelf == "references";
  return (has_trees && is_hex(name, kHashDigits)) || is_toolchain_folder(path);
}

namespace {

constexpr std::uint64_t kMaxMarkBytes = 4096;
constexpr const char* kOwnFolder = "give the device a folder of its own (folder: in the study or in devices.yaml)";

std::string mark_text() { return std::string(samples::kMarkText) + "\n"; }

bool is_marked(const std::filesystem::path& folder) {
  return file::read(folder / samples::kMarkFile, kMaxMarkBytes).value_or("").starts_with(samples::kMarkText);
}

// Returns an error if the folder contains something that is not of our form.
Status check_content(const std::filesystem::path& folder) {
  const FolderContent content = content_of(folder);
  if (content.others.empty()) return Done{};
  const std::string name = text::to_utf8(content.others.front().lexically_relative(folder).string());
  return fail(fmt::format("the device's folder is not empty and not NGraphBench's: it holds {}", name), folder.string(),
              kOwnFolder);
}

// Refuses links in the place of our folders: files written through one would be outside the folder.
Status check_links(const std::filesystem::path& folder) {
  for (const std::filesystem::path& other : content_of(folder).others) {
    std::error_code code;
    const std::string name = other.filename().string();
    const bool is_shelf = other.parent_path() == folder &&
                          std::find(samples::kDeviceShelves.begin(), samples::kDeviceShelves.end(), name) !=
                              samples::kDeviceShelves.end();
    if (is_shelf && std::filesystem::is_symlink(other, code)) {
      return fail("is a link; NGraphBench keeps its files in the device's folder itself", other.string(),
                  "remove the link, or give the device another folder");
    }
  }
  return Done{};
}

}  // namespace

Status check_owner(const std::filesystem::path& folder, bool or_the_system) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return tl::unexpected(file::from_errno("read", folder, errno));
  if (status.st_uid != ::geteuid() && !(or_the_system && status.st_uid == 0)) {
    return fail(fmt::format("belongs to another user (uid {}), who could put programs there", status.st_uid),
                folder.string(), kOwnFolder);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail("is writable by other users, who could put programs there", folder.string(),
                "check its content, then run chmod go-w on it there; or give the device a folder of its own");
  }
  return Done{};
}

Result<std::filesystem::path> claim_device_folder(const std::filesystem::path& folder) {
  if (Status made = file::make_folder(folder); !made) return error_of(made);
  std::error_code code;
  std::filesystem::path canonical = std::filesystem::canonical(folder, code);
  if (code) return tl::unexpected(file::from_errno("read", folder, code.value()));
  if (Status owned = check_owner(canonical, false); !owned) return error_of(owned);
  if (!is_marked(canonical)) {
    if (Status ours = check_content(canonical); !ours) return error_of(ours);
    const Status marked = file::write_atomically(canonical / samples::kMarkFile, mark_text());
    if (!marked) return error_of(marked);
  }
  if (Status inside = check_links(canonical); !inside) return error_of(inside);
  const std::filesystem::path toolchains = canonical / "toolchains";
  if (std::filesystem::exists(toolchains, code)) {
    if (Status owned = check_owner(toolchains, true); !owned) return error_of(owned);
  }
  return canonical;
}

void give_up_device_folder(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().filename() != samples::kMarkFile) return;
  }
  if (code || !is_marked(folder)) return;
  file::remove(folder / samples::kMarkFile);
  const bool is_gone = file::remove(folder);
  // Another client may have created something at this moment.
  if (!is_gone && errno == ENOTEMPTY) {
    (void)file::write_atomically(folder / samples::kMarkFile, mark_text());
  }
}

}  // namespace ngb::reception
