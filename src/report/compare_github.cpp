// SPDX-License-Identifier: Apache-2.0
// Writes a comparison for GitHub: Markdown on stdout that fits into a comment (65,536 characters) and so into a job
// summary (1 MiB), and at most ten annotations on stderr, as many as GitHub shows of a step.
#include <fmt/format.h>

#include <array>
#include <map>

#include "base/text.h"
#include "report/compare_formats.h"
#include "report/compare_markdown.h"
#include "report/outcomes.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;

constexpr std::size_t kMostCharacters = 65'536;
constexpr std::size_t kMostAnnotations = 10;
constexpr std::size_t kMostOfAField = 300;

// Returns "… and 214 more pairs: 14 undecided, 200 same".
std::string folded_line(const std::vector<const ComparedPair*>& folded) {
  std::map<Outcome, std::size_t> counts;
  for (const ComparedPair* pair : folded) ++counts[outcome_of(*pair)];
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts) parts.push_back(fmt::format("{} {}", count, word_of(outcome)));
  return fmt::format("\n… and {} more pair{}: {}. `ngb compare --all` shows them.\n", folded.size(),
                     folded.size() == 1 ? "" : "s", text::join(parts, ", "));
}

// Returns the data of a workflow command: line breaks would end the command.
std::string command_text(const std::string& given) {
  std::string escaped;
  for (const char character : text::visible(given)) {
    switch (character) {
      case '%':
        escaped += "%25";
        break;
      case '\r':
        escaped += "%0D";
        break;
      case '\n':
        escaped += "%0A";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string annotation(bool is_error, const std::string& words) {
  return fmt::format("::{} title={}::{}\n", is_error ? "error" : "warning", is_error ? "ngb gate" : "ngb compare",
                     command_text(words));
}

std::string words_on(const Compared& compared, const ComparedPair& pair) {
  const RatioText ratio = ratio_of(pair);
  std::string words = fmt::format("{}: {}", name_of(pair), word_of(outcome_of(pair)));
  if (!ratio.value.empty()) words += fmt::format(", {}{}", ratio.value, ratio.interval);
  const std::string reason = why(compared, pair);
  return reason.empty() ? words : fmt::format("{} ({})", words, reason);
}

}  // namespace

std::string compare_github(const Compared& compared, const CompareOptions& options) {
  constexpr std::size_t kReserve = 500;  // for the line that says what is folded
  const std::string end = remark_lines(compared, kMostCharacters / 4);
  std::string text = compare_summary(*compared.comparison) + "\n\n" + pairs_header();
  Listing listed = listing(*compared.comparison, options.all);
  bool is_full = false;
  for (const ComparedPair* pair : listed.pairs) {
    const std::string line = is_full ? std::string() : pair_line(compared, *pair, kMostOfAField);
    is_full = is_full || text.size() + line.size() + end.size() + kReserve > kMostCharacters;
    if (is_full) {
      listed.folded.push_back(pair);
    } else {
      text += line;
    }
  }
  if (!listed.folded.empty()) text += folded_line(listed.folded);
  return text + end;
}

std::string annotate_github(const Compared& compared) {
  std::vector<std::string> words;
  const bool is_gate = compared.gate.has_value();
  for (const ComparedPair* pair : worst_first(*compared.comparison)) {
    const bool is_told = is_gate ? is_regression(*pair, compared.gate->rules) : is_bad(outcome_of(*pair));
    if (is_told) words.push_back(words_on(compared, *pair));
  }
  if (is_gate && compared.gate->outcome == metrics::GateOutcome::undecided) words.push_back(remarks(compared).front());
  std::string text;
  const std::size_t shown = words.size() > kMostAnnotations ? kMostAnnotations - 1 : words.size();
  for (std::size_t i = 0; i < shown; ++i) text += annotation(is_gate, words[i]);
  if (shown < words.size()) {
    text += annotation(is_gate, fmt::format("… and {} more: the summary lists them", words.size() - shown));
  }
  return text;
}

}  // namespace ngb::report
