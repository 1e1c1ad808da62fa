// SPDX-License-Identifier: Apache-2.0
#include "report/compare/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "metrics/agreement.h"
#include "metrics/allocator.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "report/words.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

using metrics::ComparedPair;
using metrics::Comparison;
using metrics::GateOutcome;
using metrics::PairStatus;
using statistics::Verdict;

constexpr std::array<std::string_view, 15> kOutcomes{
    "slower",       "worse", "failed",     "inaccurate",   "agreement fell", "undecided",    "faster",    "better",
    "measured now", "same",  "same build", "failed twice", "disturbed",      "not measured", "no verdict"};

// Pairs without a ratio come last among those of their outcome.
double log_ratio_or_most(const ComparedPair& pair) {
  return pair.status == PairStatus::judged ? pair.judgement.contrast.estimate : HUGE_VAL;
}

std::string failure_of(const char* side, const store::CellData& cell) {
  const samples::ProcessResult* failed = metrics::decisive_failure(cell);
  const auto lost = metrics::lost_processes(cell);
  if (failed == nullptr && lost.empty()) return {};
  const samples::Failure& failure = *(failed == nullptr ? lost.front() : failed)->failure;
  std::string words = side;
  if (failed == nullptr) words += fmt::format(": {} of {} processes", lost.size(), cell.planned_processes);
  words += fmt::format(": {}", name(failure.kind));
  return failure.message.empty() ? words : fmt::format("{}: {}", words, failure.first_line());
}

std::string no_verdict_of(const char* side, const metrics::Measured& measured, const metrics::Metric* metric) {
  std::string why = measured.steady.no_verdict;
  if (why.empty() && metric != nullptr) why = measured.by_process.at(metric).reason;
  return why.empty() ? why : fmt::format("{}: {}", side, why);
}

std::string words_of_agreement(const store::CellData& cell) {
  const std::optional<double> value = metrics::agreement_of(cell);
  return value ? fmt::format("{:.4g}", *value) : "none, because not all outputs are finite";
}

std::string why_without_speed(const ComparedPair& pair) {
  std::vector<std::string> sides{failure_of("baseline", *pair.baseline), failure_of("candidate", *pair.candidate)};
  if (pair.status == PairStatus::no_verdict) {
    if (sides[0].empty()) sides[0] = no_verdict_of("baseline", *pair.of_baseline, pair.by.metric);
    if (sides[1].empty()) sides[1] = no_verdict_of("candidate", *pair.of_candidate, pair.by.metric);
  }
  if (pair.status == PairStatus::not_measured_yet) {
    if (pair.baseline->processes.empty() && sides[0].empty()) sides[0] = "baseline: not measured yet";
    if (pair.candidate->processes.empty() && sides[1].empty()) sides[1] = "candidate: not measured yet";
  }
  if (pair.status == PairStatus::agreement_fell && sides[1].empty()) {
    sides[1] = fmt::format("agreement with {}: {}, {} before", pair.candidate->of.model.variant_of,
                           words_of_agreement(*pair.candidate), words_of_agreement(*pair.baseline));
  }
  std::erase(sides, "");
  return text::join(sides, "; ");
}

std::string words_of(const metrics::MoreRounds& more) {
  std::string words =
      fmt::format("{}{} more round{}", more.is_minimum ? "at least " : "", more.count, more.count == 1 ? "" : "s");
  if (more.seconds) words += ", " + text::human_duration(*more.seconds);
  return words;
}

std::string why_same_build(const ComparedPair& pair) {
  const Verdict verdict = pair.judgement.verdict;
  if (verdict != Verdict::slower && verdict != Verdict::faster) return {};
  const auto states = metrics::differ_by_page_faults(pair.of_baseline->faults, pair.of_candidate->faults,
                                                     pair.candidate->of.model.key.batch);
  if (states) {
    return fmt::format(
        "{} although both sides are the same build: the C library's allocator returned memory to the kernel ({:.0f} "
        "page faults an inference, {:.0f} on the faster side); `allocator: steady` removes that",
        name(verdict), states->slower_faults, states->faster_faults);
  }
  return fmt::format("{} although both sides are the same build: the device was not the same", name(verdict));
}

