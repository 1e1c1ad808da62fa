// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "metrics/series/claim_test.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

// Returns the cells of whole networks, or all if there are none.
Setting networks_of(const Analysis& analysis, const Setting& setting) {
  Setting networks;
  std::copy_if(setting.begin(), setting.end(), std::back_inserter(networks),
               [&](std::size_t i) { return !is_of_blocks(analysis.cell(i)); });
  return networks.empty() ? setting : networks;
}

std::vector<Setting> settings_of(const Analysis& analysis) {
  std::map<std::string, std::size_t> known;
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (!analysis.baseline_of(i) || *analysis.baseline_of(i) == i) continue;
    const CellData& cell = analysis.cell(i);
    const auto [place, is_new] = known.emplace(place_of(cell) + '\n' + analysis.settings().of(cell), settings.size());
    if (is_new) settings.emplace_back();
    settings[place->second].push_back(i);
  }
  return settings;
}

// A difference from 1 that is smaller than the margin supports no claim: a processor that is 0.3 % less busy is not
// relieved.
bool is_within(const statistics::Interval& interval, double margin_ratio) {
  const double margin = std::log1p(margin_ratio);
  return interval.low > -margin && interval.high < margin;
}

// A row whose status waits for the judgements from `first` on.
struct Waiting {
  std::size_t row = 0;
  std::size_t first = 0;
  std::vector<double> bounds{};  // of each ratio
  bool has_premise = false;
  bool may_be_reached = false;  // the bound, by another workload than that of the largest value
};

// Returns the quantity; the largest of several with an interval that holds the truly largest: the highest ends of their
// simultaneous intervals (Bonferroni).
Value value_of(const Analysis& analysis, const ClaimTest& test) {
  Value value = ratio_value(analysis, test.quantity);
  if (test.largest_of.empty()) return value;
  value.low = value.high = 0;
  for (const Relation& each : test.largest_of) {
    const Value of = ratio_value(analysis, each, test.largest_of.size());
    value.low = of.low && value.low ? std::optional(std::max(*of.low, *value.low)) : std::nullopt;
    value.high = of.high && value.high ? std::optional(std::max(*of.high, *value.high)) : std::nullopt;
  }
  return value;
}

// Returns the reason of the test or of a ratio that cannot be formed; "" if there is none.
std::string why_not_tested(const ClaimTest& test) {
  if (!test.reason.empty()) return test.reason;
  const auto lacking = std::find_if(test.ratios.begin(), test.ratios.end(),
                                    [](const Bounded& each) { return !each.ratio.reason.empty(); });
  return lacking == test.ratios.end() ? "" : lacking->ratio.reason;
}

// Returns why the ratio is undecided. Its judgement speaks of 1, which is the claim's bound or stands for it.
std::string why_undecided_claim(const Judgement& judgement, double bound) {
  return bound == 1 || !judgement.adjusted_p ? judgement.reason : fmt::format("not told apart from {:g}", bound);
}

void decide_row(ClaimRow& row, const Waiting& waiting, std::span<const Judgement> judgements,
                const VerdictRules& rules) {
  row.status = status_of(judgements.front(), rules);
  row.adjusted_p = judgements.front().adjusted_p;
  if (row.status == ClaimStatus::undecided)
    row.value.reason = why_undecided_claim(judgements.front(), waiting.bounds[0]);
  if (row.status == ClaimStatus::does_not && waiting.may_be_reached) {
    row.status = ClaimStatus::undecided;
    row.value.reason = "another workload may reach it";
  }
  for (std::size_t i = 1; i < waiting.bounds.size(); ++i) {
    const Judgement& each = judgements[i];
    const ClaimStatus status = status_of(each, rules);
    if (status == ClaimStatus::holds) continue;
    if (!waiting.has_premise && status == ClaimStatus::does_not) {
      if (row.status == ClaimStatus::does_not) continue;  // the first that does not hold says why
      row.status = status;
      row.adjusted_p = each.adjusted_p;
    } else if (waiting.has_premise || row.status == ClaimStatus::holds) {
      row.status = ClaimStatus::undecided;
      row.value.reason =
          waiting.has_premise ? "what the claim presupposes is not told" : why_undecided_claim(each, waiting.bounds[i]);
    }
  }
}

}  // namespace

std::string_view name(ClaimStatus status) {
  constexpr std::array<std::string_view, 4> kNames{"holds", "does_not", "undecided", "not_measured"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view words(ClaimStatus status) {
  constexpr std::array<std::string_view, 4> kWords{"holds here", "does not hold here", "undecided", "not measured"};
  return kWords.at(static_cast<std::size_t>(status));
}

ClaimStatus status_of(const Judgement& judgement, const VerdictRules& rules) {
  const auto& interval = judgement.contrast.interval;
  if (judgement.verdict == Verdict::slower && interval && is_within(*interval, rules.margin_ratio)) {
    return ClaimStatus::does_not;
  }
  switch (judgement.verdict) {
    case Verdict::slower:
      return ClaimStatus::holds;
    case Verdict::faster:
    case Verdict::same:
      return ClaimStatus::does_not;
    case Verdict::undecided:
      break;
  }
  return ClaimStatus::undecided;
}

std::vector<ClaimRow> test_claims(const Analysis& analysis, std::span<const Claim> claims) {
  const std::vector<Setting> settings = settings_of(analysis);
  std::vector<ClaimRow> rows;
  std::vector<Waiting> waiting;
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  const VerdictRules rules;
  for (const Claim& claim : claims) {
    const char* const compiler = claim.compiler;
    std::string reason = compiler == nullptr ? "no compiler was measured beside a baseline"
                                             : fmt::format("{} was not measured beside a baseline", compiler);
    const std::size_t before = rows.size();
    for (const Setting& setting : settings) {
      const CellData& cell = analysis.cell(setting.front());
      if (compiler != nullptr && cell.of.compiler.name != compiler) continue;
      const Setting tested = claim.is_of_blocks ? setting : networks_of(analysis, setting);
      ClaimTest test = claim.test(analysis, tested);
      if (std::string why = why_not_tested(test); !why.empty()) {
        reason = std::move(why);
        continue;
      }
      ClaimRow row{.claim = &claim, .device = name_of_place(cell), .compiler = compiler_of(cell)};
      row.value = value_of(analysis, test);
      Waiting& waits = waiting.emplace_back(Waiting{.row = rows.size(), .first = questions.size()});
      waits.has_premise = test.has_premise;
      waits.may_be_reached = !test.largest_of.empty() && (!row.value.high || *row.value.high >= test.ratios[0].bound);
      for (const std::size_t i : test.cells) row.cell_ids.push_back(analysis.cell(i).cell_id);
      for (Bounded& each : test.ratios) {
        waits.bounds.push_back(each.bound);
        contexts.push_back({.weight = std::max<double>(1, static_cast<double>(test.largest_of.size())),
                            .sides = context_of(analysis, setting.front()).sides});
        questions.push_back(std::move(each.ratio.parts));
      }
      rows.push_back(std::move(row));
    }
    if (rows.size() == before) rows.push_back({.claim = &claim, .value = {.reason = reason}});
  }
  const std::vector<Judgement> judgements = judge(questions, rules, contexts);
  for (const Waiting& each : waiting) {
    decide_row(rows[each.row], each, std::span(judgements).subspan(each.first, each.bounds.size()), rules);
  }
  return rows;
}

}  // namespace ngb::metrics::series
