// SPDX-License-Identifier: Apache-2.0
// Compares two sides of results cell by cell: finds the cells that belong together and judges each pair.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/allocator.h"
#include "metrics/axis.h"
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
  no_verdict  // both sides have a speed, of which one is perhaps that of another computation (Steady::no_verdict)
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
};
// Returns that of a cell, with those parts of `steady` by which speeds are compared. Flags depend on other cells of the
// family, so there are none yet.
Measured measured(const store::CellData& cell, Steady steady);

struct ComparedPair {
  const store::CellData* baseline = nullptr;
  const store::CellData* candidate = nullptr;
  std::shared_ptr<const Measured> of_baseline{};
  std::shared_ptr<const Measured> of_candidate{};
  PairStatus status = PairStatus::judged;
  statistics::Judgement judgement{};
  bool is_paired = false;      // the ratio is that of rounds that both sides have; else their processes are independent
  std::size_t rounds = 0;      // that were judged; not paired: processes of the side with fewer
  bool is_same_build = false;  // both sides are the same thing: they differ by noise
  std::optional<double> baseline_per_s{};   // geometric mean of the processes' speeds; of judged pairs
  std::optional<double> candidate_per_s{};  // likewise
  std::optional<MoreRounds> more_rounds{};  // of an undecided pair, if it can be estimated
};

struct Comparison {
  std::vector<ComparedPair> pairs{};  // in the order of the candidate's cells
  std::size_t baseline_only = 0;      // cells of the baseline without a partner
  std::size_t candidate_only = 0;
  statistics::VerdictRules rules{};
};

struct Side {
  std::vector<const store::CellData*> cells{};  // must outlive the comparison
  const void* origin = nullptr;                 // equal for two sides from the same results file
  // Of cells that no longer have their repetitions.
  std::map<const store::CellData*, std::shared_ptr<const Measured>> measured{};
};

// Judges every pair of cells that differ in nothing but the axis. Pairs of the same build are judged by themselves:
// they do not count among the comparisons for which the others are adjusted. Returns an error if there is no pair (it
// names the properties that the sides do not share), or if a cell has several partners (named in the error).
Result<Comparison> compare(const Side& baseline, const Side& candidate, Axis axis,
                           const statistics::VerdictRules& rules);

// Recognizes pairs whose two sides are the same thing. Their differences show how noisy the device is.

// Returns the kind of device that computed, as the compiler reported it ("cpu", "cuda", …); "" if it reported none or
// the cell has no completed process.
std::string compute_device_of(const store::CellData& cell);

// Returns whether both cells were measured with the same model, batch size, build (samples::Provenance), options,
// threads and precision, on the same device and compute device, in the same environment. Returns false for a cell
// without a completed process or whose build is unknown.
bool is_same_build(const store::CellData& a, const store::CellData& b);

// The differences between equal sides on one device.
struct NoiseFloor {
  std::string device{};
  std::string compute_device{};   // "" if unknown
  std::size_t pairs = 0;          // at least 1
  double median_difference = 0;   // of |ratio - 1|
  double largest_difference = 0;  // of |ratio - 1|
};

// Returns one floor for each device that has judged pairs of the same build, in the order of the pairs. A pair whose
// sides are one and the same measurement (a copy of a results folder) does not count.
std::vector<NoiseFloor> noise_floors(const Comparison& comparison);

}  // namespace ngb::metrics