// Returns what the verdict of a judged pair rests on, apart from flags.
std::string why_judged(const Compared& compared, const ComparedPair& pair) {
  if (pair.is_same_build) return why_same_build(pair);
  const statistics::Judgement& judgement = pair.judgement;
  if (judgement.verdict == Verdict::slower && compared.gate && !metrics::is_regression(pair, compared.gate->rules)) {
    return pair.by.metric == nullptr ? fmt::format("within the gate's {:g} %", 100 * compared.gate->rules.slower_ratio)
                                     : fmt::format("within the gate's {}", pair.by.margin_in_words());
  }
  if (pair.more_rounds) return fmt::format("{}: {}", judgement.reason, words_of(*pair.more_rounds));
  if (judgement.verdict == Verdict::undecided && judgement.adjusted_p && !judgement.rounds_needed) {
    return fmt::format("{}: more than {} rounds", judgement.reason, statistics::kMostRoundsForeseen);
  }
  return judgement.reason;
}

// Returns "waited on both sides, unstable in the candidate": the flags that cast doubt on the pair's speeds.
std::string doubts_of(const ComparedPair& pair) {
  std::vector<std::string> words;
  for (const metrics::Flag& flag : metrics::flag_table()) {
    const auto has = [&](const std::vector<metrics::RaisedFlag>& raised) {
      return std::ranges::find(raised, &flag, &metrics::RaisedFlag::flag) != raised.end();
    };
    const bool has_baseline = has(pair.of_baseline->flags);
    const bool has_candidate = has(pair.of_candidate->flags);
    if (!flag.casts_doubt() || !(has_baseline || has_candidate)) continue;
    words.push_back(fmt::format("{} {}", flag.name,
                                has_baseline && has_candidate ? "on both sides"
                                : has_baseline                ? "in the baseline"
                                                              : "in the candidate"));
  }
  return text::join(words, ", ");
}

// Returns what the flags in the words of any pair say, or "" if there are none.
std::string doubts_remark(const Comparison& comparison) {
  std::set<const metrics::Flag*> raised;
  for (const ComparedPair& pair : comparison.pairs) {
    if (pair.status != PairStatus::judged) continue;
    for (const auto* flags : {&pair.of_baseline->flags, &pair.of_candidate->flags}) {
      for (const metrics::RaisedFlag& each : *flags) {
        if (each.flag->casts_doubt()) raised.insert(each.flag);
      }
    }
  }
  std::vector<std::string> words;
  for (const metrics::Flag* flag : raised) words.push_back(fmt::format("{} ({})", flag->name, flag->threshold));
  return words.empty() ? "" : fmt::format("Flags: {}: ngb show --notes says what to do", text::join(words, "; "));
}

// Returns "3 %", or that of each metric: "3 % (speed), 20 % (timed_peak_bytes)".
std::string margins_of(const Comparison& comparison) {
  if (comparison.judged.empty()) return fmt::format("{:g} %", 100 * comparison.rules.margin_ratio);
  if (comparison.judged.size() == 1) return comparison.judged.front().margin_in_words();
  std::vector<std::string> margins;
  for (const metrics::Judged& each : comparison.judged) {
    margins.push_back(fmt::format("{} ({})", each.margin_in_words(), each.metric == nullptr ? "speed" : each.name()));
  }
  return text::join(margins, ", ");
}

std::string rules_remark(const Comparison& comparison) {
  const statistics::VerdictRules& rules = comparison.rules;
  const double percent = 100 * rules.error_rate;
  const std::string errors =
      rules.adjustment == statistics::Adjustment::holm
          ? fmt::format("any false one in at most {:g} % of comparisons (Holm)", percent)
          : fmt::format("at most {:g} % of those shown are false (Benjamini and Hochberg)", percent);
  const std::string floor =
      rules.quiet_deviation
          ? fmt::format(
                "; a round of two compilers with fewer than {} cells is assumed to vary by {:.2g} % or more, as `ngb "
                "calibrate` found",
                statistics::kLeastCellsForAFloor, 100 * *rules.quiet_deviation)
          : std::string();
  return fmt::format("Verdicts: {}; same: the interval is within {}{}", errors, margins_of(comparison), floor);
}

bool counts_as_judged(const ComparedPair& pair) { return pair.status == PairStatus::judged && !pair.is_same_build; }

// Says what the rounds of the pairs that have a verdict are too few to show; "" if they are enough.
std::string unseen_remark(const Comparison& comparison) {
  constexpr std::size_t kEnough = 7;
  std::size_t fewest = kEnough;
  for (const ComparedPair& pair : comparison.pairs) {
    if (counts_as_judged(pair) && pair.judgement.verdict != Verdict::undecided) fewest = std::min(fewest, pair.rounds);
  }
  if (fewest == kEnough) return {};
  return fmt::format(
      "Few rounds: {0} of them cannot show a state of a compiler that comes in fewer than one process in {0}", fewest);
}

