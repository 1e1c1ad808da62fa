// SPDX-License-Identifier: Apache-2.0
// Relates the speeds of cells to each other as parts of contrasts (contrast.h), for numbers that span cells.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/judging.h"
#include "metrics/metric.h"
#include "statistics/contrast.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {

using statistics::Judgement;
using statistics::Question;
using statistics::Verdict;
using statistics::VerdictRules;

// Parts of a contrast, or the reason why there are none.
struct Relation {
  Question parts{};
  std::string reason{};
  std::vector<std::vector<std::size_t>> cells{};  // from which each part was measured: one cell, or both of a pair
};

// Returns weight · log(T of `cell` / T of `other`): one paired part if the cells share rounds, else two parts.
Relation log_ratio(const Analysis& analysis, std::size_t cell, std::size_t other, double weight = 1);
// Returns how much better the cell is than another one by a metric, whose values Steady::judged has: as log_ratio of
// the speed, or the difference of a metric that is judged by it.
Relation contrast_by(const Judged& by, const Analysis& analysis, std::size_t cell, std::size_t other);
// Returns weight · log(speed-up of the cell). It has no parts if the cell has no baseline or one of them no speed.
Relation log_speed_up(const Analysis& analysis, std::size_t cell, double weight = 1);
// Returns weight · log(T of the cell / T of the same compiler at batch 1).
Relation log_rtr(const Analysis& analysis, std::size_t cell, double weight = 1);
// Returns weight · log(processor time per wall time of the cell / that of its baseline).
Relation log_cpu_ratio(const Analysis& analysis, std::size_t cell, double weight = 1);
// Returns weight · log T of the cell, as a part of its own.
Relation log_speed(const Analysis& analysis, std::size_t cell, double weight = 1);

// Returns the sum of the relations as one contrast. Parts that were measured from the same cells become one part,
// because the parts of a contrast share no number. If some relations have a reason, the sum has the reason of the first
// of them; it has one too if a cell would be in two parts all the same. Precondition: all relations are of one
// quantity.
Relation sum_of(std::vector<Relation> relations);

// Returns whether each part has as many rounds or processes as a verdict needs (kLeastRounds).
bool has_enough_processes(const Relation& relation);

// Returns what a question about the cell's speed is judged by. `other` is the cell that it is compared with; nothing:
// its baseline, or another cell of its own setting.
statistics::Context context_of(const Analysis& analysis, std::size_t cell, std::optional<std::size_t> other = {});

// Returns the exponential of the contrast, or the reason. Of one of several `intervals` that hold together, each has
// the error rate divided by their number (Bonferroni).
Value ratio_value(const Analysis& analysis, const Relation& relation, std::size_t intervals = 1);

// Returns the name of the cell's failure, or "" for a cell that has a speed: "resnet18, batch 4: crash in compile".
std::string why_no_speed(const Analysis& analysis, std::size_t cell);

}  // namespace ngb::metrics::series
