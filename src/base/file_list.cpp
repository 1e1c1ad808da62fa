// SPDX-License-Identifier: Apache-2.0
#include "base/file_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::file_list {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMostLevels = 60;  // a link may lead to a folder above it

std::int64_t time_of(const struct stat& status) {
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Adds the files of the folder `name` in the folder `parent`. Asks for the status of each file once, without the path
// that leads there: a toolchain has tens of thousands of files. Returns errno, or 0.
int add_files(int parent, const char* name, const std::string& prefix, int level, std::vector<Entry>& files) {
  FileDescriptor fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseFolder> folder(fd.is_open() ? ::fdopendir(fd.get()) : nullptr);
  if (!folder) return errno;
  const int opened = fd.release();
  while (const dirent* const each = ::readdir(folder.get())) {
    const std::string_view found(each->d_name);
    if (found == "." || found == ".." || found == "__pycache__" || (level == 0 && found == kName)) continue;
    struct stat status{};
    const bool is_folder = each->d_type == DT_DIR;
    if (!is_folder && ::fstatat(opened, each->d_name, &status, 0) != 0) continue;
    std::string path = prefix + each->d_name;
    if (is_folder || S_ISDIR(status.st_mode)) {
      path += '/';
      if (level < kMostLevels) add_files(opened, each->d_name, path, level + 1, files);
    } else if (S_ISREG(status.st_mode)) {
      files.push_back({std::move(path), static_cast<std::uint64_t>(status.st_size), "", time_of(status)});
    }
  }
  return 0;
}

// Returns one hash of all paths, sizes and times. If it is the one in the list, nothing else has to be compared.
std::string hash_of_times(const std::vector<Entry>& files) {
  std::string lines;
  for (const Entry& each : files)
    fmt::format_to(std::back_inserter(lines), "{} {} {}\n", each.size_bytes, each.modified_ns, each.path);
  return hash::sha256(lines);
}

bool is_within(const fs::path& path) {
  const fs::path plain = path.lexically_normal();
  return plain.is_relative() && !plain.empty() && *plain.begin() != "..";
}

// Returns hash_of_times as it is in the list; "" in a list of an earlier version.
std::string_view times_in(std::string_view text) { return text.substr(0, std::min(text.find('\n'), text.find('['))); }

// Returns nothing if the text is no list. A file is [path, size, hash] or [path, size, hash, time].
std::optional<std::vector<Entry>> parse(std::string_view text) {
  std::vector<Entry> files;
  const json read = json_text::parse(text.substr(std::min(text.find('['), text.size())));
  if (!read.is_array()) return std::nullopt;
  for (const json& each : read) {
    const bool is_entry = each.is_array() && (each.size() == 3 || each.size() == 4) && each[0].is_string() &&
                          each[1].is_number_unsigned() && each[2].is_string() &&
                          (each.size() == 3 || each[3].is_number_integer());
    if (!is_entry || !is_within(each[0].get_ref<const std::string&>())) return std::nullopt;
    files.push_back({each[0], each[1], each[2], each.size() == 4 ? each[3].get<std::int64_t>() : 0});
  }
  return files;
}

Result<std::string> read_list(const fs::path& folder) {
  constexpr std::uint64_t kMostBytes = 256U << 20U;
  return file::read(folder / kName, kMostBytes);
}

}  // namespace

Result<std::vector<Entry>> files_below(const fs::path& folder) {
  std::vector<Entry> files;
  if (const int error = add_files(AT_FDCWD, folder.c_str(), "", 0, files); error != 0) {
    return tl::unexpected(file::from_errno("read", folder, error));
  }
  std::sort(files.begin(), files.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return files;
}

Status write(const fs::path& folder, std::vector<Entry> files) {
  std::sort(files.begin(), files.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  json list = json::array();
  for (Entry& each : files) {
    struct stat status{};
    if (::stat((folder / each.path).c_str(), &status) != 0) {
      return tl::unexpected(file::from_errno("read", folder / each.path, errno));
    }
    each.modified_ns = time_of(status);
    if (each.sha256.empty()) {
      Result<std::string> hash = hash::sha256_of_file(folder / each.path);
      if (!hash) return error_of(hash);
      each.sha256 = *std::move(hash);
    }
    list.push_back({each.path, each.size_bytes, each.sha256, each.modified_ns});
  }
  return file::write_atomically(folder / kName, hash_of_times(files) + "\n" + json_text::dump(list) + "\n");
}

Status write(const fs::path& folder) {
  Result<std::vector<Entry>> files = files_below(folder);
  return files ? write(folder, *std::move(files)) : error_of(files);
}

bool is_there(const fs::path& folder) {
  std::error_code code;
  return fs::exists(folder / kName, code);
}

bool is_whole(const fs::path& folder, Check check) {
  const std::optional<std::vector<Entry>> list = parse(read_list(folder).value_or(""));
  return list && std::all_of(list->begin(), list->end(), [&](const Entry& each) {
           std::error_code code;
           const fs::path path = folder / each.path;
           if (fs::file_size(path, code) != each.size_bytes || code) return false;
           return check == Check::sizes || each.sha256.empty() ||
                  hash::sha256_of_file(path).value_or("") == each.sha256;
         });
}

Result<std::map<std::string, std::string>> changes(const fs::path& folder, Check check) {
  std::map<std::string, std::string> changed;
  Result<std::vector<Entry>> now = files_below(folder);
  if (!now) return error_of(now);
  const Result<std::string> text = read_list(folder);
  if (!text) return error_of(text);
  const bool has_its_times = times_in(*text) == hash_of_times(*now);
  if (check == Check::sizes && has_its_times) return changed;
  std::optional<std::vector<Entry>> list = parse(*text);
  if (!list) return fail("is no list of files", (folder / kName).string());
  std::map<std::string, Entry> listed;
  for (Entry& each : *list) listed.emplace(each.path, std::move(each));
  for (Entry& each : *now) {
    const auto was = listed.extract(each.path);
    const bool is_alike = !was.empty() && was.mapped().size_bytes == each.size_bytes;
    const bool is_known = is_alike && (was.mapped().sha256.empty() ||
                                       (check == Check::sizes && was.mapped().modified_ns == each.modified_ns));
    Result<std::string> hash = is_known ? was.mapped().sha256 : hash::sha256_of_file(folder / each.path);
    if (!hash) return error_of(hash);
    each.sha256 = *std::move(hash);
    if (!is_alike || each.sha256 != was.mapped().sha256) changed[each.path] = each.sha256;
  }
  for (const auto& [path, gone] : listed) changed[path] = "";
  if (changed.empty() && !has_its_times) (void)write(folder, *std::move(now));
  return changed;
}

}  // namespace ngb::file_list
