// SPDX-License-Identifier: Apache-2.0
// Judges one step of a bisection over versions: whether a version is worse than the baseline as the search asks.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bisection.h"
#include "metrics/comparison.h"

namespace ngb::metrics {

// What a bisection searches for. `faster` is searched for as if it were a fault: the first version that is faster.
// `worse` is so by another metric than the speed.
enum class Fault { slower, fails, inaccurate, faster, worse };
std::string_view name(Fault fault);  // "slower", …
bool is_of_speed(Fault fault);       // else speeds do not matter

struct BisectionRules {
  Fault fault = Fault::slower;
  double threshold_ratio = 0.03;  // of `slower` as GateRules::slower_ratio; of `faster` what the speed exceeds 1 by
  Judged by{};                    // of `worse`: the metric, whose margin is the threshold
  std::set<std::string> cells{};  // the only cells that count, by identity_of; empty: all
};

struct BisectionStep {
  Finding finding = Finding::unusable;
  // The pair that decides the finding. Of several, it is the pair with the lowest ratio (for `faster` the highest); if
  // none has a ratio, the first. If the baseline has no speed in any cell that counts, it is a pair that shows this.
  // Null if no cell counts.
  const ComparedPair* decisive = nullptr;
  std::set<std::string> bad_cells{};  // the cells that show the fault, by identity_of
};

// Judges by the gate's rule (is_regression): the version is bad if any cell shows the fault. Else it is undecided if a
// cell is, or is not measured; else unusable if a cell cannot show the fault, because it fails in another way or for a
// reason that is not the version's (a library that does not load, a full disk); else good. An undecided ratio counts as
// good if its whole interval is above the threshold (for `faster`: below). Cells in which the baseline fails do not
// count. The comparison must be by version and outlive the BisectionStep; it should be adjusted by Holm.
BisectionStep judge_step(const Comparison& comparison, const BisectionRules& rules);

// Returns what identifies a pair's cell in the steps of one bisection.
std::string identity_of(const ComparedPair& pair);

// Returns whether the pair's baseline has no speed, so that the pair says nothing about the candidate.
bool has_failed_baseline(const ComparedPair& pair);

// Returns what a finding means for this fault: "not slower", "fails", "stepped over", …
std::string_view word_of(Finding finding, Fault fault);

// What a bisection found out about one version.
struct TriedVersion {
  std::string version{};
  Finding finding = Finding::unusable;
  std::string cell{};  // the cell that decided: "resnet18, batch 1, on local"; "" if none
  // Of that cell, as in ComparedPair: log of this version's speed over the baseline's, or by another metric.
  std::optional<statistics::Contrast> contrast{};
  std::string why{};      // reason of the finding; "" if the ratio says everything
  int processes = 0;      // of each side; 0 if it was not measured
  std::string results{};  // results folder; "" if it was not measured
};

// A bisection that has ended.
struct Bisected {
  std::string compiler{};
  Fault fault = Fault::slower;
  double threshold_ratio = 0;           // of a fault of speed
  Judged by{};                          // of `worse`
  std::vector<std::string> versions{};  // ascending; the first is the baseline
  std::vector<TriedVersion> tried{};    // ascending, without the baseline; the last version is among them
  std::optional<Bisection> end{};       // indices into `versions`; empty if the last version is not bad
  std::size_t cells = 0;                // of one version
  std::size_t cells_that_count = 0;     // those in which the last version is bad
  std::string folder{};                 // of the bisection
};

}  // namespace ngb::metrics
