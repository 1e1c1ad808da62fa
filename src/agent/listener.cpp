// SPDX-License-Identifier: Apache-2.0
#include "agent/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/removal.h"

namespace ngb::agent {
namespace {

constexpr const char* kName = "agent.sock";
constexpr int kBacklog = 8;

// A socket's address has room for about a hundred characters; a path through the folder's descriptor always fits.
sockaddr_un address_in(const FileDescriptor& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), kName);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

FileDescriptor open_folder(const std::filesystem::path& folder) {
  return FileDescriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): sockets
}

}  // namespace

Result<FileDescriptor> listen_in(const std::filesystem::path& work_folder) {
  const std::filesystem::path path = work_folder / kName;
  const FileDescriptor folder = open_folder(work_folder);
  FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_in(folder);
  file::remove(path);
  if (!listener.is_open() || ::bind(listener.get(), generic(address), sizeof address) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    return tl::unexpected(file::from_errno("listen", path, errno));
  }
  return listener;
}

FileDescriptor accept_client(const FileDescriptor& listener) {
  return FileDescriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

std::optional<pid_t> peer_of(const FileDescriptor& agent) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(agent.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  if (peer.pid <= 1 || peer.uid != ::geteuid()) return std::nullopt;
  return peer.pid;
}

FileDescriptor connect_to(const std::filesystem::path& work_folder) {
  const FileDescriptor folder = open_folder(work_folder);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(folder);
  if (::connect(socket.get(), generic(address), sizeof address) != 0) socket.reset();
  return socket;
}

}  // namespace ngb::agent
