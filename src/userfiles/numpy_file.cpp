// SPDX-License-Identifier: Apache-2.0
#include "userfiles/numpy_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace ngb::userfiles {
namespace {

constexpr std::string_view kArrayMagic = "\x93NUMPY";
constexpr std::string_view kArchiveMagic = "PK";
constexpr std::uint64_t kLongestHeader = 1U << 20U;
constexpr std::uint64_t kLongestDirectory = 64U << 20U;

// Bytes reads a file at given offsets. Numbers in the format are little-endian.
class Bytes {
 public:
  static Result<Bytes> open(const std::filesystem::path& path) {
    Bytes bytes;
    bytes.path_ = path;
    bytes.fd_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!bytes.fd_.is_open()) return tl::unexpected(file::from_errno("read", path, errno));
    struct stat status{};
    if (::fstat(bytes.fd_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return fail("not a file", path.string());
    bytes.size_ = static_cast<std::uint64_t>(status.st_size);
    return bytes;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::string where() const { return path_.string(); }

  [[nodiscard]] Status read(std::uint64_t offset, void* into, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) return fail("a truncated or damaged file", where());
    char* next = static_cast<char*>(into);
    while (count > 0) {
      const ssize_t taken = ::pread(fd_.get(), next, count, static_cast<off_t>(offset));
      if (taken < 0 && errno == EINTR) continue;
      if (taken <= 0) return tl::unexpected(file::from_errno("read", path_, taken < 0 ? errno : EIO));
      next += taken;
      offset += static_cast<std::uint64_t>(taken);
      count -= static_cast<std::uint64_t>(taken);
    }
    return Done{};
  }
  [[nodiscard]] Result<std::string> text(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) return fail("a truncated or damaged file", where());
    std::string bytes(count, '\0');
    if (const Status done = read(offset, bytes.data(), count); !done) return error_of(done);
    return bytes;
  }

 private:
  std::filesystem::path path_;
  FileDescriptor fd_;
  std::uint64_t size_ = 0;
};

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::optional<DataType> type_of(std::string_view description) {
  static const std::map<std::string_view, DataType> kTypes{
      {"<f4", DataType::f32}, {"<f2", DataType::f16}, {"<f8", DataType::f64}, {"<i8", DataType::i64},
      {"<i4", DataType::i32}, {"|i1", DataType::i8},  {"|u1", DataType::u8},  {"|b1", DataType::boolean}};
  const auto known = kTypes.find(description);
  return known == kTypes.end() ? std::nullopt : std::optional(known->second);
}

// Returns the text after 'key': in the header, which is a Python dictionary as NumPy prints it.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  return at == std::string_view::npos ? std::string_view() : text::trim(header.substr(at + key.size() + 3));
}

std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const std::string& part : text::split(text.substr(1, end - 1), ',')) {
    const std::string_view extent = text::trim(part);
    if (extent.empty()) continue;
    std::int64_t value = 0;
    const auto [last, code] = std::from_chars(extent.data(), extent.data() + extent.size(), value);
    if (code != std::errc() || last != extent.data() + extent.size() || value < 0) return std::nullopt;
    shape.push_back(value);
  }
  return shape;
}

bool is_counted(const Array& array) {
  std::uint64_t bytes = size_bytes(array.type);
  return std::all_of(array.shape.begin(), array.shape.end(), [&](std::int64_t extent) {
    return !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
  });
}

// Returns the array whose .npy begins at `begin`.
Result<Array> array_at(const Bytes& file, std::uint64_t begin, const std::string& where) {
  const auto damaged = [&] { return fail("not an array as numpy.save writes it", where); };
  const Result<std::string> start = file.text(begin, 12);
  if (!start || !start->starts_with(kArrayMagic)) return damaged();
  const bool is_short = (*start)[6] == '\1';  // the format's version
  const std::uint64_t length = number(*start, 8, is_short ? 2 : 4);
  const std::uint64_t header_begin = begin + (is_short ? 10 : 12);
  if (length > kLongestHeader) return damaged();
  const Result<std::string> header = file.text(header_begin, length);
  if (!header) return damaged();
  const std::string_view description = value_of(*header, "descr");
  const auto shape = shape_of(value_of(*header, "shape"));
  if (description.size() < 2 || description.front() != '\'' || !shape) {
    return fail("not an array of plain numbers", where, "save an array of one element type");
  }
  const std::string_view type = description.substr(1, description.find('\'', 1) - 1);
  const auto known = type_of(type);
  if (!known) {
    return fail(fmt::format("values of NumPy's type {} cannot be fed", text::to_utf8(type)), where,
                "convert them: little-endian float32, float16, float64, int64, int32, int8, uint8 or bool");
  }
  if (!value_of(*header, "fortran_order").starts_with("False")) {
    return fail("the array is stored column by column", where, "save numpy.ascontiguousarray of it");
  }
  Array array{*known, *shape, header_begin + length};
  if (!is_counted(array) || array.size_bytes() > file.size() - std::min(array.offset_bytes, file.size())) {
    return fail("the array is truncated", where);
  }
  return array;
}

