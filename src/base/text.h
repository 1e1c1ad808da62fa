// SPDX-License-Identifier: Apache-2.0
// Small pure functions on text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::text {

// The candidate with the smallest edit distance to `word` (insert, delete, replace, swap of neighbours), if that is at
// most a third of the longer word (at least 1); ties go to the first. Nothing when none is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// "3.1 s", "412 ms", "1 h 04 min": three significant digits for people, not for files.
std::string human_duration(double seconds);
// "97.8 MB" (powers of 1000).
std::string human_bytes(std::uint64_t bytes);

// Valid UTF-8 or not; what goes into JSON must be. Invalid sequences become U+FFFD in `to_utf8`.
std::string to_utf8(std::string_view bytes);

}  // namespace ngb::text
