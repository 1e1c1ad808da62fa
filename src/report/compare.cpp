// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "metrics/outcome.h"
#include "metrics/statistics.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using metrics::Axis;
using metrics::ComparedPair;
using metrics::Comparison;
using metrics::PairStatus;
using metrics::Verdict;
using nlohmann::json;

// In the order of the table's rows.
enum class Outcome { slower, failed, undecided, faster, measured_now, same, both_failed, not_measured };
constexpr std::array<const char*, 8> kOutcomes{"slower",       "failed", "undecided",    "faster",
                                               "measured now", "same",   "failed twice", "not measured"};

Outcome outcome_of(const ComparedPair& pair) {
  switch (pair.status) {
    case PairStatus::newly_failed:
      return Outcome::failed;
    case PairStatus::newly_measured:
      return Outcome::measured_now;
    case PairStatus::both_failed:
      return Outcome::both_failed;
    case PairStatus::not_measured_yet:
      return Outcome::not_measured;
    case PairStatus::judged:
      break;
  }
  switch (pair.judgement.verdict) {
    case Verdict::faster:
      return Outcome::faster;
    case Verdict::slower:
      return Outcome::slower;
    case Verdict::same:
      return Outcome::same;
    case Verdict::undecided:
      break;
  }
  return Outcome::undecided;
}

const char* word_of(Outcome outcome) { return kOutcomes.at(static_cast<std::size_t>(outcome)); }

std::vector<const ComparedPair*> in_reading_order(const Comparison& comparison) {
  std::vector<const ComparedPair*> pairs;
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(&pair);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ComparedPair* a, const ComparedPair* b) { return outcome_of(*a) < outcome_of(*b); });
  return pairs;
}

// Returns the name of the candidate's cell: "resnet18, batch 1, on local: onnxruntime 1.31.1".
std::string name_of(const ComparedPair& pair) {
  return fmt::format("{}: {}", workload_of(*pair.candidate), compiler_of(*pair.candidate));
}

double geometric_mean_speed(const store::CellData& cell) {
  const metrics::Steady steady = metrics::steady(cell);
  double sum = 0;
  for (const metrics::OfRound& process : steady.throughput_by_process) sum += std::log(process.value);
  return std::exp(sum / static_cast<double>(steady.throughput_by_process.size()));
}

TableCell ratio_cell(const ComparedPair& pair) {
  const metrics::Contrast& contrast = pair.judgement.contrast;
  const double ratio = std::exp(contrast.estimate);
  TableCell cell{number(ratio, "ratio"), "", Style::plain};
  if (contrast.interval) {
    cell.tail = fmt::format(" [{}, {}]", number_beside(std::exp(contrast.interval->low), ratio, "ratio"),
                            number_beside(std::exp(contrast.interval->high), ratio, "ratio"));
  }
  return cell;
}

Style style_of(Outcome outcome) {
  if (outcome == Outcome::slower || outcome == Outcome::failed) return Style::bad;
  if (outcome == Outcome::faster || outcome == Outcome::measured_now) return Style::good;
  return outcome == Outcome::undecided ? Style::notice : Style::plain;
}

// Returns why a pair has no verdict, and how many more rounds would likely decide it.
std::string why(const ComparedPair& pair) {
  std::string text = pair.judgement.reason;
  if (!pair.judgement.rounds_needed) return text;
  const std::size_t had = metrics::steady(*pair.candidate).throughput_by_process.size();
  const auto needed = static_cast<std::size_t>(*pair.judgement.rounds_needed);
  if (needed > had) text += fmt::format("; about {} more rounds would decide it", needed - had);
  return text;
}

TableRow row_of(const ComparedPair& pair) {
  const Outcome outcome = outcome_of(pair);
  TableRow row;
  row.cells.push_back({name_of(pair), "", Style::plain});
  row.cells.push_back({word_of(outcome), "", style_of(outcome)});
  if (pair.status != PairStatus::judged) {
    const samples::ProcessResult* failed = metrics::decisive_failure(*pair.candidate);
    if (failed == nullptr) failed = metrics::decisive_failure(*pair.baseline);
    const std::string reason =
        failed == nullptr ? "" : fmt::format("{}: {}", name(failed->failure->kind), failed->failure->message);
    row.rest = TableCell{fmt::format("{}  {}", word_of(outcome), reason), "", style_of(outcome)};
    return row;
  }
  row.cells.push_back(ratio_cell(pair));
  row.cells.push_back({number(geometric_mean_speed(*pair.baseline), "samples/s"), "", Style::plain});
  row.cells.push_back({number(geometric_mean_speed(*pair.candidate), "samples/s"), "", Style::plain});
  row.cells.push_back({why(pair), "", Style::plain});
  return row;
}