struct Member {
  bool is_stored = false;  // not compressed
  std::uint64_t header_begin = 0;
};

// Returns the archive's members by name, without ".npy".
Result<std::map<std::string, Member>> members_of(const Bytes& file) {
  const auto damaged = [&] { return fail("a truncated or damaged .npz file", file.where()); };
  constexpr std::uint64_t kEndBytes = 22;
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(file.size(), kEndBytes + 0xFFFF);
  const Result<std::string> tail = file.text(file.size() - tail_bytes, tail_bytes);
  const std::size_t end = tail ? tail->rfind("PK\5\6") : std::string::npos;
  if (end == std::string::npos || tail->size() - end < kEndBytes) return damaged();
  const std::uint64_t directory_bytes = number(*tail, end + 12, 4);
  if (directory_bytes > kLongestDirectory) return damaged();
  const Result<std::string> directory = file.text(number(*tail, end + 16, 4), directory_bytes);
  if (!directory) return damaged();
  std::map<std::string, Member> members;
  constexpr std::size_t kEntryBytes = 46;
  for (std::size_t at = 0; at + kEntryBytes <= directory->size();) {
    if (directory->compare(at, 4, "PK\1\2") != 0) return damaged();
    const std::size_t name_bytes = number(*directory, at + 28, 2);
    std::string name = directory->substr(at + kEntryBytes, name_bytes);
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    members[name] = {number(*directory, at + 10, 2) == 0, number(*directory, at + 42, 4)};
    at += kEntryBytes + name_bytes + number(*directory, at + 30, 2) + number(*directory, at + 32, 2);
  }
  return members;
}

Result<Array> array_in_archive(const Bytes& file, const std::string& name) {
  const auto members = members_of(file);
  if (!members) return error_of(members);
  const auto member = members->find(name);
  if (member == members->end()) {
    std::vector<std::string> known;
    for (const auto& [each, place] : *members) known.push_back(text::to_utf8(each));
    return fail(
        fmt::format("it has no array \"{}\", only {}", name, known.empty() ? "nothing" : text::join(known, ", ")),
        file.where());
  }
  const std::string where = fmt::format("{}: array \"{}\"", file.where(), name);
  if (!member->second.is_stored) return fail("the array is compressed", where, "save it with numpy.savez");
  constexpr std::uint64_t kHeaderBytes = 30;
  const Result<std::string> header = file.text(member->second.header_begin, kHeaderBytes);
  if (!header || !header->starts_with("PK\3\4")) return fail("a truncated or damaged .npz file", file.where());
  const std::uint64_t begin =
      member->second.header_begin + kHeaderBytes + number(*header, 26, 2) + number(*header, 28, 2);
  return array_at(file, begin, where);
}

}  // namespace

std::uint64_t Array::size_bytes() const {
  std::uint64_t bytes = ngb::size_bytes(type);
  for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

Result<Array> find_array(const std::filesystem::path& path, const std::string& name) {
  const Result<Bytes> file = Bytes::open(path);
  if (!file) return error_of(file);
  const Result<std::string> start = file->text(0, std::min<std::uint64_t>(file->size(), kArrayMagic.size()));
  if (!start) return error_of(start);
  if (*start == kArrayMagic) return array_at(*file, 0, file->where());
  if (start->starts_with(kArchiveMagic)) return array_in_archive(*file, name);
  return fail("neither an .npy nor an .npz file", path.string(), "save it with numpy.save or numpy.savez");
}

Status read_array(const std::filesystem::path& path, const Array& array, void* into, std::uint64_t size_bytes) {
  const Result<Bytes> file = Bytes::open(path);
  if (!file) return error_of(file);
  return file->read(array.offset_bytes, into, size_bytes);
}

}  // namespace ngb::userfiles
