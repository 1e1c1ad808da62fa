// SPDX-License-Identifier: Apache-2.0
#include "metrics/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "metrics/agreement.h"
#include "metrics/baseline.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "metrics/same_build.h"
#include "statistics/sequential.h"
#include "statistics/statistics.h"
#include "work/property.h"

namespace ngb::metrics {

namespace {

using store::CellData;

std::string words_for(const CellData& cell) {
  return fmt::format("{}, batch {}, {} on {}", cell.of.model.label, cell.of.model.key.batch, compiler_in_words(cell),
                     cell.of.device);
}

// A side of a pair with everything that is computed of its cell.
struct SideOfPair {
  const CellData* cell = nullptr;
  const Steady& steady;
  const samples::ProcessResult* failed = nullptr;  // the decisive failure, or null; not of a disturbed cell

  bool has_lost = false;  // a process failed in all its attempts

  SideOfPair(const CellData& of, const Measured& measured)
      : cell(&of), steady(measured.steady), has_lost(!lost_processes(of).empty()) {
    if (!is_disturbed(of)) failed = decisive_failure(of);
  }
  [[nodiscard]] bool has_speed() const { return steady.reason.empty(); }
};

// `judges_agreement`: a metric over the inputs of both sides says by its own margin whether the agreement fell.
PairStatus status_of_pair(const SideOfPair& baseline, const SideOfPair& candidate, bool judges_agreement) {
  const bool has_left = baseline.failed != nullptr;
  const bool has_right = candidate.failed != nullptr;
  if (has_left && has_right) return PairStatus::both_failed;
  if (is_disturbed(*baseline.cell) || is_disturbed(*candidate.cell)) return PairStatus::disturbed;
  if ((!has_left && !baseline.has_speed()) || (!has_right && !candidate.has_speed())) {
    return PairStatus::not_measured_yet;
  }
  if (has_left) return PairStatus::newly_measured;
  if (!has_right && candidate.has_lost && !baseline.has_lost) return PairStatus::newly_failed;
  if (!has_right && !judges_agreement && agreement_fell(*baseline.cell, *candidate.cell)) {
    return PairStatus::agreement_fell;
  }
  if (!has_right) {
    const bool are_alike = baseline.steady.no_verdict.empty() && candidate.steady.no_verdict.empty();
    return are_alike ? PairStatus::judged : PairStatus::no_verdict;
  }
  switch (candidate.failed->failure->kind) {
    case samples::FailureKind::inaccurate:
      return PairStatus::newly_inaccurate;
    case samples::FailureKind::disagrees:
      return PairStatus::agreement_fell;
    default:
      return PairStatus::newly_failed;
  }
}

// Two cells share rounds only if one run measured both, with the same model, batch size and device.
bool may_share_rounds(const Side& a, const Side& b, const CellData& baseline, const CellData& candidate) {
  return a.origin == b.origin && share_rounds(baseline, candidate);
}

// Returns what is asked of a pair by the speed, and fills in its values.
statistics::Question question_of_speed(ComparedPair& pair, bool may_be_paired) {
  statistics::Question question;
  const Steady& candidate = pair.of_candidate->steady;
  const Steady& baseline = pair.of_baseline->steady;
  add_speed_ratio(question, candidate, baseline, may_be_paired, 1);
  pair.baseline_value = mean_by({}, baseline.throughput_by_process);
  pair.candidate_value = mean_by({}, candidate.throughput_by_process);
  return question;
}

// Returns what is asked of a pair by its metric, and fills in its values; nothing, and no verdict, if a side does not
// have the metric.
std::optional<statistics::Question> question_of_metric(ComparedPair& pair, bool may_be_paired) {
  const auto& baseline = pair.of_baseline->by_process.at(pair.by.metric).value;
  const auto& candidate = pair.of_candidate->by_process.at(pair.by.metric).value;
  if (!baseline || !candidate) {
    pair.status = PairStatus::no_verdict;
    return std::nullopt;
  }
  pair.baseline_value = mean_by(pair.by, *baseline);
  pair.candidate_value = mean_by(pair.by, *candidate);
  return question_by(pair.by, *candidate, *baseline, may_be_paired || pair.by.is_by_inputs());
}

// Returns the device and the compiler with its settings: two cells of it differ in the model or the batch size.
std::string setting_of_side(const CellData& cell) {
  using work::Role;
  return work::key_of(cell.of, {Role::device, Role::compiler, Role::version, Role::options, Role::instances,
                                Role::threads, Role::precision, Role::load});
}

// Returns what the pair is judged by. Sides of different rounds are not what was looked at.
statistics::Context context_of(const ComparedPair& pair) {
  statistics::Context context{.sides = setting_of_side(*pair.baseline) + '\n' + setting_of_side(*pair.candidate)};
  if (!pair.is_paired || !pair.candidate->rounds || pair.by.is_by_inputs()) return context;
  context.looked_at = std::clamp(pair.candidate->rounds->max, statistics::kFirstLook, statistics::kMostLookedAt);
  return context;
}

// Returns what would likely decide the pair; `had` is the number of rounds of the side with fewer.
std::optional<MoreRounds> more_rounds(const ComparedPair& pair, std::size_t had) {
  if (pair.judgement.verdict != statistics::Verdict::undecided || pair.by.is_by_inputs()) return std::nullopt;
  const bool is_minimum = had < statistics::kLeastRounds;
  if (!is_minimum && !pair.judgement.rounds_needed) return std::nullopt;
  const auto needed = is_minimum ? statistics::kLeastRounds : static_cast<std::size_t>(*pair.judgement.rounds_needed);
  if (needed <= had) return std::nullopt;
  MoreRounds more{static_cast<int>(needed - had), is_minimum, std::nullopt};
  const double seconds = pair.of_baseline->steady.process_s + pair.of_candidate->steady.process_s;
  if (seconds > 0) more.seconds = more.count * seconds;
  return more;
}

// Collects the questions of one kind of pairs and judges them together.
class Questions {
 public:
  void add(std::size_t pair, statistics::Question question, statistics::Context context) {
    pairs_.push_back(pair);
    questions_.push_back(std::move(question));
    contexts_.push_back(std::move(context));
  }

