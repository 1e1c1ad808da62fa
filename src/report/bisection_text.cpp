// SPDX-License-Identifier: Apache-2.0
// Writes the summary, then a table with a row for each version that was tried, then remarks.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "report/bisection_formats.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/text_width.h"

namespace ngb::report {
namespace {

Style style_of_finding(Finding finding) {
  if (finding == Finding::bad) return Style::bad;
  return finding == Finding::good ? Style::good : Style::notice;
}

TableCell ratio_cell(const TriedVersion& tried) {
  if (!tried.speeds) return {};
  const double ratio = std::exp(tried.speeds->estimate);
  TableCell cell{number(ratio, "ratio"), "", Style::plain};
  if (tried.speeds->interval) {
    cell.tail = fmt::format(" [{}, {}]", number_beside(std::exp(tried.speeds->interval->low), ratio, "ratio"),
                            number_beside(std::exp(tried.speeds->interval->high), ratio, "ratio"));
  }
  return cell;
}

TableRow row_of_version(const Bisected& bisected, const TriedVersion& tried) {
  const std::string word(word_of(tried.finding, bisected.fault));
  TableRow row;
  row.cells.push_back({tried.version, "", Style::plain});
  row.cells.push_back({word, "", style_of_finding(tried.finding)});
  if (tried.results.empty()) {
    row.rest = TableCell{word, "", style_of_finding(tried.finding)};
    return row;
  }
  row.cells.push_back(ratio_cell(tried));
  row.cells.push_back({fmt::format("{}", tried.processes), "", Style::plain});
  row.cells.push_back({tried.cell, "", Style::plain});
  row.cells.push_back({tried.why, "", Style::plain});
  row.cells.push_back({std::filesystem::path(tried.results).filename().string(), "", Style::plain});
  return row;
}

std::vector<std::string> remarks_of(const Bisected& bisected) {
  std::vector<std::string> found;
  const auto named = [&](const std::vector<std::size_t>& indices) {
    std::vector<std::string> names;
    for (const std::size_t i : indices) names.push_back(bisected.versions[i]);
    return text::join(names, ", ");
  };
  for (const TriedVersion& tried : bisected.tried) {
    if (tried.finding != Finding::unusable) continue;
    found.push_back(fmt::format("{} was stepped over: {}", tried.version, tried.why));
  }
  if (bisected.end && !bisected.end->unusable.empty()) {
    found.push_back(fmt::format("The change may be in what was stepped over just before {} already: {}",
                                bisected.versions[bisected.end->first_bad], named(bisected.end->unusable)));
  }
  if (bisected.end && !bisected.end->undecided.empty()) {
    found.push_back(fmt::format("Undecided: {}; more rounds (`processes` in the study) may decide",
                                named(bisected.end->undecided)));
  }
  for (const TriedVersion& tried : bisected.tried) {
    const bool is_answer = bisected.end && tried.version == bisected.versions[bisected.end->first_bad];
    // The table of a narrow terminal has no room for the cell.
    if (!is_answer || tried.cell.empty() || bisected.cells < 2) continue;
    found.push_back(fmt::format("The cell that decided for {}: {}", tried.version, tried.cell));
  }
  if (bisected.end && bisected.cells_that_count < bisected.cells) {
    found.push_back(fmt::format("Counted: {} of {} cells, those in which {} {}{}", bisected.cells_that_count,
                                bisected.cells, bisected.versions.back(),
                                bisected.fault == metrics::Fault::fails ? "" : "is ",
                                word_of(Finding::bad, bisected.fault)));
  }
  const std::size_t untried = bisected.versions.size() - 1 - bisected.tried.size();
  if (untried > 0) {
    found.push_back(fmt::format("Not tried: {} of {} versions", untried, bisected.versions.size() - 1));
  }
  found.push_back(fmt::format("Each version was measured in the same rounds as {}, and judged by the rule of ngb gate",
                              bisected.versions.front()));
  found.push_back("Results: " + bisected.folder);
  return found;
}

}  // namespace

std::string bisection_text(const Bisected& bisected, const BisectionOptions& options) {
  Table table;
  table.columns = {{"version", true, 0}, {"verdict", true, 0}, {"ratio [95 %]", false, 0}, {"processes", false, 4},
                   {"cell", true, 2},    {"why", true, 1},     {"results", true, 3}};
  TableSection section{.title = fmt::format("{} over {}", bisected.compiler, bisected.versions.front())};
  for (const TriedVersion& tried : bisected.tried) section.rows.push_back(row_of_version(bisected, tried));
  table.sections.push_back(std::move(section));
  const Rendering rendered = render(table, options.width, options.color);
  std::string text;  // below the table
  if (!rendered.left_out.empty()) {
    text += fmt::format("\n  Too wide for {} characters: {}; --json has everything\n", options.width,
                        text::join(rendered.left_out, ", "));
  }
  text += '\n';
  for (const std::string& remark : remarks_of(bisected)) text += fmt::format("  {}\n", text::visible(remark));
  const std::string summary = text::visible(bisection_summary(bisected)) + "\n\n";
  return wrapped(summary, options.wrap) + rendered.text + wrapped(text, options.wrap);
}

}  // namespace ngb::report