json interval_json(const metrics::Contrast& contrast) {
  json ratio{{"value", std::exp(contrast.estimate)}, {"low", nullptr}, {"high", nullptr}};
  if (contrast.interval) {
    ratio["low"] = std::exp(contrast.interval->low);
    ratio["high"] = std::exp(contrast.interval->high);
  }
  return ratio;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json side_json(const store::CellData& cell) {
  return {{"cell_id", cell.cell_id},
          {"compiler_label", cell.compiler_label},
          {"compiler_version", cell.compiler_version},
          {"device", cell.device},
          {"threads", cell.threads},
          {"precision", cell.precision}};
}

json pair_json(const ComparedPair& pair) {
  const bool is_judged = pair.status == PairStatus::judged;
  return {{"model", pair.candidate->model},
          {"batch", pair.candidate->batch},
          {"baseline", side_json(*pair.baseline)},
          {"candidate", side_json(*pair.candidate)},
          {"status", std::string(name(pair.status))},
          {"verdict", is_judged ? json(std::string(name(pair.judgement.verdict))) : json(nullptr)},
          {"ratio", is_judged ? interval_json(pair.judgement.contrast) : json(nullptr)},
          {"adjusted_p", or_null(pair.judgement.adjusted_p)},
          {"is_paired", is_judged ? json(pair.is_paired) : json(nullptr)},
          {"reason", pair.judgement.reason},
          {"rounds_needed", or_null(pair.judgement.rounds_needed)}};
}

}  // namespace

std::string compare_summary(const Comparison& comparison) {
  std::array<int, kOutcomes.size()> counts{};
  for (const ComparedPair& pair : comparison.pairs) ++counts.at(static_cast<std::size_t>(outcome_of(pair)));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.at(i) > 0) parts.push_back(fmt::format("{} {}", counts.at(i), kOutcomes.at(i)));
  }
  return text::join(parts, ", ");
}

std::string compare_table(const Comparison& comparison, Axis axis, const CompareOptions& options) {
  constexpr std::size_t kManyPairs = 40;
  Table table;
  table.columns = {{"cell", true, 0},      {"verdict", true, 0},    {"ratio [95 %]", false, 0},
                   {"baseline", false, 2}, {"candidate", false, 2}, {"why", true, 1}};
  TableSection section{.title = fmt::format("candidate over baseline, compared by {}", name(axis))};
  std::size_t folded = 0;
  for (const ComparedPair* pair : in_reading_order(comparison)) {
    if (!options.all && comparison.pairs.size() > kManyPairs && outcome_of(*pair) == Outcome::same) {
      ++folded;
    } else {
      section.rows.push_back(row_of(*pair));
    }
  }
  table.sections.push_back(std::move(section));
  const Rendering rendered = render(table, options.width, options.color);
  std::string text = compare_summary(comparison) + "\n\n" + rendered.text;
  if (folded > 0) text += fmt::format("  … and {} pairs that are the same: --all shows them\n", folded);
  if (!rendered.left_out.empty()) {
    text += fmt::format("\n  Too wide for {} characters: {}; --json has everything\n", options.width,
                        text::join(rendered.left_out, ", "));
  }
  text += fmt::format(
      "\n  Verdicts: at most {:.0f} % of those shown are false (Benjamini and Hochberg);\n  same: the interval "
      "is within {:g} %\n",
      100 * comparison.rules.error_rate, 100 * comparison.rules.margin_ratio);
  if (comparison.baseline_only + comparison.candidate_only > 0) {
    text += fmt::format("  Without a partner: {} cells of the baseline, {} of the candidate\n",
                        comparison.baseline_only, comparison.candidate_only);
  }
  return text;
}

json compare_json(const Comparison& comparison, Axis axis) {
  json pairs = json::array();
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(pair_json(pair));
  return {{"summary", compare_summary(comparison)},
          {"axis", std::string(name(axis))},
          {"rules",
           {{"error_rate", comparison.rules.error_rate},
            {"margin_ratio", comparison.rules.margin_ratio},
            {"adjustment", comparison.rules.adjustment == metrics::Adjustment::holm ? "holm" : "benjamini_hochberg"}}},
          {"pairs", std::move(pairs)},
          {"baseline_only", comparison.baseline_only},
          {"candidate_only", comparison.candidate_only}};
}

}  // namespace ngb::report