  void judge_all(Comparison& comparison, const statistics::VerdictRules& rules) const {
    const std::vector<statistics::Judgement> judgements = statistics::judge(questions_, rules, contexts_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      ComparedPair& pair = comparison.pairs[pairs_[i]];
      pair.judgement = judgements[i];
      std::size_t had = questions_[i].front().values.size();
      for (const statistics::Part& part : questions_[i]) had = std::min(had, part.values.size());
      pair.rounds = had;
      pair.more_rounds = more_rounds(pair, had);
    }
  }

 private:
  std::vector<std::size_t> pairs_{};
  std::vector<statistics::Question> questions_{};
  std::vector<statistics::Context> contexts_{};
};

// What is asked by one metric.
class QuestionsOfMetric {
 public:
  // Adds the pair to the comparison, and what is asked of it if it can be judged.
  void add(ComparedPair pair, bool may_be_paired, Comparison& comparison) {
    if (pair.status == PairStatus::judged) {
      std::optional<statistics::Question> question =
          pair.by.metric == nullptr ? question_of_speed(pair, may_be_paired) : question_of_metric(pair, may_be_paired);
      if (question) ask(pair, *std::move(question), comparison.pairs.size());
    }
    comparison.pairs.push_back(std::move(pair));
  }

  void judge_all(Comparison& comparison, const statistics::VerdictRules& rules) const {
    open_.judge_all(comparison, rules);
    of_same_builds_.judge_all(comparison, rules);
  }

