// SPDX-License-Identifier: Apache-2.0
#include "worker/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.h"

namespace ngb::worker {

Result<MappedFile> map_file(const std::filesystem::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return tl::unexpected(file::from_errno("read", path, errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile{};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory == MAP_FAILED) return tl::unexpected(file::from_errno("read", path, errno));
  std::shared_ptr<const void> owner(memory, [size](const void* start) { ::munmap(const_cast<void*>(start), size); });
  return MappedFile{std::move(owner), {static_cast<const char*>(memory), size}};
}

}  // namespace ngb::worker
