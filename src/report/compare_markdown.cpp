// SPDX-License-Identifier: Apache-2.0
// Writes the summary, then a table in GitHub's Markdown with a row for each pair, then remarks.
#include "report/compare_markdown.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/compare_formats.h"
#include "report/markdown_text.h"
#include "report/numbers.h"
#include "report/outcomes.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;

// Cuts between two characters, never within one.
std::string bounded(const std::string& text, std::size_t most_characters) {
  if (most_characters == 0 || text.size() <= most_characters) return text;
  const std::string valid = text::to_utf8(text);
  std::size_t end = std::min(most_characters, valid.size());
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xC0U) == 0x80U) --end;
  return valid.substr(0, end) + "…";
}

std::string speed_field(const std::optional<double>& speed_per_s) {
  return speed_per_s ? number(*speed_per_s, "samples/s") : "–";
}

}  // namespace

std::string pairs_header() {
  return markdown_line({"cell", "verdict", "ratio [95 %]", "baseline", "candidate", "why"}) +
         markdown_line({"---", "---", "---:", "---:", "---:", "---"});
}

std::string pair_line(const Compared& compared, const ComparedPair& pair, std::size_t most_characters) {
  const Outcome outcome = outcome_of(pair);
  const RatioText ratio = ratio_of(pair);
  const std::string word(word_of(outcome));
  return markdown_line(
      {markdown_text(bounded(name_of(pair), most_characters)), is_bad(outcome) ? fmt::format("**{}**", word) : word,
       ratio.value.empty() ? "–" : ratio.value + ratio.interval, speed_field(pair.baseline_per_s),
       speed_field(pair.candidate_per_s), markdown_text(bounded(why(compared, pair), most_characters))});
}

std::string remark_lines(const Compared& compared, std::size_t most_characters) {
  std::string text;
  for (const std::string& remark : remarks(compared)) {
    const std::string line = '\n' + markdown_text(remark) + '\n';
    if (most_characters == 0 || text.size() + line.size() <= most_characters) text += line;
  }
  return text;
}

std::string compare_markdown(const Compared& compared, const CompareOptions& options) {
  std::string text = compare_summary(*compared.comparison) + "\n\n" + pairs_header();
  const Listing listed = listing(*compared.comparison, options.all);
  for (const ComparedPair* pair : listed.pairs) text += pair_line(compared, *pair, 0);
  if (!listed.folded.empty()) {
    text += fmt::format("\n… and {} pairs that are the same: `--all` shows them\n", listed.folded.size());
  }
  return text + remark_lines(compared, 0);
}

}  // namespace ngb::report
