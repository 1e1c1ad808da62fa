// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <minizip/unzip.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "bundle/archive.h"

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
  if (const Status regular = file::require_regular(zip); !regular) return error_of(regular);
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

}  // namespace ngb::bundle
