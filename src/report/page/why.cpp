// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.h"
#include "report/page/html.h"
#include "report/write/numbers.h"

namespace ngb::report::page {
namespace {

using explain::RegionDifference;

constexpr double kWidth = 900;     // of a picture, in its own units
constexpr double kRowHeight = 22;  // of a bar with its gap

// A part of a picture that the keyboard reaches and a screen reader reads.
std::string mark(const std::string& words, const std::string& shape) {
  return fmt::format("<g tabindex=\"0\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>{1}</g>\n", escaped(words),
                     shape);
}

std::string rectangle(double x, double y, double width, double height, const char* look) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x, y,
                     std::max(width, 0.5), height, look);
}

std::string words_at(double x, double y, const char* anchor, const std::string& words, std::size_t most) {
  const std::string shown = words.size() > most ? words.substr(0, most) + "…" : words;
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escaped(text::to_utf8(shown)));
}

std::string picture(const std::string& label, double height, const std::string& marks) {
  return fmt::format(
      "<figure class=\"kernels\"><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2:.0f}\" role=\"group\" "
      "aria-label=\"{0}\">\n{3}</svg></figure>\n",
      escaped(label), kWidth, height, marks);
}

// A module of the model with what is in it.
struct Module {
  double baseline_ns = 0;
  double candidate_ns = 0;
  std::map<std::string, Module> parts{};
};

void add_flames(const std::string& path, const Module& module, double x, double width, std::size_t depth,
                std::string& marks, std::size_t& deepest) {
  constexpr double kNarrowest = 1.5;
  constexpr std::size_t kMostLevels = 8;
  if (width < kNarrowest || depth > kMostLevels) return;
  deepest = std::max(deepest, depth);
  const double difference = module.candidate_ns - module.baseline_ns;
  const double whole = std::max(module.candidate_ns, module.baseline_ns);
  const double share = whole <= 0 ? 0 : difference / whole;
  const char* const look = share > 0.3     ? "more strong"
                           : share > 0.03  ? "more"
                           : share < -0.3  ? "less strong"
                           : share < -0.03 ? "less"
                                           : "same";
  const double y = static_cast<double>(depth) * kRowHeight;
  const auto letters = static_cast<std::size_t>(width / 8);
  marks += mark(
      fmt::format("{}: {} and {}", path.empty() ? "the model" : path, milliseconds(module.baseline_ns),
                  milliseconds(module.candidate_ns)),
      rectangle(x, y, width - 1, kRowHeight - 2, look) +
          (letters < 4 ? "" : words_at(x + 3, y + 14, "start", path.substr(path.find_last_of("./") + 1), letters)));
  for (const auto& [name, part] : module.parts) {
    const double own = width * std::max(part.candidate_ns, part.baseline_ns) / std::max(whole, 1e-9);
    add_flames(path.empty() ? name : fmt::format("{}.{}", path, name), part, x, own, depth + 1, marks, deepest);
    x += own;
  }
}

// The hierarchy of the model's modules, as the names of nodes have it. A region is in the module of its first node.
std::string flames(const ExplainedPair& pair) {
  Module model;
  for (const RegionDifference& region : pair.explanation->regions) {
    std::string path = region.nodes.front();
    std::replace(path.begin(), path.end(), '/', '.');
    Module* module = &model;
    const auto add = [&](Module& to) {
      to.baseline_ns += region.baseline_ns;
      to.candidate_ns += region.candidate_ns;
    };
    add(*module);
    for (const std::string& part : text::split(path, '.')) {
      if (part.empty()) continue;
      module = &module->parts[part];
      add(*module);
    }
  }
  std::string marks;
  std::size_t deepest = 0;
  add_flames("", model, 0, kWidth, 0, marks, deepest);
  return picture(
      "Modules of the model, as wide as the slower side's time; coloured where the candidate takes more or less",
      static_cast<double>(deepest + 1) * kRowHeight, marks);
}

std::string details_of(const ExplainedPair& pair) {
  const Document document = explain_document({&pair, 1}, false);
  const Section& regions = document.table.sections.front();
  return fmt::format("<details><summary>{}: {}, the model's modules</summary>{}{}{}</details>\n", escaped(pair.label),
                     counted(regions.rows.size(), "region"), flames(pair), document_table(document, regions),
                     "<ul>\n" + html_items(document.remarks) + "</ul>\n");
}

std::string table_with_remarks(const Document& document) {
  const Section& section = document.table.sections.front();
  if (section.rows.empty()) return {};
  return fmt::format("<details><summary>{}: {}</summary>{}{}</details>\n", escaped(section.title),
                     counted(section.rows.size(), "row"), document_table(document, section),
                     "<ul>\n" + html_items(document.remarks) + "</ul>\n");
}

}  // namespace

std::string why(const Content& content, const Figures& figures) {
  const Profiles& profiles = *content.profiles;
  const std::vector<ProfiledCell> cells = profiled_cells(profiles);
  std::string html = "<section id=\"why\" aria-labelledby=\"why-heading\"><h2 id=\"why-heading\">Why</h2>\n";
  for (const ExplainedPair& pair : profiles.pairs) {
    html += fmt::format("<p><b>{}</b>: {}.</p>\n", escaped(pair.label), prose(sentence_of(pair)));
  }
  html += figure_called(figures, kFigureOfRegions);
  for (const ExplainedPair& pair : profiles.pairs) {
    if (pair.explanation) html += details_of(pair);
  }
  html += figure_called(figures, kFigureOfOperators);
  if (!cells.empty())
    html += table_with_remarks(fusions_document(cells)) + table_with_remarks(depth_document(cells, content.claims));
  return html + "</section>\n";
}

}  // namespace ngb::report::page
