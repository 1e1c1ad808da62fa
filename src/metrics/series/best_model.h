// SPDX-License-Identifier: Apache-2.0
// Finds which model is the best for a goal, given compilers: of each model its best setting, on one device or over
// several, and what is told of it beside the best model.
#pragma once

#include <vector>

#include "metrics/goal.h"
#include "metrics/judging.h"
#include "metrics/series/relation.h"

namespace ngb::metrics::series {

// A model in a race, with its best setting on each device.
struct Contender {
  std::vector<std::size_t> cells{};  // of the analysis, in the order of the devices' first cells
  std::size_t cell = 0;              // whose value is the model's; of Across::mean the first one
  Judgement judgement{};             // of how much better the leader is; of the leader itself nothing

  // Returns whether it is told worse than the leader, so that it is not the best.
  [[nodiscard]] bool is_out() const { return judgement.verdict == Verdict::faster; }
};

// The models at one batch size and load, on one device (Across::each) or over all that count.
struct ModelRace {
  std::vector<Contender> contenders{};  // at least two; the leader first, then the others, the best first

  // Returns whether all others are told worse than the leader.
  [[nodiscard]] bool is_won() const;
};

// Returns the races of models in the order of their first cells. A cell takes part if `allowed`, which has a value for
// each cell of the analysis, says so and its device counts; over several devices a model takes part that has such a
// cell on each. Any setting might have been the best one, of its model and of all models, so each is compared with the
// best of all k settings, as in fastest.h; over devices k counts each choice of a setting for each device. If rounds
// were over models (work::Over), pairs are compared by rounds, from the first one on, as the device did.
std::vector<ModelRace> races_of_models(const Analysis& analysis, const Judged& by, const Goal& goal,
                                       const std::vector<bool>& allowed);

// Returns whether the results vary one network, so that which model is the fastest is asked although no goal says it:
// several models of one group with parameters that differ, none of which is a variant or generates tokens.
bool is_one_network_varied(const Analysis& analysis);

// Returns whether the device counts for the goal.
bool counts_for(const Goal& goal, const store::CellData& cell);

// Returns the value of a contender with its interval: that of its cell, or the mean over devices.
Value value_of(const Analysis& analysis, const Judged& by, const Goal& goal, const Contender& contender);

}  // namespace ngb::metrics::series
