// SPDX-License-Identifier: Apache-2.0
#include "toolchain/site.h"

#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "toolchain/requirement.h"

namespace ngb::toolchain::site {
namespace {

namespace fs = std::filesystem;

// The paths of a RECORD ("path,hash,size" lines; a path with a comma is in quotes), each within `site`.
std::vector<fs::path> recorded_files(const fs::path& site, std::string_view name) {
  std::vector<fs::path> files;
  const fs::path info = dist_info(site, name);
  if (info.empty()) return files;
  const Result<std::string> record = file::read(info / "RECORD");
  if (!record) return files;
  for (const std::string& line : text::split(*record, '\n')) {
    const bool is_quoted = line.starts_with('"');
    const std::size_t end = is_quoted ? line.find('"', 1) : line.find(',');
    if (line.empty() || end == std::string::npos) continue;
    const fs::path relative = fs::path(line.substr(is_quoted ? 1 : 0, is_quoted ? end - 1 : end)).lexically_normal();
    // pip keeps the paths that programs had before it moved them with --target: ../../bin/x is bin/x here.
    fs::path inside;
    for (const fs::path& part : relative) {
      if (part != ".." && part != "/") inside /= part;
    }
    files.push_back(site / inside);
  }
  return files;
}

}  // namespace

fs::path dist_info(const fs::path& site, std::string_view name) {
  constexpr std::string_view kEnding = ".dist-info";
  std::error_code code;
  for (fs::directory_iterator it(site, code), end; !code && it != end; it.increment(code)) {
    const std::string folder = it->path().filename().string();
    if (!folder.ends_with(kEnding)) continue;
    const std::string stem = folder.substr(0, folder.size() - kEnding.size());
    if (normalised_name(stem.substr(0, stem.rfind('-'))) == name) return it->path();
  }
  return {};
}

std::uint64_t installed_bytes(const fs::path& site, std::string_view name) {
  std::uint64_t sum = 0;
  for (const fs::path& path : recorded_files(site, name)) {
    std::error_code code;
    const std::uintmax_t size = fs::file_size(path, code);
    if (!code) sum += size;
  }
  return sum;
}

Status remove_package(const fs::path& site, std::string_view name) {
  for (const fs::path& path : recorded_files(site, name)) {
    std::error_code code;
    fs::remove(path, code);
    if (code && code != std::errc::no_such_file_or_directory) {
      return tl::unexpected(file::from_errno("remove", path, code.value()));
    }
  }
  if (const fs::path info = dist_info(site, name); !info.empty()) {
    std::error_code code;
    fs::remove_all(info, code);
    if (code) return tl::unexpected(file::from_errno("remove", info, code.value()));
  }
  return Done{};
}

Status merge(const fs::path& from, const fs::path& into) {
  if (Status made = file::make_folder(into); !made) return made;
  std::error_code code;
  for (fs::directory_iterator it(from, code), end; !code && it != end; it.increment(code)) {
    const fs::path target = into / it->path().filename();
    std::error_code ignored;
    const bool is_shared = fs::is_directory(fs::symlink_status(it->path(), ignored)) && fs::exists(target, ignored);
    if (is_shared) {
      if (Status merged = merge(it->path(), target); !merged) return merged;
      continue;
    }
    std::error_code moved;
    fs::rename(it->path(), target, moved);
    if (moved) return tl::unexpected(file::from_errno("move", target, moved.value()));
  }
  if (code) return tl::unexpected(file::from_errno("read", from, code.value()));
  return Done{};
}

}  // namespace ngb::toolchain::site
