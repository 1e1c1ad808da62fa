// SPDX-License-Identifier: Apache-2.0
#include "base/partials.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/removal.h"

namespace ngb::file {
namespace {

constexpr std::string_view kPartial = ".partial";

// Returns the host in a name of the form "HOST-PID-NUMBER.partial"; nothing for any other name.
std::optional<std::string_view> host_in(std::string_view name) {
  if (!name.ends_with(kPartial)) return std::nullopt;
  name.remove_suffix(kPartial.size());
  const auto take_number = [&name] {
    const std::size_t dash = name.find_last_not_of("0123456789");
    const bool is_there = dash != std::string_view::npos && name[dash] == '-' && dash + 1 < name.size();
    if (is_there) name = name.substr(0, dash);
    return is_there;
  };
  if (!take_number() || !take_number() || name.find('.') != std::string_view::npos) return std::nullopt;
  return name;
}

}  // namespace

bool is_in_partial(const std::filesystem::path& path) {
  const auto is_partial = [](const std::filesystem::path& each) {
    const std::string name = each.string();  // NAME.HOST-PID-NUMBER.partial
    const std::size_t dot =
        name.ends_with(kPartial) ? name.rfind('.', name.size() - kPartial.size() - 1) : std::string::npos;
    return dot != std::string::npos && host_in(std::string_view(name).substr(dot + 1));
  };
  const std::filesystem::path above = path.parent_path();
  return std::any_of(above.begin(), above.end(), is_partial);
}

// The host's name without dots, so that a partial file's name has only one extension more than HOST-PID-NUMBER.
std::string host_in_partials() {
  std::array<char, 65> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string host(name.data());
  std::replace_if(host.begin(), host.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  return host;
}

std::filesystem::path partial_path(const std::filesystem::path& path) {
  static std::atomic<unsigned> number{0};
  return path.string() + fmt::format(".{}-{}-{}{}", host_in_partials(), ::getpid(), ++number, kPartial);
}

std::vector<Partial> partials_of(const std::filesystem::path& path) {
  const std::string begin = path.filename().string() + ".";
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<Partial> found;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(begin)) continue;
    if (const auto host = host_in(std::string_view(name).substr(begin.size()))) {
      found.push_back({entry->path(), std::string(*host)});
    }
  }
  return found;
}

void remove_old_partials(const std::filesystem::path& path, std::chrono::hours unchanged) {
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const Partial& each : partials_of(path)) {
    std::error_code code;
    const auto changed = std::filesystem::last_write_time(each.path, code);
    if (!code && now - changed >= unchanged) file::remove_all(each.path);
  }
}

}  // namespace ngb::file
