// SPDX-License-Identifier: Apache-2.0
#include "agent/bytes_at.h"

#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace ngb::agent {

Result<std::string> bytes_at(int fd, std::uint64_t at, std::size_t count, const std::string& where) {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(fd, bytes.data() + done, count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(file::from_errno("read", where, errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace ngb::agent
