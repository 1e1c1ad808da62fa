// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace ngb::report {
namespace {

using Shown = std::pair<std::string_view, std::string_view>;  // a character in UTF-8, and how it is shown

// Unicode's marks, embeddings, overrides and isolates of direction.
constexpr std::array kDirections{
    Shown{"\xD8\x9C", "\\u061c"},     Shown{"\xE2\x80\x8E", "\\u200e"}, Shown{"\xE2\x80\x8F", "\\u200f"},
    Shown{"\xE2\x80\xAA", "\\u202a"}, Shown{"\xE2\x80\xAB", "\\u202b"}, Shown{"\xE2\x80\xAC", "\\u202c"},
    Shown{"\xE2\x80\xAD", "\\u202d"}, Shown{"\xE2\x80\xAE", "\\u202e"}, Shown{"\xE2\x81\xA6", "\\u2066"},
    Shown{"\xE2\x81\xA7", "\\u2067"}, Shown{"\xE2\x81\xA8", "\\u2068"}, Shown{"\xE2\x81\xA9", "\\u2069"},
};

}  // namespace

std::string plain(std::string_view text) {
  const std::string visible = text::visible(text);
  std::string result;
  result.reserve(visible.size());
  for (std::string_view rest = visible; !rest.empty();) {
    const auto* const found = std::find_if(kDirections.begin(), kDirections.end(),
                                           [&rest](const Shown& each) { return rest.starts_with(each.first); });
    const bool is_direction = found != kDirections.end();
    result += is_direction ? found->second : rest.substr(0, 1);
    rest.remove_prefix(is_direction ? found->first.size() : 1);
  }
  return result;
}

}  // namespace ngb::report
