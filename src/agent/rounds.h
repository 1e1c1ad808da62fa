// SPDX-License-Identifier: Apache-2.0
// Decides which cells the next rounds of a job's groups measure, in a study whose rounds end when its questions are
// decided (work::Rounds). The verdicts are those of `ngb compare`, `ngb gate`, the live page and the answer
// (statistics/verdict.h), over all groups of the job together: what is open here is undecided there. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "statistics/verdict.h"
#include "work/cell.h"
#include "work/decided_by.h"
#include "work/protocol.h"

namespace ngb::agent {

struct CellSoFar {
  int cell_index = 0;
  bool has_failed = false;  // it has no further rounds
  // The numbers of each completed process that decide, by round: its speeds by time (samples/steady_rates.h) in
  // inferences per second, or its number of a metric, none if that is unknown.
  std::map<int, std::vector<double>> numbers{};
  int compiler_index = 0;
  int load_index = 0;
  std::map<int, std::vector<double>> kept{};  // likewise, how well it keeps each bound (samples::deciding_numbers)
};

struct GroupSoFar {
  std::vector<CellSoFar> cells{};
  std::span<const work::Question> asked{};
  int round = 0;  // the next one: what is recorded of it and of later ones does not count
  int batch = 1;
  double factor = 1;  // by which what decides is multiplied to be compared with other models; 0: it is in no comparison
  double saved_bits = 0;  // as work::Group says
};

struct NextRound {
  std::set<int> cells{};  // indices of those that it needs
  int rounds_left = 0;    // with this one, until everything is likely decided
};

// Returns for each group what its next round needs: both cells of each question whose verdict is undecided, unless one
// of them has failed. The questions are those asked and, with Until::decided, how the fastest cell of each load
// compares with each other one: the cells that it is not yet told to beat, or to equal, may be the fastest. The first
// ones are judged all together, as on the live page, and those of each two compilers together, as in a comparison of
// these; the second ones all together, each weighted by half the number of cells that race, as in
// metrics/series/fastest.h. Precondition: the group has had its first `rounds.min` rounds.
// `decided_by` is what the cells are compared by; nothing: their speed. With a metric, the fastest cell is the best
// one.
//
// With Over::models nothing else is asked than how the best setting, a cell of any group with the batch size and load,
// compares with those of each other model; all settings race. Speeds are judged from the first round on
// if `rules` have an early deviation. Of a pair whose groups have had unlike rounds, the one with fewer gets the next
// one. A setting that has been far beyond one of DecidedBy::bounds is out; one that has been beyond does not lead.
std::vector<NextRound> next_rounds(std::span<const GroupSoFar> groups, const work::Rounds& rounds,
                                   statistics::VerdictRules rules,
                                   const std::optional<work::DecidedBy>& decided_by = {});

}  // namespace ngb::agent
