// SPDX-License-Identifier: Apache-2.0
// Finds the settings that may be the fastest of their device and workload, or the best by another metric, and the one
// that is told to be.
#pragma once

#include <vector>

#include "metrics/series/findings.h"
#include "metrics/series/relation.h"

namespace ngb::metrics::series {

// A setting of a workload beside the best one.
struct Rival {
  std::size_t cell = 0;   // of the analysis
  Judgement judgement{};  // of how much better the leader is (contrast_by), adjusted as races_of says
  double limit = 0;       // two contrasts that differ by less are the same (Judged::limit)

  // Returns whether it is told slower, or worse, than the leader, so that it is not the best.
  [[nodiscard]] bool is_slower() const { return judgement.verdict == Verdict::faster; }
  // Returns whether the two differ by less than the margin, whether or not the difference is told.
  [[nodiscard]] bool is_same() const;
};

// A workload on a device.
struct Race {
  std::size_t leader = 0;       // the cell of the analysis with the highest speed, or the best one
  std::vector<Rival> rivals{};  // at least one, the best first

  // Returns whether all others are told slower.
  [[nodiscard]] bool is_won() const;
  // Returns the cells that may be the fastest: the leader, and the rivals that are not told slower.
  [[nodiscard]] std::vector<std::size_t> candidates() const;
  // Returns that of "another one is the fastest": the largest one of the rivals; 1 if one of them cannot be tested.
  [[nodiscard]] double adjusted_p() const;
};

// Returns the workloads that have at least two settings with a speed, in the order of their first cells. These are
// multiple comparisons with the best (Hsu 1981): a setting may be the fastest unless it is told slower than the leader.
// Of k settings each could have been the leader, so k/2 times the two-sided p value of a rival bounds the chance of
// leaving out the fastest one (Bonferroni); Benjamini's and Hochberg's procedure over all rivals of all workloads
// leaves out no more.
// `by` is what decides, the speed or a metric of which the cells have values.
std::vector<Race> races_of(const Analysis& analysis, const Judged& by = {});

// Returns a finding for each setting that is the fastest of at least one workload.
std::vector<Finding> about_fastest(const Analysis& analysis);

}  // namespace ngb::metrics::series
