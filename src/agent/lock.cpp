// SPDX-License-Identifier: Apache-2.0
#include "agent/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/text.h"

namespace ngb::agent {
namespace {

std::string boot_id() {
  const Result<std::string> content = file::read("/proc/sys/kernel/random/boot_id", 4096);
  return content ? std::string(text::trim(*content)) : std::string();
}

std::string holder(const std::filesystem::path& path) {
  const Result<std::string> content = file::read(path, 4096);
  const nlohmann::json owner = nlohmann::json::parse(content.value_or(""), nullptr, false);
  if (!owner.is_object() || !owner.contains("pid")) return "another process";
  const std::string process = fmt::format("process {}", owner["pid"].dump());
  return owner.value("boot_id", "") == boot_id() ? process : process + " on another machine";
}

Status sign(int fd, const std::filesystem::path& path) {
  const nlohmann::json owner = {{"pid", ::getpid()}, {"boot_id", boot_id()}};
  if (::ftruncate(fd, 0) != 0) return tl::unexpected(file::from_errno("lock", path, errno));
  return file::write_all(fd, owner.dump() + "\n", path.string());
}

}  // namespace

Result<FileDescriptor> lock_folder(const std::filesystem::path& folder, Nanoseconds patience) {
  const std::filesystem::path path = folder / "lock";
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("lock", path, errno));
  constexpr std::chrono::milliseconds kPause(50);
  for (Nanoseconds waited{0}; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; waited += kPause) {
    if (errno != EWOULDBLOCK && errno != EINTR) return tl::unexpected(file::from_errno("lock", path, errno));
    if (waited >= patience) {
      return fail(fmt::format("in use by {}", holder(path)), folder.string(),
                  "wait until that run has ended, or choose another output folder");
    }
    std::this_thread::sleep_for(kPause);
  }
  if (const Status signed_ = sign(fd.get(), path); !signed_) return tl::unexpected(signed_.error());
  return fd;
}

}  // namespace ngb::agent
