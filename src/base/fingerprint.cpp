// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.h"

#include <sys/stat.h>

#include "base/hash.h"

namespace ngb {

std::optional<Fingerprint> fingerprint(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return Fingerprint{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                     status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec,
                     status.st_ctim.tv_sec * kSecond + status.st_ctim.tv_nsec};
}

Result<std::string> WatchedFiles::add(const std::filesystem::path& path) {
  // The fingerprint precedes the reading, so a change made meanwhile is noticed by the next call.
  const std::optional<Fingerprint> now = fingerprint(path);
  const auto known = files_.find(path);
  if (known != files_.end() && now && known->second.fingerprint == now) return known->second.sha256;
  Result<std::string> sha256 = hash::sha256_of_file(path);
  if (sha256) files_[path] = {now, *sha256};
  return sha256;
}

bool WatchedFiles::has_changed(const std::filesystem::path& path) {
  const auto known = files_.find(path);
  if (known == files_.end()) return false;
  const std::optional<Fingerprint> now = fingerprint(path);
  if (now && known->second.fingerprint == now) return false;
  const Result<std::string> sha256 = hash::sha256_of_file(path);
  if (!sha256 || *sha256 != known->second.sha256) return true;
  known->second.fingerprint = now;
  return false;
}

std::optional<std::filesystem::path> WatchedFiles::changed() {
  for (const auto& [path, known] : files_) {
    if (has_changed(path)) return path;
  }
  return std::nullopt;
}

}  // namespace ngb