std::string unpaired_remark(const Comparison& comparison) {
  const auto unpaired = std::count_if(comparison.pairs.begin(), comparison.pairs.end(), [](const ComparedPair& pair) {
    return counts_as_judged(pair) && !pair.is_paired;
  });
  if (unpaired == 0) return {};
  return fmt::format(
      "Not paired: {} of {} pairs have fewer than 2 rounds in common, so the processes of their sides are compared as "
      "independent ones",
      unpaired, std::count_if(comparison.pairs.begin(), comparison.pairs.end(), counts_as_judged));
}

std::string noise_remark(const metrics::NoiseFloor& noise) {
  const std::string device =
      noise.compute_device.empty() ? noise.device : fmt::format("{} ({})", noise.device, noise.compute_device);
  return fmt::format(
      "Noise of {}: {} pair{} of the same build; |ratio - 1| is {:.2f} % (median) and {:.2f} % (largest)", device,
      noise.pairs, noise.pairs == 1 ? "" : "s", 100 * noise.median_difference, 100 * noise.largest_difference);
}

std::string gate_remark(const metrics::Gate& gate) {
  if (gate.outcome == GateOutcome::nothing_judged) return "Gate not judged: no pair can be judged";
  std::vector<std::string> parts;
  const std::string limit = fmt::format("{:g} %", 100 * gate.rules.slower_ratio);
  const auto add = [&parts](std::size_t count, const std::string& words) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, words));
  };
  add(gate.slower, "slower by more than " + limit);
  add(gate.worse, "worse by more than the margin of another metric");
  add(gate.newly_failed, "newly failed");
  add(gate.newly_inaccurate, "newly inaccurate");
  add(gate.agreement_fell, "with less agreement");
  add(gate.tolerated, "slower by at most " + limit);
  add(gate.tolerated_worse, "worse by at most the margin of another metric");
  add(gate.undecided, "undecided or without a measurement");
  if (parts.empty()) parts.emplace_back("nothing is worse");
  const bool is_open = gate.outcome == GateOutcome::undecided && !gate.has_decided;
  return fmt::format("Gate {}: {}", is_open ? "undecided: nothing is decided" : name(gate.outcome),
                     text::join(parts, ", "));
}

std::string self_test_remark(const metrics::SelfTest& test, const metrics::GateRules& rules) {
  return fmt::format(
      "Self-test: a candidate slowed by {:g} % and twice the half width of its interval is found in {} of "
      "{} pairs",
      100 * rules.slower_ratio, test.found, test.slowed);
}

}  // namespace

Outcome outcome_of(const ComparedPair& pair) {
  switch (pair.status) {
    case PairStatus::newly_failed:
      return Outcome::failed;
    case PairStatus::newly_inaccurate:
      return Outcome::inaccurate;
    case PairStatus::agreement_fell:
      return Outcome::agreement_fell;
    case PairStatus::newly_measured:
      return Outcome::measured_now;
    case PairStatus::both_failed:
      return Outcome::both_failed;
    case PairStatus::disturbed:
      return Outcome::disturbed;
    case PairStatus::not_measured_yet:
      return Outcome::not_measured;
    case PairStatus::no_verdict:
      return Outcome::no_verdict;
    case PairStatus::judged:
      break;
  }
  if (pair.is_same_build) return Outcome::same_build;
  switch (pair.judgement.verdict) {
    case Verdict::faster:
      return pair.by.metric == nullptr ? Outcome::faster : Outcome::better;
    case Verdict::slower:
      return pair.by.metric == nullptr ? Outcome::slower : Outcome::worse;
    case Verdict::same:
      return Outcome::same;
    case Verdict::undecided:
      break;
  }
  return Outcome::undecided;
}

std::string_view word_of(Outcome outcome) { return kOutcomes.at(static_cast<std::size_t>(outcome)); }

bool is_bad(Outcome outcome) {
  return outcome == Outcome::slower || outcome == Outcome::worse || outcome == Outcome::failed ||
         outcome == Outcome::inaccurate || outcome == Outcome::agreement_fell;
}

