// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/text.h"
#include "metrics/series/fastest.h"
#include "metrics/series/questions.h"
#include "metrics/series/speed_words.h"
#include "metrics/series/workload.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

constexpr std::size_t kMostReversals = 20;  // as sentences; the data has all

FindingRow row_of_cell(const Analysis& analysis, std::size_t i, const char* metric) {
  const CellData& cell = analysis.cell(i);
  return {.device = name_of_place(cell),
          .compiler = compiler_of(cell),
          .model = cell.of.model.label,
          .batch_sizes = std::to_string(cell.of.model.key.batch),
          .against = analysis.baseline().words(),
          .metric = metric,
          .cell_ids = {cell.cell_id}};
}

bool has_other_baseline(const Analysis& analysis, std::size_t i) {
  return analysis.baseline_of(i) && *analysis.baseline_of(i) != i;
}

std::vector<Finding> about_speed(const Analysis& analysis) {
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (!has_other_baseline(analysis, i)) continue;
    asked.push_back({i, log_speed_up(analysis, i), row_of_cell(analysis, i, "speed_up_ratio")});
  }
  const bool may_differ = judge_together(analysis, asked);
  return findings_by_setting(analysis, asked, "speed_up",
                             {"faster than {}", "slower than {}", "as fast as {} within 3 %", "workloads"}, may_differ);
}

// Asks of each setting and model at its largest batch size how its speed-up compares with that at batch 1.
std::vector<Finding> about_batching(const Analysis& analysis) {
  std::map<std::string, std::size_t> largest;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const CellData& cell = analysis.cell(i);
    if (!has_other_baseline(analysis, i) || !analysis.single_of(i) || analysis.single_of(i) == i) continue;
    const auto [place, is_new] = largest.emplace(
        fmt::format("{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), cell.of.model.key.hash), i);
    if (!is_new && analysis.cell(place->second).of.model.key.batch < cell.of.model.key.batch) place->second = i;
  }
  std::vector<std::size_t> cells;
  for (const auto& [key, cell] : largest) cells.push_back(cell);
  std::sort(cells.begin(), cells.end());
  std::vector<Asked> asked;
  for (const std::size_t i : cells) {
    asked.push_back({i, sum_of({log_speed_up(analysis, i), log_speed_up(analysis, *analysis.single_of(i), -1)}),
                     row_of_cell(analysis, i, "bsr_ratio")});
  }
  const bool may_differ = judge_together(analysis, asked);
  return findings_by_setting(analysis, asked, "batching",
                             {"better at its largest batch than at batch 1, relative to {},",
                              "worse at its largest batch than at batch 1, relative to {},",
                              "as good at its largest batch as at batch 1, relative to {},", "models"},
                             may_differ);
}

// Asks of each stack of blocks how the speed-up at the largest depth compares with that of a single block.
std::vector<Finding> about_depth(const Analysis& analysis) {
  struct Ends {
    std::optional<std::size_t> single{};
    std::size_t deepest = 0;
    int depth = 0;
  };
  std::map<std::string, Ends> curves;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const CellData& cell = analysis.cell(i);
    const auto block = block_of(cell);
    if (!block || !has_other_baseline(analysis, i)) continue;
    Ends& ends = curves[fmt::format("{}\n{}\n{}\n{}", place_of(cell), analysis.settings().of(cell), block->name,
                                    cell.of.model.key.batch)];
    if (block->depth == 1) ends.single = i;
    if (block->depth > ends.depth) ends = {ends.single, i, block->depth};
  }
  std::vector<Asked> asked;
  for (const auto& [key, ends] : curves) {
    if (!ends.single || ends.depth == 1) continue;
    FindingRow row = row_of_cell(analysis, ends.deepest, "depth_retention_ratio");
    row.model = fmt::format("{}, depth {} over 1", block_of(analysis.cell(ends.deepest))->name, ends.depth);
    row.cell_ids = {analysis.cell(*ends.single).cell_id, analysis.cell(ends.deepest).cell_id};
    asked.push_back({ends.deepest,
                     sum_of({log_speed_up(analysis, ends.deepest), log_speed_up(analysis, *ends.single, -1)}),
                     std::move(row)});
  }
  const bool may_differ = judge_together(analysis, asked);
  return findings_by_setting(analysis, asked, "depth",
                             {"better in the deepest stack than in a single block, relative to {},",
                              "worse in the deepest stack than in a single block, relative to {},",
                              "as good in the deepest stack as in a single block, relative to {},", "stacks"},
                             may_differ);
}

std::vector<Finding> about_cpu(const Analysis& analysis) {
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    if (!has_other_baseline(analysis, i)) continue;
    FindingRow row = row_of_cell(analysis, i, "cpu_c / cpu_baseline");
    asked.push_back({i, log_cpu_ratio(analysis, i), std::move(row)});
  }
  const bool may_differ = judge_together(analysis, asked);
  return findings_by_setting(analysis, asked, "cpu",
                             {"busier than {}", "less busy than {}", "as busy as {} within 3 %", "workloads"},
                             may_differ);
}

