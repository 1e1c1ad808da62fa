// SPDX-License-Identifier: Apache-2.0
#include "config/handed_on.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/keys/value.h"
#include "config/problems.h"

namespace ngb::config {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kFixed = "fixed: ";
constexpr std::string_view kOption = "options.";

// A `*` of the pattern stands for any characters, also none.
bool matches_pattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*') {
    return !name.empty() && name.front() == pattern.front() && matches_pattern(name.substr(1), pattern.substr(1));
  }
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (matches_pattern(name.substr(skipped), pattern.substr(1))) return true;
  }
  return false;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == '=' || c == 0x7f; });
}

std::string said_elsewhere(const std::string& name, std::string_view owner, const std::string& compiler) {
  if (owner.starts_with(kFixed)) {
    return fmt::format("{}: may not be set, because {}; remove it", shown(name), owner.substr(kFixed.size()));
  }
  if (owner.starts_with(kOption)) {
    return fmt::format("{}: {} has the option {} for this; remove it here, and give that option below options",
                       shown(name), compiler, owner.substr(kOption.size()));
  }
  return fmt::format("{}: the key {} says this; remove it here, and give {} instead", shown(name), owner, owner);
}

}  // namespace

std::string spelled_alike(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string alike(name);
  std::transform(alike.begin(), alike.end(), alike.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return alike;
}

std::string why_not_handed_on(const std::string& name, const CompilerWords& words) {
  if (words.settings.meaning.empty()) {
    return fmt::format("{}: {} hands no settings on to a library; remove it", shown(name), words.name);
  }
  if (!is_name(name)) {
    return fmt::format("{}: expected a setting's name of at most {} characters, without blanks and =", shown(name),
                       kLongestName);
  }
  const std::string alike = spelled_alike(name);
  for (const ReservedSetting& reserved : words.settings.reserved) {
    if (matches_pattern(alike, spelled_alike(reserved.name))) return said_elsewhere(name, reserved.owner, words.name);
  }
  for (const Parameter& option : words.options) {
    if (spelled_alike(option.name) == alike) return said_elsewhere(name, "options." + option.name, words.name);
  }
  return {};
}

std::string same_setting_twice(const std::string& name, const std::string& first) {
  return fmt::format("{}: the same setting as {}; remove one of the two", shown(name), shown(first));
}

}  // namespace ngb::config
