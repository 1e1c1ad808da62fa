// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a zip file between its entries. The format: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12
// and 4.3.16.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include "base/file.h"
#include "bundle/archive.h"

namespace ngb::bundle {
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
