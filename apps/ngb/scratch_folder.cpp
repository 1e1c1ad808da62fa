// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/scratch_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace ngb::app {

Result<ScratchFolder> ScratchFolder::beside(const std::filesystem::path& path) {
  file::remove_old_partials(path);
  std::filesystem::path folder = file::partial_path(path);
  if (::mkdir(folder.c_str(), 0700) != 0) return tl::unexpected(file::from_errno("create the folder", folder, errno));
  return ScratchFolder(std::move(folder));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace ngb::app
