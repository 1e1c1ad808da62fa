// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace ngb::text {
namespace {

constexpr std::size_t kLongestWord = 200;

// Returns the optimal string alignment distance (Damerau–Levenshtein without repeated edits of a pair). Three rows are
// kept, because a swap needs the row before the last.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Returns the length of the valid UTF-8 sequence at the start of `bytes`, or 0 if there is none.
std::size_t utf8_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

using Shown = std::pair<std::string_view, std::string_view>;  // a character in UTF-8, and how it is shown

// Unicode's marks, embeddings, overrides and isolates of direction.
constexpr std::array kDirections{
    Shown{"\xD8\x9C", "\\u061c"},     Shown{"\xE2\x80\x8E", "\\u200e"}, Shown{"\xE2\x80\x8F", "\\u200f"},
    Shown{"\xE2\x80\xAA", "\\u202a"}, Shown{"\xE2\x80\xAB", "\\u202b"}, Shown{"\xE2\x80\xAC", "\\u202c"},
    Shown{"\xE2\x80\xAD", "\\u202d"}, Shown{"\xE2\x80\xAE", "\\u202e"}, Shown{"\xE2\x81\xA6", "\\u2066"},
    Shown{"\xE2\x81\xA7", "\\u2067"}, Shown{"\xE2\x81\xA8", "\\u2068"}, Shown{"\xE2\x81\xA9", "\\u2069"},
};

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  if (word.size() > kLongestWord) return best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string human_duration(double seconds) {
  if (seconds < 0) return "-" + human_duration(-seconds);
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string visible(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto* const special = std::find_if(bytes.data(), bytes.data() + bytes.size(), [](char byte) {
      return static_cast<unsigned char>(byte) < 0x20 || static_cast<unsigned char>(byte) >= 0x7F;
    });
    const auto plain = static_cast<std::size_t>(special - bytes.data());
    out += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const std::size_t length = utf8_length(bytes);
    const auto first = static_cast<unsigned char>(bytes.front());
    const bool is_control = length == 1 && (first < 0x20 || first == 0x7F) && first != '\n' && first != '\t';
    if (length == 0 || is_control) {
      out += fmt::format("\\x{:02x}", first);
    } else if (length == 2 && first == 0xC2 && static_cast<unsigned char>(bytes[1]) < 0xA0) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(bytes[1]));
    } else {
      const auto* const direction = std::find_if(kDirections.begin(), kDirections.end(),
                                                 [&bytes](const Shown& each) { return bytes.starts_with(each.first); });
      out += direction == kDirections.end() ? bytes.substr(0, length) : direction->second;
    }
    bytes.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string filled(std::string_view form, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string whole;
  while (true) {
    const std::size_t begin = form.find("{{");
    whole += form.substr(0, begin);
    if (begin == std::string_view::npos) return whole;
    const std::size_t end = form.find("}}", begin);
    const std::string_view name = form.substr(begin + 2, end - begin - 2);
    for (const auto& [part, text] : parts) {
      if (part == name) whole += text;
    }
    form.remove_prefix(end + 2);
  }
}

}  // namespace ngb::text
