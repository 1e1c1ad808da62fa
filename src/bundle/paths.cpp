// SPDX-License-Identifier: Apache-2.0
#include "bundle/paths.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"

namespace ngb::bundle {
namespace {

constexpr std::size_t kLongestPath = 200;

bool is_plain_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

std::string lower_case(std::string_view path) {
  std::string lower(path);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace

std::string why_not_a_path(std::string_view path) {
  if (path.empty()) return "the name is empty";
  if (path.size() > kLongestPath) return "the name is longer than 200 characters";
  if (path.front() == '/') return "the path is absolute";
  for (const std::string& part : text::split(path, '/')) {
    if (part == "..") return "the path leads out of its folder";
    if (part.empty()) return "a part of the path is empty";
    if (part.front() == '.') return "a part of the path begins with a dot";
    if (!std::all_of(part.begin(), part.end(), is_plain_character)) {
      return "the name has other characters than letters, digits and . _ -";
    }
  }
  return {};
}

std::string twice_used_path(std::span<const std::string> paths) {
  std::set<std::string> files;
  for (const std::string& path : paths) {
    if (!files.insert(lower_case(path)).second) return path;
  }
  for (const std::string& path : paths) {
    const std::string lower = lower_case(path);
    for (std::size_t slash = lower.find('/'); slash != std::string::npos; slash = lower.find('/', slash + 1)) {
      if (files.contains(lower.substr(0, slash))) return path;
    }
  }
  return {};
}

}  // namespace ngb::bundle
