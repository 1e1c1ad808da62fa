// SPDX-License-Identifier: Apache-2.0
#include "userfiles/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace ngb::userfiles {
namespace {

constexpr std::size_t kMostFiles = 100000;

// Parses a decimal number; an empty text is 0.
std::optional<std::uint64_t> decimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty()) return 0;
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::filesystem::path folder_of(const std::filesystem::path& model) {
  return model.has_parent_path() ? model.parent_path() : std::filesystem::path(".");
}

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

Result<std::uint64_t> ExternalFiles::size_of(const std::string& location) const {
  const std::string where = fmt::format("{}: external data \"{}\"", model_.string(), text::to_utf8(location));
  const std::filesystem::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return fail("its location is empty or not a file name", where);
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::canonical(folder_of(model_), code);
  if (code) return tl::unexpected(file::from_errno("read", model_, code.value()));
  const std::filesystem::path path = std::filesystem::weakly_canonical(folder / relative, code);
  if (code || relative.is_absolute() || !is_inside(folder, path)) {
    return fail("lies outside the model's folder", where, "save the model with its data beside it");
  }
  if (!std::filesystem::is_regular_file(path, code)) {
    return fail("no such file", where, "copy the data along with the model");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return tl::unexpected(file::from_errno("read", path, code.value()));
  return size;
}

Status ExternalFiles::add(const ScannedTensor& tensor) {
  const ExternalData& data = *tensor.external;
  auto known = sizes_.find(data.location);
  if (known == sizes_.end()) {
    const Result<std::uint64_t> size = size_of(data.location);
    if (!size) return error_of(size);
    if (sizes_.size() >= kMostFiles) return fail("has too many files of external data", model_.string());
    known = sizes_.emplace(data.location, *size).first;
  }
  const std::optional<std::uint64_t> offset = decimal(data.offset);
  const std::optional<std::uint64_t> length = decimal(data.length);
  if (offset && length && *offset <= known->second && *length <= known->second - *offset) return Done{};
  return fail(fmt::format("tensor \"{}\" lies past the end of its external data", text::to_utf8(tensor.name)),
              fmt::format("{}: {}", model_.string(), text::to_utf8(data.location)),
              "copy the data along with the model again");
}

std::uint64_t ExternalFiles::size_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [location, size] : sizes_) sum += size;
  return sum;
}

Result<std::vector<FilePart>> ExternalFiles::parts() const {
  std::vector<FilePart> parts;
  for (const auto& [location, size] : sizes_) {
    Result<std::string> hash = hash::sha256_of_file(folder_of(model_) / location);
    if (!hash) return error_of(hash);
    parts.push_back({location, *std::move(hash)});
  }
  return parts;
}

}  // namespace ngb::userfiles
