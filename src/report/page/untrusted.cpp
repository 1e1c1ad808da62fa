// SPDX-License-Identifier: Apache-2.0
#include "report/page/untrusted.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace ngb::report::page {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;  // of, by

// Unicode's marks, embeddings, overrides and isolates of direction, in UTF-8.
constexpr std::array kDirections{
    Replacement{"\xD8\x9C", "\\u061c"},     Replacement{"\xE2\x80\x8E", "\\u200e"},
    Replacement{"\xE2\x80\x8F", "\\u200f"}, Replacement{"\xE2\x80\xAA", "\\u202a"},
    Replacement{"\xE2\x80\xAB", "\\u202b"}, Replacement{"\xE2\x80\xAC", "\\u202c"},
    Replacement{"\xE2\x80\xAD", "\\u202d"}, Replacement{"\xE2\x80\xAE", "\\u202e"},
    Replacement{"\xE2\x81\xA6", "\\u2066"}, Replacement{"\xE2\x81\xA7", "\\u2067"},
    Replacement{"\xE2\x81\xA8", "\\u2068"}, Replacement{"\xE2\x81\xA9", "\\u2069"},
};

constexpr std::array kEntities{
    Replacement{"&", "&amp;"},   Replacement{"<", "&lt;"},  Replacement{">", "&gt;"},
    Replacement{"\"", "&quot;"}, Replacement{"'", "&#39;"},
};

// Within JSON these characters occur only in strings, where the escapes mean the same.
constexpr std::array kScriptEscapes{
    Replacement{"<", "\\u003c"},
    Replacement{">", "\\u003e"},
    Replacement{"&", "\\u0026"},
    Replacement{"\xE2\x80\xA8", "\\u2028"},
    Replacement{"\xE2\x80\xA9", "\\u2029"},
};

template <std::size_t count>
std::string replaced(std::string_view text, const std::array<Replacement, count>& replacements) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Replacement* found = nullptr;
    for (const Replacement& each : replacements) {
      if (text.starts_with(each.first)) found = &each;
    }
    result += found != nullptr ? found->second : text.substr(0, 1);
    text.remove_prefix(found != nullptr ? found->first.size() : 1);
  }
  return result;
}

}  // namespace

std::string plain(std::string_view text) { return replaced(text::visible(text), kDirections); }

std::string escaped(std::string_view text) { return replaced(plain(text), kEntities); }

std::string script_json(const nlohmann::json& json) {
  return replaced(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), kScriptEscapes);
}

}  // namespace ngb::report::page
