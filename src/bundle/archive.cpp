// SPDX-License-Identifier: Apache-2.0
#include "bundle/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace ngb::bundle {

namespace {

constexpr std::size_t kMostEntries = 1000;
constexpr std::uint64_t kMostBytes = 64ULL << 30U;
constexpr std::uint64_t kMostPacked = 100;  // times: more than results and tables are ever packed
constexpr std::uint64_t kAlwaysAllowed = 64ULL << 20U;
constexpr std::size_t kLongestName = 1000;

struct CloseUnzip {
  void operator()(void* zip) const { unzClose(zip); }
};
using Unzip = std::unique_ptr<void, CloseUnzip>;

tl::unexpected<Error> damaged(const std::filesystem::path& zip, const std::string& what) {
  return fail(what, zip.string(), "ask for another copy");
}

Result<Unzip> open_zip(const std::filesystem::path& zip) {
  // minizip does not say why it cannot open a file.
  if (const auto readable = file::open_to_read(zip); !readable) return error_of(readable);
  Unzip opened(unzOpen64(zip.c_str()));
  if (!opened) return damaged(zip, "it is not a zip file, or its end is missing");
  return opened;
}

// A file's kind is in the upper half of its attributes if it was packed on Unix; a folder's name ends in a slash.
bool is_regular(const unz_file_info64& info, std::string_view name) {
  const auto mode = static_cast<mode_t>(info.external_fa >> 16U);
  const bool has_kind = (mode & S_IFMT) != 0;
  return !name.ends_with('/') && (!has_kind || S_ISREG(mode));
}

Result<ZipEntry> read_entry(const std::filesystem::path& zip, void* opened) {
  unz_file_info64 info{};
  std::array<char, kLongestName + 1> name{};
  if (unzGetCurrentFileInfo64(opened, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK) {
    return damaged(zip, "its list of entries is damaged");
  }
  if (info.size_filename > kLongestName) return damaged(zip, "the name of an entry is too long");
  ZipEntry entry{std::string(name.data(), info.size_filename), info.uncompressed_size};
  entry.is_file = is_regular(info, entry.path);
  entry.is_readable = (info.flag & 1U) == 0 && (info.compression_method == 0 || info.compression_method == Z_DEFLATED);
  return entry;
}

Status check_sizes(const std::filesystem::path& zip, const std::vector<ZipEntry>& entries) {
  std::error_code code;
  const std::uintmax_t packed = std::filesystem::file_size(zip, code);
  if (code) return tl::unexpected(file::from_errno("read", zip, code.value()));
  const std::uint64_t most = std::min(kMostBytes, packed * kMostPacked + kAlwaysAllowed);
  std::uint64_t left = most;
  for (const ZipEntry& entry : entries) {
    if (entry.bytes > left) {
      return damaged(zip, fmt::format("unpacked it would be larger than {}, which no bundle of {} is",
                                      text::human_bytes(most), text::human_bytes(packed)));
    }
    left -= entry.bytes;
  }
  return Done{};
}

Status unpack_entry(const std::filesystem::path& zip, void* opened, const ZipEntry& entry,
                    const std::filesystem::path& to) {
  if (const Status made = file::make_folder(to.parent_path()); !made) return made;
  const FileDescriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!out.is_open()) return tl::unexpected(file::from_errno("create", to, errno));
  const std::string cannot_unpack = fmt::format("{} in it is damaged", entry.path);
  if (unzOpenCurrentFile(opened) != UNZ_OK) return damaged(zip, cannot_unpack);
  std::array<char, 1U << 16U> buffer{};
  std::uint64_t bytes = 0;
  for (;;) {
    const int count = unzReadCurrentFile(opened, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count == 0) break;
    if (count < 0) return damaged(zip, cannot_unpack);
    bytes += static_cast<std::uint64_t>(count);
    if (bytes > entry.bytes) return damaged(zip, cannot_unpack);
    const std::string_view read(buffer.data(), static_cast<std::size_t>(count));
    if (const Status written = file::write_all(out.get(), read, to.string()); !written) return written;
  }
  if (unzCloseCurrentFile(opened) != UNZ_OK || bytes != entry.bytes) return damaged(zip, cannot_unpack);
  return Done{};
}

}  // namespace

Result<std::vector<ZipEntry>> list_zip(const std::filesystem::path& zip) {
  const auto opened = open_zip(zip);
  if (!opened) return error_of(opened);
  std::vector<ZipEntry> entries;
  int next = unzGoToFirstFile(opened->get());
  for (; next == UNZ_OK; next = unzGoToNextFile(opened->get())) {
    if (entries.size() == kMostEntries) {
      return damaged(zip, fmt::format("it has more than {} entries, which no bundle has", kMostEntries));
    }
    auto entry = read_entry(zip, opened->get());
    if (!entry) return error_of(entry);
    entries.push_back(*std::move(entry));
  }
  if (next != UNZ_END_OF_LIST_OF_FILE) return damaged(zip, "its list of entries is damaged");
  if (const Status bounded = check_sizes(zip, entries); !bounded) return error_of(bounded);
  return entries;
}

