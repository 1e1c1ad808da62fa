// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "metrics/series/speed_words.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

// The rows of one setting on one device, counted by verdict.
struct Counts {
  std::vector<double> above{};  // the ratios that were told
  std::vector<double> below{};
  std::size_t same = 0;
  std::size_t undecided = 0;
  std::size_t unknown = 0;  // without a ratio

  [[nodiscard]] std::size_t all() const { return above.size() + below.size() + same + undecided + unknown; }
};

Counts counts_of(const std::vector<const Asked*>& asked, bool may_differ) {
  Counts counts;
  for (const Asked* each : asked) {
    if (!each->row.value.value)
      ++counts.unknown;
    else if (each->verdict == Verdict::same)
      ++counts.same;
    else if (each->verdict == Verdict::faster && may_differ)
      counts.above.push_back(*each->row.value.value);
    else if (each->verdict == Verdict::slower && may_differ)
      counts.below.push_back(*each->row.value.value);
    else
      ++counts.undecided;
  }
  return counts;
}

// Returns " (1.32 times)" or " (1.32 to 2.40 times)".
std::string range_of(const std::vector<double>& ratios) {
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  const std::string least = three_digits(*low);
  const std::string most = three_digits(*high);
  return least == most ? fmt::format(" ({} times)", least) : fmt::format(" ({} to {} times)", least, most);
}

std::string sentence_of(const Counts& counts, const store::CellData& cell, const std::string& role,
                        const KindWords& words) {
  const std::string subject = fmt::format("{} on {}", compiler_in_words(cell), name_of_place(cell));
  const std::size_t all = counts.all();
  if (counts.same == all) {
    return fmt::format("{} is {} on all {} {}.", subject, fmt::format(fmt::runtime(words.same), role), all, words.unit);
  }
  std::vector<std::string> clauses;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count == 0) return;
    clauses.push_back(clauses.empty() ? fmt::format("is {} on {} of {} {}", what, count, all, words.unit)
                                      : fmt::format("{} on {}", what, count));
  };
  if (!counts.above.empty()) {
    add(counts.above.size(), fmt::format(fmt::runtime(words.above), role));
    clauses.back() += range_of(counts.above);
  }
  if (!counts.below.empty()) {
    add(counts.below.size(), fmt::format(fmt::runtime(words.below), role));
    clauses.back() += range_of(counts.below);
  }
  add(counts.same, fmt::format(fmt::runtime(words.same), role));
  if (counts.undecided > 0) clauses.push_back(fmt::format("not told apart on {}", counts.undecided));
  if (counts.unknown > 0) clauses.push_back(fmt::format("without a ratio on {}", counts.unknown));
  return fmt::format("{} {}.", subject, text::join(clauses, "; "));
}

}  // namespace

bool judge_together(const Analysis& analysis, std::vector<Asked>& asked) {
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  for (const Asked& each : asked) {
    questions.push_back(each.relation.parts);
    contexts.push_back(context_of(analysis, each.cell));
  }
  const std::vector<Judgement> judgements = judge(questions, {}, contexts);
  double least = 1;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].verdict = judgements[i].verdict;
    asked[i].row.value = ratio_value(analysis, asked[i].relation);
    asked[i].row.adjusted_p = judgements[i].adjusted_p;
    least = std::min(least, judgements[i].adjusted_p.value_or(1));
  }
  const bool may_differ = least < kSentenceErrorRate / static_cast<double>(finding_kinds().size());
  for (Asked& each : asked) {
    const bool is_difference = each.verdict == Verdict::faster || each.verdict == Verdict::slower;
    each.row.outcome = name(is_difference && !may_differ ? Verdict::undecided : each.verdict);
    if (!each.row.value.value) each.row.outcome = "unknown";
  }
  return may_differ;
}

std::vector<Finding> findings_by_setting(const Analysis& analysis, const std::vector<Asked>& asked, const char* kind,
                                         const KindWords& words, bool may_differ) {
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<const Asked*>> settings;
  for (const Asked& each : asked) {
    const store::CellData& cell = analysis.cell(each.cell);
    const auto [place, is_new] = known.emplace(place_of(cell) + '\n' + analysis.settings().of(cell), settings.size());
    if (is_new) settings.emplace_back();
    settings[place->second].push_back(&each);
  }
  std::vector<Finding> findings;
  for (const auto& setting : settings) {
    const Counts counts = counts_of(setting, may_differ);
    const bool is_difference = !counts.above.empty() || !counts.below.empty();
    if (!is_difference && counts.same != counts.all()) continue;
    Finding finding{.kind = kind, .is_difference = is_difference};
    finding.sentence = sentence_of(counts, analysis.cell(setting.front()->cell), analysis.baseline().role(), words);
    for (const Asked* each : setting) finding.rows.push_back(each->row);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace ngb::metrics::series