 private:
  void ask(ComparedPair& pair, statistics::Question question, std::size_t position) {
    pair.is_paired = question.size() == 1;
    pair.is_same_build = is_same_build(*pair.baseline, *pair.candidate);
    if (pair.by.metric != nullptr) {
      const auto exact = exact_judgement(pair.by, *pair.of_candidate->by_process.at(pair.by.metric).value,
                                         *pair.of_baseline->by_process.at(pair.by.metric).value);
      if (exact) {
        pair.judgement = *exact;
        pair.rounds = question.front().values.size();
        return;
      }
    }
    (pair.is_same_build ? of_same_builds_ : open_).add(position, std::move(question), context_of(pair));
  }

  Questions open_{};
  Questions of_same_builds_{};
};

// Finds each cell's partner and returns an error if it has several.
class Partners {
 public:
  explicit Partners(Axis axis) : axis_(axis) {}

  Status add(const CellData& cell) {
    std::vector<const CellData*>& alike = baseline_[identity_apart_from(axis_, cell)];
    for (const CellData* other : alike) {
      if (may_be_a_pair(*other, cell)) return refusal("the baseline", "the candidate", *other, cell);
    }
    alike.push_back(&cell);
    return Done{};
  }

  // Returns null if the cell has no partner.
  Result<const CellData*> take(const CellData& cell) {
    const CellData* const partner = partner_of(cell);
    if (partner == nullptr) return nullptr;
    const auto [other, is_first] = taken_.emplace(partner, &cell);
    if (!is_first) return error_of(refusal("the candidate", "the baseline", *other->second, cell));
    return partner;
  }

 private:
  [[nodiscard]] bool may_be_a_pair(const CellData& a, const CellData& b) const {
    return axis_ == Axis::compute_device || may_share_compute_device(a, b);
  }

  // Returns the cell with the same compute device, else the first that is not known to have another one; else null.
  [[nodiscard]] const CellData* partner_of(const CellData& cell) const {
    const auto alike = baseline_.find(identity_apart_from(axis_, cell));
    if (alike == baseline_.end()) return nullptr;
    const CellData* partner = nullptr;
    for (const CellData* other : alike->second) {
      if (!may_be_a_pair(*other, cell)) continue;
      if (other->of.compute_device.value == cell.of.compute_device.value) return other;
      if (partner == nullptr) partner = other;
    }
    return partner;
  }

  static Status refusal(const char* side, const char* other_side, const CellData& one, const CellData& other) {
    return fail(
        fmt::format("two cells of {} match one cell of {}: {}; {}", side, other_side, words_for(one), words_for(other)),
        {}, "choose one of the two by its label or its version");
  }

