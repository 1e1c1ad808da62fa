// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/domination.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "metrics/series/cell_groups.h"
#include "metrics/series/speed_words.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;
using store::SeriesValue;

bool is_no_more(const Value& a, const Value& b) { return a.value && b.value && *a.value <= *b.value; }

// Returns the pairs (faster, slower) of a workload's cells that are told apart, judged together.
std::set<CellPair> told_faster(const Analysis& analysis, const Cells& cells) {
  std::vector<CellPair> pairs;
  std::vector<Question> questions;
  std::vector<statistics::Context> contexts;
  for (auto one = cells.begin(); one != cells.end(); ++one) {
    for (auto other = std::next(one); other != cells.end(); ++other) {
      pairs.emplace_back(*one, *other);
      questions.push_back(log_ratio(analysis, *one, *other).parts);
      contexts.push_back(
          {.looked_at = context_of(analysis, *one, *other).looked_at});  // what is usual of all its pairs
    }
  }
  const std::vector<Judgement> judgements = judge(questions, {.adjustment = statistics::Adjustment::holm}, contexts);
  std::set<CellPair> told;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [one, other] = pairs[i];
    if (judgements[i].verdict == Verdict::faster) told.emplace(one, other);
    if (judgements[i].verdict == Verdict::slower) told.emplace(other, one);
  }
  return told;
}

bool costs_no_more(const Analysis& analysis, std::size_t other, std::size_t cell) {
  constexpr std::array kCosts{"compile_total_s", "timed_peak_bytes"};
  return std::all_of(kCosts.begin(), kCosts.end(), [&](const char* cost) {
    const Metric* const metric = find_metric(cost);
    return is_no_more(metric->compute(analysis, other), metric->compute(analysis, cell));
  });
}

}  // namespace

std::vector<SeriesValue> dominating(const Analysis& analysis, const Part& part) {
  std::vector<SeriesValue> rows;
  const auto workload = [](const CellData& cell) {
    return fmt::format("{}\n{}\n{}\n{}", cell.of.device, cell.of.model.key.hash, cell.of.model.key.batch, cell.of.load);
  };
  for (const Cells& cells : grouped(analysis, part, workload)) {
    if (cells.size() < 2) continue;
    const std::set<CellPair> told = told_faster(analysis, cells);
    for (const std::size_t i : cells) {
      const CellData& cell = analysis.cell(i);
      SeriesValue row = row_of_group(analysis, {i}, cell.of.model.label);
      row.reason = analysis.steady(i).reason;
      if (row.reason.empty()) {
        row.value = static_cast<double>(std::count_if(cells.begin(), cells.end(), [&](std::size_t other) {
          return told.contains({other, i}) && costs_no_more(analysis, other, i);
        }));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace ngb::metrics::series
