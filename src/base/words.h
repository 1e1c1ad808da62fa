// SPDX-License-Identifier: Apache-2.0
// The words of an enumeration: an array of them in the order of its values, which are 0, 1, 2, ….
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/result.h"

namespace ngb {

template <std::size_t kCount>
using EnumWords = std::array<std::string_view, kCount>;

template <class Enum, std::size_t kCount>
constexpr std::string_view word_in(const EnumWords<kCount>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

// Returns the value of `word`, or an error "unknown <what> "<word>"".
template <class Enum, std::size_t kCount>
Result<Enum> parse_word(const EnumWords<kCount>& words, std::string_view word, std::string_view what) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return fail(fmt::format("unknown {} \"{}\"", what, word));
  return static_cast<Enum>(found - words.begin());
}

}  // namespace ngb
