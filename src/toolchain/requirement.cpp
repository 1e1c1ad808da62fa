// SPDX-License-Identifier: Apache-2.0
#include "toolchain/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace ngb::toolchain {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string_view trim_left(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (is_separator && normal.ends_with('-')) continue;
    normal += is_separator ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return normal;
}

Result<Requirement> parse_requirement(std::string_view text) {
  Requirement requirement;
  std::string_view rest = text::trim(text);
  const auto name_end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
  const auto name_length = static_cast<std::size_t>(name_end - rest.begin());
  if (name_length == 0) return fail(fmt::format("\"{}\" is not a requirement: it starts with no name", text));
  requirement.name = normalised_name(rest.substr(0, name_length));
  rest = trim_left(rest.substr(name_length));
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return fail(fmt::format("\"{}\" is not a requirement: no closing ]", text));
    for (const std::string& extra : text::split(rest.substr(1, end - 1), ',')) {
      requirement.extras.emplace_back(text::trim(extra));
    }
    rest = trim_left(rest.substr(end + 1));
  }
  if (rest.starts_with('@')) return fail(fmt::format("\"{}\": a requirement by address is not supported", text));
  const std::size_t semicolon = rest.find(';');
  for (const char c : rest.substr(0, semicolon)) {
    if (c != '(' && c != ')' && c != ' ' && c != '\t') requirement.specifier += c;
  }
  if (semicolon != std::string_view::npos) requirement.marker = text::trim(rest.substr(semicolon + 1));
  return requirement;
}

std::string pip_text(const Requirement& requirement) {
  const std::string extras = requirement.extras.empty() ? "" : fmt::format("[{}]", text::join(requirement.extras, ","));
  return requirement.name + extras + requirement.specifier;
}

}  // namespace ngb::toolchain
