// SPDX-License-Identifier: Apache-2.0
// Compares cells with their baselines during a run, by the same statistical tests as the report. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "live/state.h"

namespace ngb::live {

// A cell and its baseline, by their positions in State::cells.
struct Pair {
  std::size_t cell = 0;
  std::size_t baseline = 0;
};

// In runs with more cells, none is compared: it would cost the run's thread too much time.
inline constexpr std::size_t kMostCellsCompared = 5'000;

class Verdicts {
 public:
  Verdicts() = default;
  // Each cell is in one pair at most. Every cell has at most `most_rounds` rounds.
  Verdicts(std::vector<Pair> pairs, int most_rounds);

  // A process has completed; `samples_per_s` is the mean over its steady repetitions, above 0.
  void note(std::size_t cell, int round, double samples_per_s);

  // Gives each cell of a pair its speed-up over the rounds that both sides have, from two rounds on, and from three on
  // its verdict. All pairs are judged together, as in the report, and the error rates hold although each pair is looked
  // at after every round. Does nothing if no process has completed since the last call.
  void show_in(State& state);

 private:
  std::vector<Pair> pairs_{};
  int most_rounds_ = 0;
  std::map<std::size_t, std::map<int, double>> log_speeds_{};  // cell → round → log(samples/s)
  bool is_changed_ = false;
};

}  // namespace ngb::live
