// SPDX-License-Identifier: Apache-2.0
#include "report/write/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace ngb::report {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 21> kSpecials{{
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "''"},
    {'`', "\\`{}"},
    {'[', "{[}"},
    {']', "{]}"},
    {'*', "{*}"},  // after a line's \\ these mean something
    {'\n', " "},
    {'\r', " "},
    {'\t', " "},
}};

constexpr std::array<std::pair<char32_t, std::string_view>, 17> kSymbols{{
    {0xB0, "\\(^{\\circ}\\)"},
    {0xB1, "\\(\\pm\\)"},
    {0xB5, "\\(\\mu\\)"},
    {0xB7, "\\(\\cdot\\)"},
    {0xD7, "\\(\\times\\)"},
    {0x3BC, "\\(\\mu\\)"},
    {0x2013, "--"},
    {0x2014, "---"},
    {0x2018, "`"},
    {0x2019, "'"},
    {0x201C, "``"},
    {0x201D, "''"},
    {0x2026, "\\ldots{}"},
    {0x2122, "\\texttrademark{}"},
    {0x2192, "\\(\\to\\)"},
    {0x2264, "\\(\\le\\)"},
    {0x2265, "\\(\\ge\\)"},
}};

// Takes one character of valid UTF-8 off the text.
char32_t take_character(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t value = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < std::min(length, rest.size()); ++i) {
    value = (value << 6U) | (static_cast<unsigned char>(rest[i]) & 0x3FU);
  }
  rest.remove_prefix(std::min(length, rest.size()));
  return value;
}

std::string latex_of_ascii(char character, char next) {
  const auto* const found = std::find_if(kSpecials.begin(), kSpecials.end(),
                                         [character](const auto& each) { return each.first == character; });
  if (found != kSpecials.end()) return std::string(found->second);
  const bool makes_ligature = character == next && std::string_view("-,'").find(character) != std::string_view::npos;
  return std::string(1, character) + (makes_ligature ? "{}" : "");
}

// Returns whether the default fonts have this letter of Latin-1.
bool is_latin_letter(char32_t character) {
  constexpr std::u32string_view kOthers = U"\u00D0\u00D7\u00DE\u00F0\u00F7\u00FE";
  return character >= 0xC0 && character <= 0xFF && kOthers.find(character) == std::u32string_view::npos;
}

std::string latex_of(char32_t character, std::string_view as_utf8) {
  const auto* const found =
      std::find_if(kSymbols.begin(), kSymbols.end(), [character](const auto& each) { return each.first == character; });
  if (found != kSymbols.end()) return std::string(found->second);
  if (is_latin_letter(character)) return std::string(as_utf8);
  return fmt::format("{{[}}U+{:04X}{{]}}", static_cast<std::uint32_t>(character));
}

}  // namespace

std::string latex_text(std::string_view given) {
  const std::string text = text::visible(given);
  std::string latex;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t character = take_character(rest);
    const std::string_view as_utf8 = before.substr(0, before.size() - rest.size());
    latex += as_utf8.size() == 1 ? latex_of_ascii(as_utf8.front(), rest.empty() ? '\0' : rest.front())
                                 : latex_of(character, as_utf8);
  }
  return latex;
}

std::string letters_of(std::string_view words) {
  constexpr std::array<std::string_view, 10> kDigits{"Zero", "One", "Two",   "Three", "Four",
                                                     "Five", "Six", "Seven", "Eight", "Nine"};
  std::string letters;
  bool begins_word = true;
  for (const char each : words) {
    const bool is_small = each >= 'a' && each <= 'z';
    const bool is_capital = each >= 'A' && each <= 'Z';
    if (each >= '0' && each <= '9') letters += kDigits.at(static_cast<std::size_t>(each - '0'));
    if (is_small || is_capital) letters += begins_word && is_small ? static_cast<char>(each - 'a' + 'A') : each;
    begins_word = !is_small && !is_capital;
  }
  return letters;
}

}  // namespace ngb::report
