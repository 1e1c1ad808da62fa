// SPDX-License-Identifier: Apache-2.0
// Compares two sides of results cell by cell: finds the cells that belong together and judges each pair.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "metrics/allocator.h"
#include "metrics/axis.h"
#include "metrics/judging.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "statistics/verdict.h"
#include "store/store.h"

namespace ngb::metrics {

enum class PairStatus {
  judged,            // both sides have a speed: `judgement` holds
  newly_failed,      // the baseline has a speed, the candidate failed or lost processes as the baseline did not
  newly_inaccurate,  // the baseline has a speed, the candidate's outputs are wrong
  agreement_fell,    // of variants: the baseline has a speed, the candidate agrees less with the exact model
  newly_measured,    // the baseline failed, the candidate has a speed
  both_failed,
  not_measured_yet,  // one side or both have no processes yet
  disturbed,         // one side or both were never measured on a quiet machine
  no_verdict  // both sides have a speed, of which one is perhaps that of another computation (Steady::no_verdict), or
              // one side does not have the metric
};
std::string_view name(PairStatus status);  // "judged", "newly_failed", …

// What would likely decide an undecided pair: rounds of both sides, beside those that it has.
struct MoreRounds {
  int count = 0;
  bool is_minimum = false;          // a verdict needs so many; whether they are enough is unknown
  std::optional<double> seconds{};  // for the processes of both sides, each as long as before; empty if unknown
};

// What a comparison needs of all that was measured of a cell.
struct Measured {
  Steady steady{};
  std::vector<SpeedWithFaults> faults{};
  std::vector<RaisedFlag> flags{};  // in the table's order
  ByProcess by_process{};           // of the metrics that are judged beside the speed
};
// Returns that of a cell, with those parts of `steady` by which speeds are compared. Flags depend on other cells of the
// family, so there are none yet.
Measured measured(const store::CellData& cell, Steady steady, std::span<const Judged> judged = {});

struct ComparedPair {
  const store::CellData* baseline = nullptr;
  const store::CellData* candidate = nullptr;
  std::shared_ptr<const Measured> of_baseline{};
  std::shared_ptr<const Measured> of_candidate{};
  Judged by{};
  PairStatus status = PairStatus::judged;
  // Its contrast is log(candidate / baseline) of what is better if it is higher, else log(baseline / candidate): above
  // 0 the candidate is better. Of a metric that is judged by a difference, it is candidate - baseline, likewise.
  statistics::Judgement judgement{};
  bool is_paired = false;      // the ratio is that of rounds that both sides have; else their processes are independent
  std::size_t rounds = 0;      // that were judged; not paired: processes of the side with fewer; or inputs
  bool is_same_build = false;  // both sides are the same thing: they differ by noise
  // Of judged pairs: geometric mean of the processes' speeds, or of the metric; mean of one judged by a difference.
  std::optional<double> baseline_value{};
  std::optional<double> candidate_value{};  // likewise
  std::optional<MoreRounds> more_rounds{};  // of an undecided pair, if it can be estimated
};

struct Comparison {
  std::vector<ComparedPair> pairs{};  // in the order of the candidate's cells
  std::size_t baseline_only = 0;      // cells of the baseline without a partner
  std::size_t candidate_only = 0;
  statistics::VerdictRules rules{};
  std::vector<Judged> judged{};  // at least one; each has rules.error_rate / their number and its own margin
};

struct Side {
  std::vector<const store::CellData*> cells{};  // must outlive the comparison
  const void* origin = nullptr;                 // equal for two sides from the same results file
  // Of cells that no longer have their repetitions.
  std::map<const store::CellData*, std::shared_ptr<const Measured>> measured{};
};

// Judges every pair of cells that differ in nothing but the axis, by each metric of `judged` (none: by the speed, with
// the rules' margin); several metrics share the rules' error rate in equal parts. Pairs of the same build are judged by
// themselves: they do not count among the comparisons for which the others are adjusted. Metrics about variants judge
// no other cells. Returns an error if there is no pair (it names the properties that the sides do not share), or if a
// cell has several partners (named in the error).
Result<Comparison> compare(const Side& baseline, const Side& candidate, Axis axis,
                           const statistics::VerdictRules& rules, std::span<const Judged> judged = {});

// Judges the speeds of pairs that are given, baseline and candidate of one results file, in their order: they may
// differ in every property of their compilers.
using GivenPair = std::pair<const store::CellData*, const store::CellData*>;
Comparison compare_given(std::span<const GivenPair> pairs, const statistics::VerdictRules& rules);

}  // namespace ngb::metrics
