// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/partials.h"
#include "base/removal.h"

namespace ngb {
namespace {

constexpr std::size_t kRandomDigits = 16;

FileDescriptor open_folder(const std::filesystem::path& folder) {
  return FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool take_lock(const FileDescriptor& folder) { return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0; }

// Removes what killed programs of this host left beside `path`: nobody locks it any more.
void remove_left_behind(const std::filesystem::path& path) {
  const std::string host = file::host_in_partials();
  for (const file::Partial& each : file::partials_of(path)) {
    const bool is_ours = each.host.size() == kRandomDigits + 1 + host.size() && each.host.ends_with("-" + host);
    const FileDescriptor folder = is_ours ? open_folder(each.path) : FileDescriptor();
    if (folder.is_open() && take_lock(folder)) file::remove_all(each.path);
  }
}

// Returns a name that nobody can foretell, and use first in a folder that others use, too.
std::string new_name(const std::filesystem::path& path) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = 0;
  std::string name = file::partial_path(path).string();
  return name.insert(path.string().size() + 1, fmt::format("{:0{}x}-", random, kRandomDigits));
}

}  // namespace

Result<ScratchFolder> ScratchFolder::beside(const std::filesystem::path& path) {
  remove_left_behind(path);
  file::remove_old_partials(path);
  for (;;) {
    const std::string folder = new_name(path);
    if (::mkdir(folder.c_str(), 0700) != 0) return tl::unexpected(file::from_errno("create the folder", folder, errno));
    FileDescriptor opened = open_folder(folder);
    if (!opened.is_open() && errno != ENOENT) {
      const int why = errno;
      file::remove(folder);
      return tl::unexpected(file::from_errno("open", folder, why));
    }
    // Until it is locked, another program may take it for one that was left behind, lock it and remove it.
    const bool is_taken = !opened.is_open() || (!take_lock(opened) && errno == EWOULDBLOCK);
    std::error_code ignored;
    if (!is_taken && std::filesystem::exists(folder, ignored)) return ScratchFolder(folder, std::move(opened));
  }
}

Result<ScratchFolder> ScratchFolder::temporary(const std::string& name) {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) return fail("there is no folder for temporary files", "TMPDIR", "let TMPDIR name a folder that exists");
  return beside(folder / name);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

ScratchFolder::~ScratchFolder() { file::remove_all(path_); }

}  // namespace ngb
