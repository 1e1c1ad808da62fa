// SPDX-License-Identifier: Apache-2.0
// Decides which cells of a group the next round measures, in a study whose rounds end when its questions are
// decided (work::Rounds). It depends on recorded speeds alone, so an agent that was killed and started again decides as
// the first one did. Pure.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "work/cell.h"
#include "work/protocol.h"

namespace ngb::agent {

struct CellSoFar {
  int cell_index = 0;
  bool has_failed = false;  // it has no further rounds
  // Of its completed processes, by round: inferences per second of each steady repetition, in the order run.
  std::map<int, std::vector<double>> rates{};
  int load_index = 0;
};

struct NextRound {
  std::set<int> cells{};  // indices of those that it needs
  int rounds_left = 0;    // with this one, until everything is likely decided
};

// Returns what round `round` (0 …) needs: all cells in the first rounds, then both cells of
// each open question. Open is a question that the looks after earlier rounds have not decided (statistics::decide),
// unless one of its cells has failed. `asked` are the group's questions; with Until::decided the two cells of
// each load that are fastest so far are compared as well. `error_rate` is that of a question.
NextRound next_round(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                     const work::Protocol& protocol, double error_rate);

}  // namespace ngb::agent
