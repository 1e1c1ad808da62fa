// SPDX-License-Identifier: Apache-2.0
// Writes the summary, then a table with a row for each pair, then remarks.
#include <fmt/format.h>

#include "base/text.h"
#include "report/compare_formats.h"
#include "report/numbers.h"
#include "report/outcomes.h"
#include "report/table.h"
#include "report/text_width.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;

Style style_of(Outcome outcome) {
  if (is_bad(outcome)) return Style::bad;
  if (outcome == Outcome::faster || outcome == Outcome::measured_now) return Style::good;
  return outcome == Outcome::undecided ? Style::notice : Style::plain;
}

TableRow row_of(const Compared& compared, const ComparedPair& pair) {
  const Outcome outcome = outcome_of(pair);
  const std::string word(word_of(outcome));
  TableRow row;
  row.cells.push_back({name_of(pair), "", Style::plain});
  row.cells.push_back({word, "", style_of(outcome)});
  if (pair.status != metrics::PairStatus::judged) {
    row.rest = TableCell{fmt::format("{}  {}", word, why(compared, pair)), "", style_of(outcome)};
    return row;
  }
  RatioText ratio = ratio_of(pair);
  row.cells.push_back({std::move(ratio.value), std::move(ratio.interval), Style::plain});
  row.cells.push_back({number(*pair.baseline_per_s, "samples/s"), "", Style::plain});
  row.cells.push_back({number(*pair.candidate_per_s, "samples/s"), "", Style::plain});
  row.cells.push_back({why(compared, pair), "", Style::plain});
  return row;
}

// Returns a line for each pair whose reason the table has no room for, worst first.
std::string reasons_without_room(const Compared& compared, const std::vector<const ComparedPair*>& pairs,
                                 bool has_column, int width) {
  constexpr std::size_t kMostReasons = 10;
  constexpr int kOtherColumns = 20;
  std::vector<std::string> lines;
  for (const ComparedPair* pair : pairs) {
    const std::string name = text::visible(name_of(*pair));
    const std::string reason = text::visible(why(compared, *pair));
    const bool has_room = pair->status == metrics::PairStatus::judged
                              ? has_column
                              : width <= 0 || width_of(name) + width_of(reason) + kOtherColumns <= width;
    if (!reason.empty() && !has_room) lines.push_back(fmt::format("  {}: {}\n", name, reason));
  }
  const std::size_t shown = std::min(kMostReasons, lines.size());
  std::string text = shown > 0 ? "\n" : "";
  for (std::size_t i = 0; i < shown; ++i) text += lines[i];
  if (shown < lines.size()) text += fmt::format("  … and {} more reasons: --json has them\n", lines.size() - shown);
  return text;
}

}  // namespace

std::string compare_text(const Compared& compared, const CompareOptions& options) {
  Table table;
  table.columns = {{"cell", true, 0},      {"verdict", true, 0},    {"ratio [95 %]", false, 0},
                   {"baseline", false, 2}, {"candidate", false, 2}, {"why", true, 1}};
  TableSection section{.title = fmt::format("candidate over baseline, compared by {}", name(compared.axis))};
  const Listing listed = listing(*compared.comparison, options.all);
  for (const ComparedPair* pair : listed.pairs) section.rows.push_back(row_of(compared, *pair));
  table.sections.push_back(std::move(section));
  const Rendering rendered = render(table, options.width, options.color);
  std::string text;  // below the table
  if (!listed.folded.empty()) {
    text += fmt::format("  … and {} pairs that are the same: --all shows them\n", listed.folded.size());
  }
  const bool has_reasons =
      std::find(rendered.left_out.begin(), rendered.left_out.end(), "why") == rendered.left_out.end();
  text += reasons_without_room(compared, listed.pairs, has_reasons, options.width);
  if (!rendered.left_out.empty()) {
    text += fmt::format("\n  Too wide for {} characters: {}; --json has everything\n", options.width,
                        text::join(rendered.left_out, ", "));
  }
  text += '\n';
  for (const std::string& remark : remarks(compared)) text += fmt::format("  {}\n", text::visible(remark));
  return wrapped(compare_summary(*compared.comparison) + "\n\n", options.wrap) + rendered.text +
         wrapped(text, options.wrap);
}

}  // namespace ngb::report
