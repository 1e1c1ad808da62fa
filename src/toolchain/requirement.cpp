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

// The word in quotes at the start of `text`, and what stands before the closing quote; nothing when there is none.
std::string_view quoted(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) return {};
  const std::size_t end = text.find(text.front(), 1);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

// 'extra == "x" and …' with every comparison of extra replaced by one that is always true or always false.
std::string decide_extras(std::string_view marker, const std::vector<std::string>& extras) {
  constexpr std::string_view kExtra = "extra";
  std::string decided;
  while (!marker.empty()) {
    const std::size_t at = marker.find(kExtra);
    if (at == std::string_view::npos) return decided.append(marker);
    std::string_view rest = trim_left(marker.substr(at + kExtra.size()));
    const bool is_equality = rest.starts_with("==");
    const std::string_view word = is_equality ? quoted(trim_left(rest.substr(2))) : std::string_view{};
    if (word.size() < 2) {
      decided.append(marker.substr(0, at + kExtra.size()));
      marker.remove_prefix(at + kExtra.size());
      continue;
    }
    const std::string name = normalised_name(word.substr(1, word.size() - 2));
    const bool is_wanted = std::any_of(extras.begin(), extras.end(),
                                       [&](const std::string& extra) { return normalised_name(extra) == name; });
    decided.append(marker.substr(0, at)).append(is_wanted ? "python_version >= \"3\"" : "python_version < \"3\"");
    marker = marker.substr(static_cast<std::size_t>(word.data() + word.size() - marker.data()));
  }
  return decided;
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

std::string pip_text(const Requirement& requirement, const std::vector<std::string>& extras) {
  const std::string own_extras =
      requirement.extras.empty() ? "" : fmt::format("[{}]", text::join(requirement.extras, ","));
  const std::string marker = requirement.marker.empty() ? "" : "; " + decide_extras(requirement.marker, extras);
  return requirement.name + own_extras + requirement.specifier + marker;
}

}  // namespace ngb::toolchain
