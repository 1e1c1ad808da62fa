// SPDX-License-Identifier: Apache-2.0
// Detects whether files changed while they were in use: by their status first, by their content if the status differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace ngb {

// Fingerprint is a file's status. If it is the same, so is the content; nothing has to be read.
struct Fingerprint {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // when content or status changed; no user can set it back
  bool operator==(const Fingerprint&) const = default;
};

// Returns nothing if the file's status cannot be read.
std::optional<Fingerprint> fingerprint(const std::filesystem::path& path);

// WatchedFiles remembers the content that files had when they were added.
class WatchedFiles {
 public:
  // Returns the file's SHA-256. A known file is read again only if its fingerprint differs; then its new content
  // counts.
  Result<std::string> add(const std::filesystem::path& path);
  // Returns whether the file's content changed since it was added. Reads the file only if its fingerprint differs.
  bool has_changed(const std::filesystem::path& path);
  // Returns the first file whose content changed, or nothing.
  std::optional<std::filesystem::path> changed();

 private:
  struct Known {
    std::optional<Fingerprint> fingerprint{};
    std::string sha256{};
  };
  std::map<std::filesystem::path, Known> files_{};
};

}  // namespace ngb