FindingRow row_of_order(const Analysis& analysis, const Ordering& ordering, Ranked ranked) {
  const CellData& a = analysis.cell(ordering.a);
  const CellData& b = analysis.cell(ordering.b);
  FindingRow row = row_of_cell(analysis, ordering.a, "T_a / T_b");
  row.against = ranked == Ranked::models ? b.of.model.label : compiler_of(b);
  row.value = ordering.ratio;
  row.cell_ids = {a.cell_id, b.cell_id};
  return row;
}

std::string words_of_side(const CellData& cell, Ranked ranked) {
  return ranked == Ranked::models ? fmt::format("with {} on {} at batch {}", compiler_in_words(cell),
                                                name_of_place(cell), cell.of.model.key.batch)
                                  : fmt::format("on {} at batch {}", name_of_place(cell), cell.of.model.key.batch);
}

Finding about_reversal(const Analysis& analysis, const Reversal& reversal) {
  const CellData& a = analysis.cell(reversal.faster.a);
  const CellData& b = analysis.cell(reversal.faster.b);
  const bool is_of_models = reversal.ranked == Ranked::models;
  Finding finding{.kind = "reversal", .is_difference = true};
  finding.sentence = fmt::format(
      "{} is faster than {}{} {} ({} times) and slower {} ({} times).",
      is_of_models ? a.of.model.label : compiler_in_words(a), is_of_models ? b.of.model.label : compiler_in_words(b),
      is_of_models ? "" : fmt::format(" on {}", a.of.model.label), words_of_side(a, reversal.ranked),
      three_digits(*reversal.faster.ratio.value), words_of_side(analysis.cell(reversal.slower.a), reversal.ranked),
      three_digits(*reversal.slower.ratio.value));
  for (const Ordering* side : {&reversal.faster, &reversal.slower}) {
    FindingRow row = row_of_order(analysis, *side, reversal.ranked);
    row.outcome = side == &reversal.faster ? "faster" : "slower";
    row.adjusted_p = reversal.adjusted_p;
    finding.rows.push_back(std::move(row));
  }
  return finding;
}

std::vector<Finding> about_reversals(const Analysis& analysis, const Orders& orders) {
  std::vector<Finding> findings;
  for (const Reversal& reversal : orders.reversals) {
    if (findings.size() == kMostReversals) break;
    findings.push_back(about_reversal(analysis, reversal));
  }
  return findings;
}

// Names the failures of each setting: what is to be acted on.
std::vector<Finding> about_failures(const Analysis& analysis) {
  struct Failed {
    std::size_t all = 0;
    std::size_t first = 0;
    std::map<std::string, std::size_t> kinds{};
    std::vector<FindingRow> rows{};
  };
  std::map<std::string, Failed> settings;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const CellData& cell = analysis.cell(i);
    Failed& failed = settings[cell.of.device + '\n' + analysis.settings().of(cell)];
    if (failed.all++ == 0) failed.first = i;
    const samples::ProcessResult* const decisive = decisive_failure(cell);
    if (decisive == nullptr) continue;
    const std::string kind(name(decisive->failure->kind));
    ++failed.kinds[kind];
    FindingRow row = row_of_cell(analysis, i, "");
    row.against.clear();
    row.outcome = kind;
    failed.rows.push_back(std::move(row));
  }
  std::vector<Finding> findings;
  for (auto& [key, failed] : settings) {
    if (failed.rows.empty()) continue;
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : failed.kinds) kinds.push_back(fmt::format("{} ({})", kind, count));
    const CellData& first = analysis.cell(failed.first);
    findings.push_back(
        {.kind = "failures",
         .is_to_act_on = true,
         .sentence = fmt::format("{} on {} has no result on {} of {} workloads: {}.", compiler_in_words(first),
                                 first.of.device, failed.rows.size(), failed.all, text::join(kinds, ", ")),
         .rows = std::move(failed.rows)});
  }
  return findings;
}

// name, question
constexpr std::array kKinds{
    FindingKind{"failures", "which settings have no result, and why"},
    FindingKind{"fastest", "which setting is faster than all others of its device and workload"},
    FindingKind{"speed_up", "on which workloads is a setting faster or slower than the baseline"},
    FindingKind{"batching", "is the speed-up at the largest batch size larger or smaller than at batch 1"},
    FindingKind{"depth", "is the speed-up of the deepest stack larger or smaller than that of a single block"},
    FindingKind{"cpu", "does a setting keep the processor busier or less busy than the baseline"},
    FindingKind{"reversal", "does the order of two models, or of two compilers, differ"},
};

}  // namespace

std::span<const FindingKind> finding_kinds() { return kKinds; }

std::vector<Finding> find_all(const Analysis& analysis, const Orders& orders) {
  std::vector<Finding> all;
  for (std::vector<Finding>& of_kind :
       std::array{about_failures(analysis), about_fastest(analysis), about_speed(analysis), about_batching(analysis),
                  about_depth(analysis), about_cpu(analysis), about_reversals(analysis, orders)}) {
    std::move(of_kind.begin(), of_kind.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace ngb::metrics::series
