// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/program_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace ngb::dispatch {
namespace {

constexpr std::size_t kLastWordsBytes = 2000;

// "https://host/path?a=b" becomes "https://host/path".
std::string without_queries(std::string words) {
  constexpr std::string_view kScheme = "://";
  for (std::size_t url = words.find(kScheme); url != std::string::npos; url = words.find(kScheme, url + 1)) {
    const std::size_t end = std::min(words.find_first_of(" \t\n\"'", url), words.size());
    const std::size_t query = words.find('?', url);
    if (query < end) words.erase(query, end - query);
  }
  return words;
}

}  // namespace

Result<ProgramLog> ProgramLog::open(const std::filesystem::path& path) {
  if (const Status made = file::make_folder(path.parent_path()); !made) return error_of(made);
  std::error_code code;
  const std::uintmax_t size_bytes = std::filesystem::file_size(path, code);
  if (!code && size_bytes > kMaxFileBytes) std::filesystem::rename(path, path.string() + ".1", code);
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return tl::unexpected(file::from_errno("write", path, errno));
  return ProgramLog(std::move(file));
}

// Ignores write errors: a log that cannot be written (the disk is full) does not end the run.
void ProgramLog::add(std::string_view bytes) {
  tail_ += bytes;
  if (tail_.size() > 2 * kLastWordsBytes) tail_.erase(0, tail_.size() - kLastWordsBytes);
  const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kMaxProgramBytes - written_bytes_));
  if (kept > 0) (void)file::write_all(file_.get(), bytes.substr(0, kept), "log");
  written_bytes_ += kept;
  dropped_bytes_ += bytes.size() - kept;
}

void ProgramLog::end() {
  if (dropped_bytes_ == 0) return;
  const std::string line = fmt::format("\n({} more were not kept)\n", text::human_bytes(dropped_bytes_));
  (void)file::write_all(file_.get(), line, "log");
  dropped_bytes_ = 0;
}

std::string ProgramLog::last_words() const {
  std::string_view words = tail_;
  if (words.size() > kLastWordsBytes) words.remove_prefix(words.size() - kLastWordsBytes);
  return text::to_utf8(text::trim(without_queries(std::string(words))));
}

}  // namespace ngb::dispatch
