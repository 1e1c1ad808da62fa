// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/page/html.h"
#include "store/compression.h"

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

std::string prose(std::string_view sentence) {
  std::string html = escaped(sentence);
  for (std::size_t from = 0;;) {
    const std::size_t begin = html.find('`', from);
    const std::size_t end = begin == std::string::npos ? begin : html.find('`', begin + 1);
    if (end == std::string::npos) return html;
    const std::string code = fmt::format("<code>{}</code>", html.substr(begin + 1, end - begin - 1));
    html.replace(begin, end + 1 - begin, code);
    from = begin + code.size();
  }
}

std::string script_json(const nlohmann::json& json) { return replaced(json_text::dump(json), kScriptEscapes); }

namespace {

std::string line(const char* element, const std::vector<std::string>& fields, std::size_t columns) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool spans = i + 1 == fields.size() && fields.size() < columns;
    const std::string span = spans ? fmt::format(" colspan=\"{}\"", columns - i) : "";
    html += fmt::format("<{0}{1}>{2}</{3}>", element, span, prose(fields[i]), std::string_view(element).substr(0, 2));
  }
  return html + "</tr>\n";
}

}  // namespace

std::string html_table(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead>{1}"
      "</thead><tbody>\n",
      escaped(caption), line("th scope=\"col\"", columns, columns.size()));
  for (const std::vector<std::string>& row : rows) html += line("td", row, columns.size());
  return html + "</tbody></table></div>\n";
}

std::string html_items(const std::vector<std::string>& sentences) {
  std::string html;
  for (const std::string& each : sentences) html += fmt::format("<li>{}</li>\n", prose(each));
  return html;
}

std::string packed_if_large(std::string html) {
  constexpr std::size_t kMostBytesOfHtml = 100'000;
  if (html.size() <= kMostBytesOfHtml) return html;
  return fmt::format(
      "<noscript><p>A script unpacks this part, because it is large.</p></noscript>\n"
      "<script type=\"text/plain\" class=\"packed\">{}</script>",
      packed(html));
}

std::string closed_section(const Part& part) {
  if (part.html.empty()) return {};
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\"><details><summary><h2 id=\"{0}-heading\">{1}</h2> "
      "<small>{2}</small></summary>\n{3}</details></section>\n",
      part.id, escaped(part.title), escaped(part.holds), packed_if_large(part.html));
}

std::string counted(std::size_t number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kBitsOfByte = 8;
constexpr unsigned kBitsOfDigit = 6;

std::string bytes_of_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned bits = 0;
  unsigned value = 0;
  for (const char digit : text) {
    const std::size_t of_digit = kBase64Digits.find(digit);
    if (of_digit == std::string_view::npos) break;  // of the padding
    value = (value << kBitsOfDigit) | static_cast<unsigned>(of_digit);
    bits += kBitsOfDigit;
    if (bits < kBitsOfByte) continue;
    bits -= kBitsOfByte;
    bytes += static_cast<char>(value >> bits);
    value &= (1U << bits) - 1;
  }
  return bytes;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  unsigned bits = 0;
  unsigned value = 0;
  for (const char byte : bytes) {
    value = (value << kBitsOfByte) | static_cast<unsigned>(static_cast<unsigned char>(byte));
    bits += kBitsOfByte;
    while (bits >= kBitsOfDigit) {
      bits -= kBitsOfDigit;
      text += kBase64Digits[value >> bits];
      value &= (1U << bits) - 1;
    }
  }
  if (bits > 0) text += kBase64Digits[value << (kBitsOfDigit - bits)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string packed(std::string_view text) { return base64(store::compressed(text)); }

std::string with_parts_unpacked(std::string_view html) {
  constexpr std::size_t kMostBytes = 256UL << 20U;  // of a part
  constexpr std::string_view kScript = "<script type=\"text/plain\"";
  std::string whole;
  for (std::size_t script = html.find(kScript); script != std::string_view::npos; script = html.find(kScript)) {
    const std::size_t begin = html.find('>', script) + 1;
    const std::size_t end = html.find('<', begin);
    if (begin == 0 || end == std::string_view::npos) break;
    const std::string_view given = html.substr(begin, end - begin);
    whole.append(html.substr(0, begin))
        .append(store::uncompressed(bytes_of_base64(given), kMostBytes).value_or(std::string(given)));
    html.remove_prefix(end);
  }
  return whole.append(html);
}

}  // namespace ngb::report::page
