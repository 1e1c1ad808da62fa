// SPDX-License-Identifier: Apache-2.0
#include "report/write/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ngb::report {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode 15: East_Asian_Width W and F, in broad blocks.
constexpr std::array kWide{Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
                           Range{0xF900, 0xFAFF}, Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                           Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD}};
constexpr std::array kCombining{Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0xFE00, 0xFE0F}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [character](const Range& range) { return range.first <= character && character <= range.last; });
}

std::size_t length_of(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

std::uint32_t character_at(std::string_view text, std::size_t at, std::size_t length) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (length == 1) return lead;
  std::uint32_t character = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i)
    character = character << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return character;
}

// Calls visit(bytes, width) for each character until `visit` returns false.
template <class Visit>
void each_character(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::min(length_of(static_cast<unsigned char>(text[at])), text.size() - at);
    if (text.substr(at, 2) == "\x1b[") {  // a style, up to its "m"
      const std::string_view style = text.substr(at, text.substr(at).find('m') + 1);
      if (!visit(style, 0)) return;
      at += style.size();
      continue;
    }
    const std::uint32_t character = character_at(text, at, length);
    const bool is_plain = length == 1 || !(is_in(kCombining, character) || is_in(kWide, character));
    const int width = is_plain ? 1 : is_in(kCombining, character) ? 0 : 2;
    if (!visit(text.substr(at, length), width)) return;
    at += length;
  }
}

}  // namespace

int width_of(std::string_view text) {
  int total = 0;
  each_character(text, [&](std::string_view /*bytes*/, int width) {
    total += width;
    return true;
  });
  return total;
}

std::string shortened(std::string_view text, int width) {
  const bool fits = width_of(text) <= width;
  const int room = fits ? width : width - 1;
  std::string result;
  int used = 0;
  each_character(text, [&](std::string_view bytes, int character_width) {
    if (used + character_width > room) return false;
    used += character_width;
    result += bytes == "\n" || bytes == "\t" || bytes == "\r" ? " " : bytes;
    return true;
  });
  return fits ? result : result + "…";
}

std::string wrapped(std::string_view lines, int width) {
  if (width <= 0) return std::string(lines);
  std::string result;
  int used = 0;
  std::size_t indent = 0;  // of the line so far
  bool has_word = false;   // likewise
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find_first_of(" \n", at), lines.size());
    const std::string_view word = lines.substr(at, end - at);
    if (!has_word && word.empty()) ++indent;
    if (has_word && used + width_of(word) > width) {
      while (result.ends_with(' ')) result.pop_back();
      result += '\n';
      result.append(indent + 2, ' ');
      used = static_cast<int>(indent) + 2;
    }
    result += word;
    if (end < lines.size()) result += lines[end];
    const bool ends_line = end < lines.size() && lines[end] == '\n';
    used = ends_line ? 0 : used + width_of(word) + 1;
    indent = ends_line ? 0 : indent;
    has_word = !ends_line && (has_word || !word.empty());
    at = end + 1;
  }
  return result;
}

std::string padding(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
}

}  // namespace ngb::report