Status unpack_zip(const std::filesystem::path& zip, const std::vector<ZipEntry>& entries,
                  const std::filesystem::path& folder) {
  const auto opened = open_zip(zip);
  if (!opened) return error_of(opened);
  int next = unzGoToFirstFile(opened->get());
  for (const ZipEntry& entry : entries) {
    if (next != UNZ_OK) return damaged(zip, "it has changed while it was read");
    if (const Status done = unpack_entry(zip, opened->get(), entry, folder / entry.path); !done) return done;
    next = unzGoToNextFile(opened->get());
  }
  return Done{};
}

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

// Reads the bytes of a zip file between its entries. The format: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12
// and 4.3.16.

namespace {

constexpr std::uint32_t kLocal = 0x04034B50;
constexpr std::uint32_t kCentral = 0x02014B50;
constexpr std::uint32_t kEnd = 0x06054B50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::uint64_t kSmallFile = 0xF000'0000;  // write_zip needs no numbers of 64 bits below this

// A record of fixed size, whose numbers are little-endian.
class Record {
 public:
  Record(std::string bytes, std::size_t size) : bytes_(std::move(bytes)) { bytes_.resize(size); }
  [[nodiscard]] std::uint32_t u16(std::size_t at) const { return byte(at) | byte(at + 1) << 8U; }
  [[nodiscard]] std::uint32_t u32(std::size_t at) const { return u16(at) | u16(at + 2) << 16U; }
  [[nodiscard]] std::string part(std::size_t at, std::size_t size) const { return bytes_.substr(at, size); }

 private:
  [[nodiscard]] std::uint32_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
  std::string bytes_;
};

class Layout {
 public:
  Layout(const std::filesystem::path& zip, int fd, std::uint64_t bytes) : zip_(zip), fd_(fd), bytes_(bytes) {}

  Status check() const {
    if (bytes_ < kEndBytes) return unlike("it is cut off");
    const Record end = record(bytes_ - kEndBytes, kEndBytes);
    if (end.u32(0) != kEnd || end.u16(20) != 0) return unlike("something follows its list of entries");
    const std::uint32_t entries = end.u16(10);
    const std::uint64_t directory = end.u32(16);
    std::uint64_t listed = directory;
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < entries; ++i) {
      const Record central = record(listed, kCentralBytes);
      const std::string name = text(listed + kCentralBytes, central.u16(28));
      if (central.u32(0) != kCentral || central.u16(30) != 0 || central.u16(32) != 0) {
        return unlike("its list of entries holds more than entries");
      }
      if (central.u32(42) != at) return unlike(fmt::format("there is something before {}", name));
      const Record local = record(at, kLocalBytes);
      // Version, flags, packing, time, check sum, both sizes and the length of the name stand in both places.
      const bool is_same = local.u32(0) == kLocal && local.part(4, 24) == central.part(6, 24) && local.u16(28) == 0 &&
                           text(at + kLocalBytes, local.u16(26)) == name;
      if (!is_same) return unlike(fmt::format("the list of entries and what is there differ in {}", name));
      at += kLocalBytes + name.size() + central.u32(20);
      listed += kCentralBytes + name.size();
    }
    if (at != directory) return unlike("there is something before its list of entries");
    if (listed != bytes_ - kEndBytes || end.u16(8) != entries) return unlike("its list of entries has another length");
    return Done{};
  }

 private:
  [[nodiscard]] Status unlike(const std::string& what) const {
    return fail(what + ", so other programs may unpack other files", zip_.string(),
                "ask for the file as `ngb bundle` has written it");
  }
  [[nodiscard]] std::string text(std::uint64_t at, std::size_t size) const {
    std::string bytes(size, '\0');
    const ssize_t count = ::pread(fd_, bytes.data(), size, static_cast<off_t>(at));
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }
  [[nodiscard]] Record record(std::uint64_t at, std::size_t size) const { return {text(at, size), size}; }

  const std::filesystem::path& zip_;
  int fd_;
  std::uint64_t bytes_;
};

}  // namespace

Status check_layout(const std::filesystem::path& zip) {
  const auto opened = file::open_to_read(zip);
  if (!opened) return error_of(opened);
  struct stat status{};
  if (::fstat(opened->get(), &status) != 0) return tl::unexpected(file::from_errno("read", zip, errno));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  return bytes < kSmallFile ? Layout(zip, opened->get(), bytes).check() : Done{};
}

}  // namespace ngb::bundle
