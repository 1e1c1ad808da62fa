// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <minizip/zip.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "bundle/archive.h"

namespace ngb::bundle {
namespace {

constexpr uLong kFirstDay = 0x0021'0000;            // 1980-01-01 00:00, the zip format's first
constexpr uLong kReadOnlyFile = 0100444UL << 16U;   // mode of a regular file, r--r--r--
constexpr uLong kMadeOnUnix = (3UL << 8U) | 45UL;   // so that readers heed the mode; 4.5: with sizes of 64 bits
constexpr std::uint64_t kSmallSizes = 0xF000'0000;  // below this, 32 bits are enough, also for what grows when packed

struct CloseZip {
  void operator()(void* zip) const { zipClose(zip, nullptr); }
};

Error cannot_write(const std::filesystem::path& to) { return file::from_errno("write", to, errno != 0 ? errno : EIO); }

Status copy_entry(zipFile zip, const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto opened = file::open_to_read(from);
  if (!opened) return error_of(opened);
  std::array<char, 1U << 16U> buffer{};
  for (;;) {
    const ssize_t count = ::read(opened->get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", from, errno));
    if (count == 0) return Done{};
    if (zipWriteInFileInZip(zip, buffer.data(), static_cast<unsigned>(count)) != ZIP_OK) {
      return tl::unexpected(cannot_write(to));
    }
  }
}

Status add_entry(zipFile zip, const std::filesystem::path& folder, const std::string& path,
                 const std::filesystem::path& to) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(folder / path, code);
  if (code) return tl::unexpected(file::from_errno("read", folder / path, code.value()));
  zip_fileinfo info{};
  info.dosDate = kFirstDay;
  info.external_fa = kReadOnlyFile;
  const int opened = zipOpenNewFileInZip4_64(zip, path.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                                             Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, /*memLevel=*/8, Z_DEFAULT_STRATEGY,
                                             nullptr, 0, kMadeOnUnix, 0, bytes >= kSmallSizes ? 1 : 0);
  if (opened != ZIP_OK) return tl::unexpected(cannot_write(to));
  if (const Status copied = copy_entry(zip, folder / path, to); !copied) return copied;
  if (zipCloseFileInZip(zip) != ZIP_OK) return tl::unexpected(cannot_write(to));
  return Done{};
}

}  // namespace

Status write_zip(const std::filesystem::path& folder, const std::vector<std::string>& paths,
                 const std::filesystem::path& to) {
  errno = 0;
  std::unique_ptr<void, CloseZip> zip(zipOpen64(to.c_str(), APPEND_STATUS_CREATE));
  if (!zip) return tl::unexpected(cannot_write(to));
  for (const std::string& path : paths) {
    errno = 0;
    if (const Status added = add_entry(zip.get(), folder, path, to); !added) return added;
  }
  errno = 0;
  if (zipClose(zip.release(), nullptr) != ZIP_OK) return tl::unexpected(cannot_write(to));
  return Done{};
}

}  // namespace ngb::bundle
