// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/file_list.h"
#include "base/hash.h"
#include "base/removal.h"
#include "base/text.h"

namespace ngb {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kForItsOwner = S_IRWXU;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr int kLevelsBelow = 2;  // kinds of things, and things that are folders

// Returns whether others may change what is in the folder, or in folders of so many levels below it.
bool may_others_change(const fs::path& folder, int levels) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return false;
  if (status.st_uid != ::geteuid() || (status.st_mode & kOthersWrite) != 0) return true;
  const bool may_others_enter = (status.st_mode & (S_IXGRP | S_IXOTH)) != 0;
  std::error_code code;
  if (levels == 0 || !may_others_enter) return false;
  for (fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code)) {
    std::error_code ignored;
    if (each->is_directory(ignored) && may_others_change(each->path(), levels - 1)) return true;
  }
  return false;
}

// Returns the line of a list of users or groups whose third field is `id`. The lists are read as files: a program that
// is linked statically has nothing that would ask a directory service.
std::vector<std::string> entry_of(const char* list, unsigned id) {
  for (const std::string& line : text::split(file::read(list).value_or(""), '\n')) {
    std::vector<std::string> fields = text::split(line, ':');
    if (fields.size() > 3 && fields[2] == std::to_string(id)) return fields;
  }
  return {};
}

// Returns whether nobody but the user is in the group: many systems give each user such a group, by the user's name.
bool is_of_user_alone(gid_t id) {
  const std::vector<std::string> user = entry_of("/etc/passwd", ::geteuid());
  const std::vector<std::string> group = entry_of("/etc/group", id);
  return !user.empty() && !group.empty() && user[0] == group[0] && (group[3].empty() || group[3] == user[0]);
}

// Returns whether others may replace a folder that is in `folder`.
bool may_others_rename_in(const fs::path& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_ISVTX) != 0) return false;
  if ((status.st_mode & S_IWOTH) != 0) return true;
  return (status.st_mode & S_IWGRP) != 0 && !is_of_user_alone(status.st_gid);
}

}  // namespace

CacheFolder::CacheFolder(const fs::path& path) {
  std::error_code code;
  if (!path.empty()) path_ = fs::absolute(path, code);
}

bool CacheFolder::is_only_ours() const {
  if (may_others_change(path_, kLevelsBelow)) return false;
  std::error_code code;
  for (fs::path at = fs::weakly_canonical(path_, code); !code && at.has_relative_path();) {
    at = at.parent_path();
    if (may_others_rename_in(at)) return false;
  }
  return !code;
}

Result<fs::path> CacheFolder::make(const fs::path& name) const {
  if (is_none()) return fail("there is no cache", "", "name a folder with NGB_CACHE");
  if (Status made = file::make_folder(path_ / name, kForItsOwner); !made) return error_of(made);
  return path_ / name;
}

Result<ScratchFolder> CacheFolder::make_scratch(const fs::path& name) const {
  if (const auto made = make(name.parent_path()); !made) return error_of(made);
  return ScratchFolder::beside(path_ / name);
}

std::optional<fs::path> CacheFolder::find(const fs::path& name) const {
  if (is_none() || !file_list::is_whole(path_ / name, file_list::Check::hashes)) return std::nullopt;
  return path_ / name;
}

// A text has its hash as its first line.
std::optional<std::string> CacheFolder::find_text(const fs::path& name) const {
  constexpr std::uint64_t kMostBytes = 16U << 20U;
  const Result<std::string> kept = is_none() ? Result<std::string>() : file::read(path_ / name, kMostBytes);
  if (!kept) return std::nullopt;
  const std::size_t end = kept->find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string text = kept->substr(end + 1);
  return kept->substr(0, end) == hash::sha256(text) ? std::optional(std::move(text)) : std::nullopt;
}

Status CacheFolder::keep(const fs::path& made, const fs::path& name) const {
  if (Status listed = file_list::write(made); !listed) return listed;
  if (const auto parent = make(name.parent_path()); !parent) return error_of(parent);
  if (find(name)) return Done{};   // another process has just kept it
  file::remove_all(path_ / name);  // one that is damaged
  return file::put_in_place(made, path_ / name);
}

Status CacheFolder::keep_text(const fs::path& name, std::string_view text) const {
  if (const auto parent = make(name.parent_path()); !parent) return error_of(parent);
  return file::write_atomically(path_ / name, hash::sha256(text) + "\n" + std::string(text));
}

}  // namespace ngb
