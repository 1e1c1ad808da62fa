// SPDX-License-Identifier: Apache-2.0
#include "toolchain/spelling.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ngb::toolchain {

std::string normalised_name(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (is_separator && normal.ends_with('-')) continue;
    normal += is_separator ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return normal;
}

std::string required_name(std::string_view requirement) {
  const auto* const end = std::find_if_not(requirement.begin(), requirement.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  return normalised_name(requirement.substr(0, static_cast<std::size_t>(end - requirement.begin())));
}

std::string_view public_version(std::string_view version) { return version.substr(0, version.find('+')); }

std::vector<int> release_numbers(std::string_view version) {
  std::vector<int> numbers;
  for (;;) {
    int number = 0;
    const auto [end, code] = std::from_chars(version.data(), version.data() + version.size(), number);
    if (code != std::errc{} || number < 0) return numbers;
    numbers.push_back(number);
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (!version.starts_with('.')) return numbers;
    version.remove_prefix(1);
  }
}

}  // namespace ngb::toolchain