  Axis axis_;
  std::map<std::string, std::vector<const CellData*>> baseline_{};  // those in a list differ in the compute device
  std::map<const CellData*, const CellData*> taken_{};
};

std::shared_ptr<const Measured> measured_of(const Side& side, const CellData& cell, std::span<const Judged> judged) {
  const auto known = side.measured.find(&cell);
  return known == side.measured.end() ? std::make_shared<const Measured>(measured(cell, steady(cell), judged))
                                      : known->second;
}

// Returns whether the metric says something of such cells.
bool is_about(const Judged& by, const CellData& cell) {
  return by.metric == nullptr || by.metric->about != About::variants || cell.of.model.is_variant();
}

Status no_variant(const std::vector<Judged>& metrics) {
  return fail(fmt::format("no model is a variant, and {} is about variants only", metrics.front().name()), "--metric",
              "mark the model with variant_of in the study, or leave the metric out");
}

Status no_pair(const Side& baseline, const Side& candidate, Axis axis) {
  const std::vector<std::string> apart = properties_not_shared(axis, baseline.cells, candidate.cells);
  const std::string why = apart.empty()
                              ? std::string(
                                    "two cells match when all their other properties are equal: model, batch size, "
                                    "device, compiler, …")
                              : fmt::format("the sides have no common {}", text::join(apart, ", no common "));
  return fail(fmt::format("no cell of the baseline matches a cell of the candidate by {}: {} and {} cells", name(axis),
                          baseline.cells.size(), candidate.cells.size()),
              {}, why);
}

}  // namespace

std::string_view name(PairStatus status) {
  constexpr std::array<std::string_view, 9> kNames{"judged",           "newly_failed",   "newly_inaccurate",
                                                   "agreement_fell",   "newly_measured", "both_failed",
                                                   "not_measured_yet", "disturbed",      "no_verdict"};
  return kNames.at(static_cast<std::size_t>(status));
}

Measured measured(const CellData& cell, Steady steady, std::span<const Judged> judged) {
  Measured made{.steady = std::move(steady)};
  made.by_process = by_process(judged, cell);
  made.faults = with_page_faults(cell, made.steady);
  release(made.steady.median_by_process);  // a large comparison would have these for half a million processes
  release(made.steady.timed_inferences);
  release(made.steady.alone_inferences);
  return made;
}

Result<Comparison> compare(const Side& baseline, const Side& candidate, Axis axis,
                           const statistics::VerdictRules& rules, std::span<const Judged> judged) {
  Partners partners(axis);
  for (const CellData* cell : baseline.cells) {
    if (const Status added = partners.add(*cell); !added) return error_of(added);
  }
  Comparison comparison{.rules = rules, .judged = {judged.begin(), judged.end()}};
  if (judged.empty()) comparison.judged.push_back({nullptr, rules.margin_ratio});
  const std::vector<Judged>& metrics = comparison.judged;
  std::vector<QuestionsOfMetric> questions(metrics.size());
  std::size_t found = 0;
  for (const CellData* cell : candidate.cells) {
    const auto partner = partners.take(*cell);
    if (!partner) return error_of(partner);
    if (*partner == nullptr) {
      ++comparison.candidate_only;
      continue;
    }
    ++found;
    ComparedPair pair{.baseline = *partner,
                      .candidate = cell,
                      .of_baseline = measured_of(baseline, **partner, metrics),
                      .of_candidate = measured_of(candidate, *cell, metrics)};
    const bool judges_agreement = std::ranges::any_of(metrics, [&pair](const Judged& by) {
      return by.is_by_inputs() && by.metric->about == About::variants &&
             pair.of_baseline->by_process.at(by.metric).value && pair.of_candidate->by_process.at(by.metric).value;
    });
    pair.status = status_of_pair({**partner, *pair.of_baseline}, {*cell, *pair.of_candidate}, judges_agreement);
    const bool may_be_paired = may_share_rounds(baseline, candidate, **partner, *cell);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      pair.by = metrics[i];
      if (is_about(metrics[i], *cell)) questions[i].add(pair, may_be_paired, comparison);
    }
  }
  if (comparison.pairs.empty()) return error_of(found == 0 ? no_pair(baseline, candidate, axis) : no_variant(metrics));
  comparison.baseline_only = baseline.cells.size() - found;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    statistics::VerdictRules of_metric = rules;
    of_metric.error_rate /= static_cast<double>(metrics.size());
    of_metric.margin_ratio = metrics[i].margin_ratio;
    if (metrics[i].is_by_difference()) of_metric.margin_difference = metrics[i].margin_difference;
    if (metrics[i].metric != nullptr) of_metric.quiet_deviation.reset();  // that of speeds
    questions[i].judge_all(comparison, of_metric);
  }
  return comparison;
}

Comparison compare_given(std::span<const GivenPair> pairs, const statistics::VerdictRules& rules) {
  Comparison comparison{.rules = rules, .judged = {{nullptr, rules.margin_ratio}}};
  QuestionsOfMetric questions;
  for (const auto& [baseline, candidate] : pairs) {
    ComparedPair pair{.baseline = baseline,
                      .candidate = candidate,
                      .of_baseline = std::make_shared<const Measured>(measured(*baseline, steady(*baseline))),
                      .of_candidate = std::make_shared<const Measured>(measured(*candidate, steady(*candidate))),
                      .by = comparison.judged.front()};
    pair.status = status_of_pair({*baseline, *pair.of_baseline}, {*candidate, *pair.of_candidate}, false);
    questions.add(std::move(pair), share_rounds(*baseline, *candidate), comparison);
  }
  questions.judge_all(comparison, rules);
  return comparison;
}

}  // namespace ngb::metrics
