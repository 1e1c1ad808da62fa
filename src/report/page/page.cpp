// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "charts.js.h"
#include "choices.js.h"
#include "figures.js.h"
#include "numbers.js.h"
#include "page.css.h"
#include "page.html.h"
#include "page.js.h"
#include "report/page/html.h"
#include "report/page/labels.h"
#include "report/page/page_data.h"
#include "report/page/page_parts.h"
#include "saving.js.h"
#include "why.css.h"

namespace ngb::report::page {
namespace {

// Returns the bytes that the hexadecimal digits name.
std::string bytes_of_hex(const std::string& hex) {
  constexpr int kBase = 16;
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, kBase));
  }
  return bytes;
}

// Names a script or a style by its hash, so that the page's policy admits no other.
std::string source_hash(std::string_view text) { return "'sha256-" + base64(bytes_of_hex(hash::sha256(text))) + "'"; }

// Says what a page with many cells leaves out.
std::string left_out(const Content& content) {
  if (shown_metrics(content).size() == metrics::metrics().size()) return "";
  return fmt::format(
      "<p>With more than {} cells, the page has only the metrics of the tables. All others: <code>ngb show RESULTS "
      "--format csv</code>.</p>\n",
      kMostCellsWithEveryMetric);
}

}  // namespace

std::string html(const Content& content, const Figures& figures, const std::string& made_by) {
  const Labels labels(content);
  const std::string script = std::string(kText_charts_js) + kText_numbers_js + kText_choices_js + kText_saving_js +
                             kText_page_js + kText_figures_js;
  // Pages of other results do not change with the pictures of profiles.
  const std::string style = std::string(kText_page_css) + (content.profiles == nullptr ? "" : kText_why_css);
  const std::string policy =
      fmt::format("default-src 'none'; img-src data:; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                  source_hash(script), source_hash(style));
  return text::filled(kText_page_html, {{"policy", policy},
                                        {"style", style},
                                        {"script", script},
                                        {"title", escaped(content.study.empty() ? content.name : content.study)},
                                        {"summary", summary(content)},
                                        {"answer", answer(content)},
                                        {"doubts", doubts(content, labels)},
                                        {"findings", findings(content)},
                                        {"variants", variants(content, labels)},
                                        {"why", why(content)},
                                        {"why_link", content.profiles == nullptr ? "" : "<a href=\"#why\">Why</a> "},
                                        {"figures", figures_html(figures)},
                                        {"tables", spanning_tables(content)},
                                        {"cells", cell_table(content, labels)},
                                        {"left_out", left_out(content)},
                                        {"environments", environments(content)},
                                        {"method", method(content)},
                                        {"checklist", checklist(content, labels)},
                                        {"made_by", escaped(made_by)},
                                        {"data", script_json(page_data(content, figures, labels))}});
}

}  // namespace ngb::report::page
