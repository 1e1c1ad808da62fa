// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.h"

namespace ngb {

Result<MappedFile> map_file(const std::filesystem::path& path) {
  const Result<FileDescriptor> fd = file::open_to_read(path);
  if (!fd) return error_of(fd);
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return tl::unexpected(file::from_errno("read", path, errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile{};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd->get(), 0);
  if (memory == MAP_FAILED) return tl::unexpected(file::from_errno("read", path, errno));
  std::shared_ptr<const void> owner(memory, [size](const void* start) { ::munmap(const_cast<void*>(start), size); });
  return MappedFile{std::move(owner), {static_cast<const char*>(memory), size}};
}

}  // namespace ngb
