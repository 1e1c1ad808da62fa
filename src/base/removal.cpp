// SPDX-License-Identifier: Apache-2.0
#include "base/removal.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace ngb::file {

bool remove(const std::filesystem::path& path) { return ::remove(path.c_str()) == 0 || errno == ENOENT; }

bool remove_all(const std::filesystem::path& path) {
  const std::filesystem::path name = path.filename();
  std::error_code code;
  if (name.empty() || name == "." || name == "..") {
    code = std::make_error_code(std::errc::invalid_argument);
  } else {
    std::filesystem::remove_all(path, code);
  }
  errno = code.value();
  return !code;
}

}  // namespace ngb::file
