// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.html.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "choices.js.h"
#include "drawing.js.h"
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
#include "unpacking.js.h"
#include "use.js.h"
#include "vega.js.h"
#include "vega.licences.txt.h"
#include "why.css.h"
#include "words.js.h"

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

// The answer, the chart and what casts doubt on both. Results with profiles have no speed: they begin with why.
std::string beginning(const Content& content, const Figures& figures, const Labels& labels) {
  if (content.profiles != nullptr) return why(content, figures) + doubts(content, labels);
  return text::filled(kText_answer_html, {{"answer", answer(content)}}) + doubts(content, labels);
}

std::string parts(const Content& content, const Figures& figures, const Labels& labels) {
  const std::size_t cells = content.results->cells.size();
  std::string html;
  for (const Part& part :
       {findings(content), variants(content, figures, labels), figures_part(figures), spanning_tables(content),
        Part{"cells", "All cells", counted(cells, "cell"),
             "<p>The numbers of <code>ngb show</code>. A dash has its reason behind it.</p>\n" + left_out(content) +
                 cell_table(content, labels)},
        environments(content), method(content)}) {
    html += closed_section(part);
  }
  return html;
}

std::string script_of_report() {
  return std::string(kText_unpacking_js) + kText_numbers_js + kText_choices_js + kText_saving_js + kText_drawing_js +
         kText_page_js + kText_figures_js + kText_words_js + kText_use_js;
}

}  // namespace

std::string whole_page(const WholePage& page) {
  const bool has_figures = !page.only_script;
  const std::string script = page.only_script ? std::string(*page.only_script) : script_of_report();
  const std::string style = std::string(kText_page_css) + page.further_style;
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; script-src {} 'sha256-{}'; style-src {}; base-uri 'none'; form-action 'none'",
      source_hash(script), kHash_vega_js, source_hash(style));
  return text::filled(kText_page_html,
                      {{"policy", policy},
                       {"style", style},
                       {"script", script},
                       {"title", escaped(page.title)},
                       {"summary", page.summary},
                       {"first", page.first},
                       {"body", page.body},
                       {"licences", has_figures ? kText_vega_licences_txt : ""},
                       {"engine", has_figures ? kPacked_vega_js : ""},
                       {"made_by", escaped(page.made_by)},
                       {"data", script_json(page.data)},
                       {"specifications", has_figures ? packed(json_text::dump(page.specifications)) : ""}});
}

std::string html(const Content& content, const Figures& figures, const std::string& made_by) {
  const Labels labels(content);
  const bool has_profiles = content.profiles != nullptr;
  return whole_page({.title = content.study.empty() ? content.name : content.study,
                     .summary = summary(content),
                     .first = has_profiles ? "why" : "results",
                     .body = beginning(content, figures, labels) + parts(content, figures, labels),
                     .data = page_data(content, labels),
                     .specifications = specifications_of(figures),
                     .further_style = has_profiles ? kText_why_css : "",
                     .made_by = made_by});
}

}  // namespace ngb::report::page
