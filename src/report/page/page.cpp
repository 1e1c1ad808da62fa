// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "charts.js.h"
#include "choices.js.h"
#include "numbers.js.h"
#include "page.css.h"
#include "page.html.h"
#include "page.js.h"
#include "report/page/labels.h"
#include "report/page/page_data.h"
#include "report/page/page_parts.h"
#include "report/page/untrusted.h"

namespace ngb::report::page {
namespace {

// Returns bytes, given as hexadecimal digits, in base 64.
std::string base64_of_hex(const std::string& hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kBitsOfHexDigit = 4;
  constexpr unsigned kBits = 6;
  std::string text;
  unsigned bits = 0;
  unsigned value = 0;
  for (const char digit : hex) {
    value = (value << kBitsOfHexDigit) | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    bits += kBitsOfHexDigit;
    if (bits < kBits) continue;
    bits -= kBits;
    text += kDigits[(value >> bits) & 63U];
    value &= (1U << bits) - 1;
  }
  if (bits > 0) text += kDigits[(value << (kBits - bits)) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// Names a script or a style by its hash, so that the page's policy admits no other.
std::string source_hash(std::string_view text) { return "'sha256-" + base64_of_hex(hash::sha256(text)) + "'"; }

std::string title_of(std::span<const Source> sources) {
  std::string title;
  for (const Source& source : sources) {
    title += (title.empty() ? "" : ", ") + (source.study.empty() ? source.name : source.study);
  }
  return title;
}

// Replaces each {{NAME}} of the template once; a part may contain any text.
std::string filled(std::string_view form, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string page;
  while (true) {
    const std::size_t begin = form.find("{{");
    page += form.substr(0, begin);
    if (begin == std::string_view::npos) return page;
    const std::size_t end = form.find("}}", begin);
    const std::string_view name = form.substr(begin + 2, end - begin - 2);
    for (const auto& [part, text] : parts) {
      if (part == name) page += text;
    }
    form.remove_prefix(end + 2);
  }
}

// Says what a page with many cells leaves out.
std::string left_out(std::span<const Source> sources) {
  if (shown_metrics(sources).size() == metrics::metrics().size()) return "";
  return fmt::format(
      "<p>With more than {} cells, the page has only the metrics of the tables. All others: <code>ngb show RESULTS "
      "--format csv</code>.</p>\n",
      kMostCellsWithEveryMetric);
}

}  // namespace

std::string html(std::span<const Source> sources, const std::string& made_by) {
  const Labels labels(sources);
  const std::string script = std::string(kText_charts_js) + kText_numbers_js + kText_choices_js + kText_page_js;
  const std::string policy =
      fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                  source_hash(script), source_hash(kText_page_css));
  return filled(kText_page_html, {{"policy", policy},
                                  {"style", kText_page_css},
                                  {"script", script},
                                  {"title", escaped(title_of(sources))},
                                  {"summary", summary(sources)},
                                  {"findings", findings(sources, labels)},
                                  {"tables", spanning_tables(sources)},
                                  {"cells", cell_tables(sources, labels)},
                                  {"left_out", left_out(sources)},
                                  {"environments", environments(sources, labels)},
                                  {"method", method(sources, labels)},
                                  {"made_by", escaped(made_by)},
                                  {"data", script_json(page_data(sources, labels))}});
}

}  // namespace ngb::report::page