std::vector<const ComparedPair*> worst_first(const Comparison& comparison) {
  std::vector<const ComparedPair*> pairs;
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(&pair);
  std::stable_sort(pairs.begin(), pairs.end(), [](const ComparedPair* a, const ComparedPair* b) {
    if (outcome_of(*a) != outcome_of(*b)) return outcome_of(*a) < outcome_of(*b);
    return log_ratio_or_most(*a) < log_ratio_or_most(*b);
  });
  return pairs;
}

std::string name_of(const ComparedPair& pair) {
  const std::string name =
      fmt::format("{}: {}", workload_on_device(*pair.candidate), compiler_in_words(*pair.candidate));
  return pair.by.metric == nullptr ? name : fmt::format("{}, {}", name, pair.by.metric->name);
}

Column ratio_column() {
  Column column = number_column("ratio [95 %]", 0, "ratio");
  column.has_interval = true;
  return column;
}

Entry ratio_of(const statistics::Contrast& contrast) {
  const metrics::Value ratio = metrics::ratio_of(contrast);
  return {.value = *ratio.value, .low = ratio.low, .high = ratio.high};
}

namespace {

// Returns the contrast of the candidate over the baseline, whether more is better or less.
statistics::Contrast upward(statistics::Contrast contrast, const metrics::Judged& by) {
  if (by.metric == nullptr || by.metric->is_higher_better()) return contrast;
  contrast.estimate = -contrast.estimate;
  if (contrast.interval) contrast.interval = {-contrast.interval->high, -contrast.interval->low};
  return contrast;
}

Entry difference_of(const statistics::Contrast& contrast) {
  Entry entry{.value = contrast.estimate};
  if (!contrast.interval) return entry;
  entry.low = contrast.interval->low;
  entry.high = contrast.interval->high;
  return entry;
}

}  // namespace

Column contrast_column(const std::string& name) {
  Column column = data_column(name);
  column.unit = name == "ratio" ? "ratio" : "";
  column.has_interval = true;
  return column;
}

Entry contrast_of(const statistics::Contrast& contrast, const metrics::Judged& by) {
  const statistics::Contrast shown = upward(contrast, by);
  return by.is_by_difference() ? difference_of(shown) : ratio_of(shown);
}

Entry shown_contrast(const statistics::Contrast& contrast, const metrics::Judged& by) {
  const statistics::Contrast shown = upward(contrast, by);
  if (!by.is_by_difference()) return ratio_of(shown);
  const auto in_words = [&by](double value) { return number(value, by.metric->unit); };
  std::string words = fmt::format("{}{}", shown.estimate > 0 ? "+" : "", in_words(shown.estimate));
  if (shown.interval) words += fmt::format(" [{}, {}]", in_words(shown.interval->low), in_words(shown.interval->high));
  return {.value = std::move(words)};
}

std::string why(const Compared& compared, const ComparedPair& pair) {
  if (pair.status != PairStatus::judged) return why_without_speed(pair);
  std::vector<std::string> parts{why_judged(compared, pair), doubts_of(pair)};
  std::erase(parts, "");
  return text::join(parts, "; ");
}

std::vector<std::string> remarks(const Compared& compared) {
  std::vector<std::string> found;
  if (compared.gate) found.push_back(gate_remark(*compared.gate));
  if (compared.gate && compared.self_test) {
    found.push_back(self_test_remark(*compared.self_test, compared.gate->rules));
  }
  for (const metrics::NoiseFloor& noise : compared.noise) found.push_back(noise_remark(noise));
  if (std::string doubts = doubts_remark(*compared.comparison); !doubts.empty()) found.push_back(std::move(doubts));
  found.push_back(rules_remark(*compared.comparison));
  for (const std::string& remark : {unseen_remark(*compared.comparison), unpaired_remark(*compared.comparison)}) {
    if (!remark.empty()) found.push_back(remark);
  }
  const Comparison& comparison = *compared.comparison;
  if (comparison.baseline_only + comparison.candidate_only > 0) {
    found.push_back(fmt::format("Without a partner: {} cells of the baseline, {} of the candidate",
                                comparison.baseline_only, comparison.candidate_only));
  }
  return found;
}

std::string compare_summary(const Comparison& comparison) {
  std::array<int, kOutcomes.size()> counts{};
  for (const ComparedPair& pair : comparison.pairs) ++counts.at(static_cast<std::size_t>(outcome_of(pair)));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.at(i) > 0) parts.push_back(fmt::format("{} {}", counts.at(i), kOutcomes.at(i)));
  }
  return text::join(parts, ", ");
}

}  // namespace ngb::report
