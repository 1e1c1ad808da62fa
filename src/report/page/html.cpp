// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/page/html.h"

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

namespace {

std::string line(std::string_view begin, std::string_view end, const std::vector<std::string>& fields) {
  std::string html = "<tr>";
  for (const std::string& field : fields) html += fmt::format("{}{}{}", begin, escaped(field), end);
  return html + "</tr>\n";
}

}  // namespace

std::string html_table(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead>{1}"
      "</thead><tbody>\n",
      escaped(caption), line("<th scope=\"col\">", "</th>", columns));
  for (const std::vector<std::string>& row : rows) html += line("<td>", "</td>", row);
  return html + "</tbody></table></div>\n";
}

std::string closed_section(const Part& part) {
  if (part.html.empty()) return {};
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\"><details><summary><h2 id=\"{0}-heading\">{1}</h2> "
      "<small>{2}</small></summary>\n{3}</details></section>\n",
      part.id, escaped(part.title), escaped(part.holds), part.html);
}

std::string counted(std::size_t number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kBitsOfByte = 8;
  constexpr unsigned kBitsOfDigit = 6;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  unsigned bits = 0;
  unsigned value = 0;
  for (const char byte : bytes) {
    value = (value << kBitsOfByte) | static_cast<unsigned>(static_cast<unsigned char>(byte));
    bits += kBitsOfByte;
    while (bits >= kBitsOfDigit) {
      bits -= kBitsOfDigit;
      text += kDigits[value >> bits];
      value &= (1U << bits) - 1;
    }
  }
  if (bits > 0) text += kDigits[value << (kBitsOfDigit - bits)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace ngb::report::page
