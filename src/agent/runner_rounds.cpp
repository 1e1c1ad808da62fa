// SPDX-License-Identifier: Apache-2.0
// Chooses the order of rounds, and ends those of a group when its questions are decided (next_round.h).
#include <limits>

#include "agent/runner.h"

namespace ngb::agent {

// Returns whether the step's round needs its cell. Precondition: no step of an earlier round is left to do.
bool Runner::is_needed(const work::Step& step) {
  if (!job_.protocol.rounds || step.process_index < job_.protocol.rounds->min) return true;
  if (looked_at_round_ != step.process_index) {
    next_round_ =
        next_round(step.process_index, cells_so_far(), group().questions, job_.protocol, job_.question_error_rate);
    looked_at_round_ = step.process_index;
  }
  return next_round_.cells.contains(step.cell_index);
}

// Returns the group's cells with the speeds of their processes that were made as they would be made now.
std::vector<CellSoFar> Runner::cells_so_far() const {
  std::set<int> indices;
  for (const work::Step& step : group().steps) indices.insert(step.cell_index);
  std::vector<CellSoFar> cells;
  for (const int index : indices) {
    const work::Cell& cell = job_.cells[static_cast<std::size_t>(index)];
    const samples::Origin now = origin_of(cell);
    CellSoFar& so_far = cells.emplace_back(CellSoFar{index, ledger_.has_failed(cell.id, now), {}, cell.load_index});
    for (int round = 0; round < work::planned_processes(job_.protocol); ++round) {
      const std::vector<double>* const rates = ledger_.rates(cell.id, round, now);
      if (rates != nullptr) so_far.rates.emplace(round, *rates);
    }
  }
  return cells;
}

// Chooses the group that is visited next (work/order.h). Group by group, each is visited once; else there is a pass
// over all groups for each round.
void Runner::choose_group() {
  looked_at_round_.reset();
  ++group_;
  if (job_.order == work::Order::groups) return;
  const work::Protocol& protocol = job_.protocol;
  const bool may_end_early = job_.order == work::Order::soonest && protocol.rounds;
  const int passes = may_end_early ? protocol.rounds->min : work::planned_processes(protocol);
  if (pass_ < passes && group_ < job_.groups.size()) return;
  if (++pass_ < passes) {
    last_round_ = pass_;
    group_ = 0;
    return;
  }
  pass_ = passes;
  if (may_end_early) choose_soonest();
}

// Chooses the group whose questions are likely to be decided soonest, for one more round; none if all are decided.
void Runner::choose_soonest() {
  std::size_t soonest = job_.groups.size();
  int round = 0;
  double least_s = std::numeric_limits<double>::infinity();
  last_round_ = std::numeric_limits<int>::max();
  for (group_ = 0; group_ < job_.groups.size(); ++group_) {
    looked_at_round_.reset();
    if (!find_step()) continue;
    const double seconds = seconds_until_decided();
    if (seconds >= least_s) continue;
    least_s = seconds;
    soonest = group_;
    round = group().steps[steps_[group_]].process_index;
  }
  looked_at_round_.reset();
  group_ = soonest;
  last_round_ = round;
}

// Estimates how long it takes to decide the group's questions. Precondition: find_step() has found its next step.
double Runner::seconds_until_decided() {
  const int round = group().steps[steps_[group_]].process_index;
  const NextRound next = next_round(round, cells_so_far(), group().questions, job_.protocol, job_.question_error_rate);
  double seconds_per_round = 0;
  for (const int index : next.cells) {
    seconds_per_round += ledger_.seconds_of_a_process(job_.cells[static_cast<std::size_t>(index)].id);
  }
  return seconds_per_round * next.rounds_left;
}

// Records which cells of the group need none of the processes that they have left.
Status Runner::end_rounds() {
  if (!job_.protocol.rounds || is_for_references()) return Done{};
  const int round_after = last_round_;
  last_round_ = std::numeric_limits<int>::max();
  const bool has_more = find_step();
  last_round_ = round_after;
  if (has_more) return Done{};
  std::set<std::string> ended;
  for (const work::Step& step : group().steps) {
    const std::string& id = job_.cell_of(step).id;
    if (!ledger_.has_ended_rounds(id) && next_attempt(step)) ended.insert(id);
  }
  if (ended.empty()) return Done{};
  return record({0, samples::RoundsEnded{{ended.begin(), ended.end()}}});
}

}  // namespace ngb::agent
