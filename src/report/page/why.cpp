// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.h"
#include "report/explain/pictures.h"
#include "report/page/html.h"
#include "report/write/numbers.h"

namespace ngb::report::page {
namespace {

using explain::RegionDifference;

constexpr double kWidth = 900;     // of a picture, in its own units
constexpr double kRowHeight = 22;  // of a bar with its gap
constexpr double kBarHeight = 16;
constexpr double kLabelWidth = 320;  // left of a bar

std::string shown_ms(double ns) {
  const double value = ns / 1e6;
  return fmt::format("{:.{}f} ms", value, decimals_of(value));
}

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

// From the baseline's time to the candidate's: each bar is what a region adds or takes away.
std::string waterfall(const ExplainedPair& pair) {
  const explain::Explanation& found = *pair.explanation;
  const std::vector<WaterfallStep> steps = waterfall_of(found);
  double low = 0;
  double high = 0;
  for (const WaterfallStep& step : steps) {
    low = std::min(low, step.to_ns);
    high = std::max(high, step.to_ns);
  }
  const double scale = (kWidth - kLabelWidth - 100) / std::max(high - low, 1e-9);
  const auto place = [&](double ns) { return kLabelWidth + (ns - low) * scale; };
  std::string marks;
  double y = 4;
  for (const WaterfallStep& step : steps) {
    const double from = place(std::min(step.from_ns, step.to_ns));
    const double width = std::fabs(step.ns()) * scale;
    const std::string value = (step.ns() > 0 ? "+" : "") + shown_ms(step.ns());
    marks += mark(fmt::format("{}: {}", step.label, value),
                  words_at(kLabelWidth - 8, y + 13, "end", step.label, 46) +
                      rectangle(from, y, width, kBarHeight, step.ns() > 0 ? "more" : "less") +
                      words_at(from + width + 5, y + 13, "start", value, 30));
    y += kRowHeight;
  }
  return picture(fmt::format("From {} ({}) to {} ({}), region by region", pair.names.baseline,
                             shown_ms(found.baseline.plain), pair.names.candidate, shown_ms(found.candidate.plain)),
                 y + 4, marks);
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
      fmt::format("{}: {} and {}", path.empty() ? "the model" : path, shown_ms(module.baseline_ns),
                  shown_ms(module.candidate_ns)),
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

// A stacked bar for each cell: its kinds of operators, as long as their time. The same kind has the same colour.
std::string stacked_bars(std::span<const ProfiledCell> cells) {
  std::vector<std::vector<OperatorTime>> times;
  double longest = 0;
  for (const ProfiledCell& cell : cells) {
    times.push_back(times_by_operator(*cell.profile));
    longest = std::max(longest, cell.profile->profiled_ns);
  }
  const std::vector<std::string> types = operators_by_time(times);
  std::string marks;
  double y = 4;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const ProfiledCell& cell = cells[row];
    const std::string name =
        fmt::format("{}, batch {}, {}", cell.cell->of.model.label, cell.cell->of.model.key.batch, cell.compiler);
    marks += words_at(kLabelWidth - 8, y + 13, "end", name, 46);
    double x = kLabelWidth;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const auto found = std::find_if(times[row].begin(), times[row].end(),
                                      [&](const OperatorTime& each) { return each.type == types[i]; });
      if (found == times[row].end()) continue;
      const double width = found->ns * (kWidth - kLabelWidth) / std::max(longest, 1e-9);
      const std::string look = fmt::format("kind{}", std::min<std::size_t>(i, 9));
      const auto letters = static_cast<std::size_t>(width / 8);
      marks += mark(fmt::format("{}: {} {}", name, found->type, shown_ms(found->ns)),
                    rectangle(x, y, width - 1, kBarHeight, look.c_str()) +
                        (letters < 4 ? "" : words_at(x + 3, y + 13, "start", found->type, letters)));
      x += width;
    }
    y += kRowHeight;
  }
  return picture("Time of one inference by kind of operator", y + 4, marks);
}

// The document's columns for people as texts.
std::string table_of(const Document& document, const Section& section) {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  for (const Column& column : document.table.columns) {
    if (column.is_for_people) columns.push_back(column.heading);
  }
  for (const Row& row : section.rows) {
    if (row.is_folded) continue;
    std::vector<std::string>& fields = rows.emplace_back();
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      if (!document.table.columns[i].is_for_people) continue;
      const Shown shown = shown_entry(row.entries[i], document.table.columns[i]);
      fields.push_back(shown.main + shown.tail);
    }
  }
  return html_table(section.title, columns, rows);
}

std::string list_of(const std::vector<std::string>& sentences) {
  std::string html = "<ul>\n";
  for (const std::string& each : sentences) html += fmt::format("<li>{}</li>\n", escaped(each));
  return html + "</ul>\n";
}

std::string of_pair(const ExplainedPair& pair) {
  std::string html = fmt::format("<h3>{}</h3>\n<p>{}.</p>\n", escaped(pair.label), escaped(sentence_of(pair)));
  if (!pair.explanation) return html;
  const Document document = explain_document({&pair, 1}, false);
  html += waterfall(pair) + flames(pair) + "<details><summary>The regions as a table</summary>" +
          table_of(document, document.table.sections.front()) + "</details>\n" + list_of(document.remarks);
  return html;
}

}  // namespace

std::string why(std::span<const ExplainedPair> pairs, std::span<const ProfiledCell> cells, const Claims& claims) {
  if (pairs.empty() && cells.empty()) return {};
  std::string html =
      "\n<section id=\"why\" aria-labelledby=\"why-heading\"><h2 id=\"why-heading\">Why</h2>\n"
      "<p>Where the time of an inference goes, by profiles of its kernels: <code>ngb explain</code> says how to read "
      "it.</p>\n";
  if (!cells.empty()) html += stacked_bars(cells);
  for (const ExplainedPair& pair : pairs) html += of_pair(pair);
  const Document fusions = fusions_document(cells);
  if (!cells.empty()) html += table_of(fusions, fusions.table.sections.front()) + list_of(fusions.remarks);
  const Document depths = depth_document(cells, claims);
  if (!depths.table.sections.front().rows.empty()) {
    html += table_of(depths, depths.table.sections.front()) + list_of(depths.remarks);
  }
  return html + "</section>";
}

std::string why(const Content& content) {
  if (content.profiles == nullptr) return {};
  return why(content.profiles->pairs, profiled_cells(*content.profiles), content.claims);
}

}  // namespace ngb::report::page
