// SPDX-License-Identifier: Apache-2.0
// Small pure functions on text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ngb::text {

// Returns the candidate with the smallest edit distance to `word` (insert, delete, replace, swap of neighbours), if
// that is at most a third of the longer word (at least 1); the first of several. Returns nothing if there is none, or
// if `word` has more than 200 characters.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Returns "3.1 s", "412 ms" or "1 h 04 min": three significant digits, for people and not for files.
std::string human_duration(double seconds);
// Returns "97.8 MB" (powers of 1000).
std::string human_bytes(std::uint64_t bytes);

// Returns `form` with each {{name}} replaced by the part of that name, or by nothing. A part may have any text: what it
// brings is not replaced again.
std::string filled(std::string_view form, const std::vector<std::pair<std::string_view, std::string>>& parts);

// Returns `bytes` with every character escaped that would control a terminal: C0 except line feed and tab, DEL and C1
// become "\x1b" or "\u009b", marks that change the direction of writing "\u202e", bytes that are not UTF-8 "\xff".
// Other text is unchanged. All text of foreign origin (a device, a results file, a compiler) passes through here before
// a person sees it.
std::string visible(std::string_view bytes);

// Replaces each invalid UTF-8 sequence by U+FFFD. JSON accepts only valid UTF-8.
std::string to_utf8(std::string_view bytes);

}  // namespace ngb::text
