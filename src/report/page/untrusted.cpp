// SPDX-License-Identifier: Apache-2.0
#include "report/page/untrusted.h"
#include "base/text.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"

namespace ngb::report::page {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;  // of, by

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

std::string escaped(std::string_view text) { return replaced(text::visible(text), kEntities); }

std::string script_json(const nlohmann::json& json) { return replaced(json_text::dump(json), kScriptEscapes); }

}  // namespace ngb::report::page
