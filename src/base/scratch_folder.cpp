// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_folder.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/removal.h"

namespace ngb {

Result<ScratchFolder> ScratchFolder::beside(const std::filesystem::path& path) {
  file::remove_old_partials(path);
  // In a folder that others use, too, nobody can foretell the name and use it first.
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = 0;
  std::string folder = file::partial_path(path).string();
  folder.insert(path.string().size() + 1, fmt::format("{:016x}-", random));
  if (::mkdir(folder.c_str(), 0700) != 0) return tl::unexpected(file::from_errno("create the folder", folder, errno));
  return ScratchFolder(folder);
}

Result<ScratchFolder> ScratchFolder::temporary(const std::string& name) {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) return fail("there is no folder for temporary files", "TMPDIR", "let TMPDIR name a folder that exists");
  return beside(folder / name);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() { file::remove_all(path_); }

}  // namespace ngb
