// SPDX-License-Identifier: Apache-2.0
#include "agent/schedule.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace ngb::agent {

namespace {

constexpr int kEveryRound = std::numeric_limits<int>::max();

bool ends_when_decided(const work::Job& job) { return job.protocol.rounds && job.task == work::Task::measure; }

// Returns how often all groups are visited.
int passes_of(const work::Job& job) {
  if (job.order == work::Order::groups) return 1;
  return ends_when_decided(job) ? job.protocol.rounds->min : work::planned_processes(job.protocol);
}

// Returns the last round that is measured in this pass.
int last_round_of(const work::Job& job, int pass) {
  if (job.order != work::Order::groups) return pass;
  return ends_when_decided(job) ? job.protocol.rounds->min - 1 : kEveryRound;
}

// Returns whether something is recorded of the group's next round.
bool has_begun_round(const GroupSoFar& group) {
  return std::any_of(group.cells.begin(), group.cells.end(),
                     [&](const CellSoFar& cell) { return cell.numbers.contains(group.round); });
}

// Returns the deviation of quiet cells in this environment: of several numbers of threads, the largest one. Returns
// nothing if one of them was not calibrated.
std::optional<double> quiet_deviation_of(const work::Job& job, const Schedule::OriginOf& origin_of) {
  std::optional<double> largest;
  for (const work::Cell& cell : job.cells) {
    const auto known = std::find_if(job.quiet_deviations.begin(), job.quiet_deviations.end(), [&](const auto& each) {
      return each.threads == job.compiler_of(cell).threads && each.environment_hash == origin_of(cell).environment_hash;
    });
    if (known == job.quiet_deviations.end()) return std::nullopt;
    largest = std::max(largest.value_or(0), known->deviation);
  }
  return largest;
}

}  // namespace

Schedule::Schedule(const work::Job& job, const Ledger& ledger, OriginOf origin_of)
    : job_(job),
      ledger_(ledger),
      origin_of_(std::move(origin_of)),
      steps_(job.groups.size(), 0),
      last_round_(last_round_of(job, 0)) {
  if (job.verdicts_of_gate) rules_.adjustment = statistics::Adjustment::holm;
  // Where processes that had to wait count, they may differ by any amount.
  constexpr double kMostWait = 0.1;
  const bool are_quiet = job.limits.disturbance.max_wait_ratio <= kMostWait;
  if (are_quiet) rules_.early_deviation = statistics::kEarlyDeviation;
}

Schedule::Next Schedule::next() {
  if (ledger_.is_finished() || group_ == job_.groups.size()) return Next::finish;
  const bool has_more = job_.task == work::Task::make_references ? !ledger_.has_reference(model().key) : find_step();
  return has_more ? Next::visit : Next::leave;
}

// Advances to the group's first step that is not decided. Returns false if there is none in the rounds of this visit. A
// decided step stays decided, so none is examined twice: a group may have a million steps.
bool Schedule::find_step() {
  const std::vector<work::Step>& steps = group().steps;
  for (std::size_t& at = steps_[group_]; at < steps.size() && steps[at].process_index <= last_round_; ++at) {
    if (next_attempt(steps[at]) && is_needed(steps[at])) return true;
  }
  return false;
}

// Returns whether the step's round needs its cell. A round that the group has left behind needs none.
bool Schedule::is_needed(const work::Step& step) const {
  if (!ends_when_decided(job_) || step.process_index < job_.protocol.rounds->min) return true;
  return step.process_index == so_far_[group_].round && needs_[group_].cells.contains(step.cell_index);
}

// Returns the group's cells with the numbers of their processes that were made as they would be made now. Its next
// round is the newest one of which something is recorded: an agent that was killed in the middle of it completes it.
GroupSoFar Schedule::so_far(std::size_t group) const {
  const work::Group& asked = job_.groups[group];
  const bool is_by_saved_bits = job_.decided_by && job_.decided_by->metric == work::kSavedBits;
  const std::size_t bounds = job_.decided_by ? job_.decided_by->bounds.size() : 0;
  GroupSoFar found{.asked = asked.questions,
                   .round = job_.protocol.rounds->min,
                   .batch = job_.model_of(asked).key.batch,
                   .factor = is_by_saved_bits ? asked.saved_bits : 1,
                   .saved_bits = asked.saved_bits};
  std::set<int> indices;
  for (const work::Step& step : asked.steps) indices.insert(step.cell_index);
  for (const int index : indices) {
    const work::Cell& cell = job_.cells[static_cast<std::size_t>(index)];
    const samples::Origin now = origin_in(group, cell);
    CellSoFar& so_far = found.cells.emplace_back(
        CellSoFar{index, ledger_.has_failed(cell.id, now), {}, cell.compiler_index, cell.load_index});
    for (int round = 0; round < work::planned_processes(job_.protocol); ++round) {
      const std::vector<double>* const numbers = ledger_.numbers(cell.id, round, now);
      if (numbers == nullptr) continue;
      const auto of_bounds = numbers->begin() + static_cast<std::ptrdiff_t>(std::min(bounds, numbers->size()));
      so_far.kept.emplace(round, std::vector(numbers->begin(), of_bounds));
      so_far.numbers.emplace(round, std::vector(of_bounds, numbers->end()));
    }
    if (!so_far.numbers.empty()) found.round = std::max(found.round, so_far.numbers.rbegin()->first);
  }
  return found;
}

// Steps that were decided without the model's hash are examined again.
void Schedule::use_model(const std::string& file_sha256) {
  model_sha256_ = file_sha256;
  steps_[group_] = 0;
}

std::vector<const work::Step*> Schedule::steps() {
  if (!find_step()) return {};
  const std::vector<work::Step>& steps = group().steps;
  const std::size_t first = steps_[group_];
  std::vector<const work::Step*> found{&steps[first]};
  if (job_.protocol.turns == 1) return found;
  for (std::size_t at = first + 1; at < steps.size() && steps[at].process_index == steps[first].process_index; ++at) {
    if (next_attempt(steps[at]) && is_needed(steps[at])) found.push_back(&steps[at]);
  }
  return found;
}

samples::RoundsEnded Schedule::ended_rounds() const {
  samples::RoundsEnded found;
  for (std::size_t group = 0; group < needs_.size(); ++group) {
    const bool has_rounds = so_far_[group].round < work::planned_processes(job_.protocol);
    for (const CellSoFar& so_far : so_far_[group].cells) {
      const work::Cell& cell = job_.cells[static_cast<std::size_t>(so_far.cell_index)];
      const bool is_open = has_rounds && needs_[group].cells.contains(so_far.cell_index);
      if (is_open == !ledger_.has_ended_rounds(cell.id)) continue;
      if (is_open)
        found.reopened_ids.push_back(cell.id);
      else if (has_left(group, cell))
        found.cell_ids.push_back(cell.id);
    }
  }
  std::sort(found.cell_ids.begin(), found.cell_ids.end());
  std::sort(found.reopened_ids.begin(), found.reopened_ids.end());
  return found;
}

void Schedule::leave() {
  model_sha256_.clear();
  if (!needs_.empty()) {
    const int measured = so_far_[group_].round;
    so_far_[group_] = so_far(group_);
    so_far_[group_].round = measured + 1;
    return choose_open();
  }
  if (++group_ < job_.groups.size()) return;
  if (++pass_ < passes_of(job_)) {
    last_round_ = last_round_of(job_, pass_);
    group_ = 0;
    return;
  }
  if (!ends_when_decided(job_)) return;
  rules_.quiet_deviation = quiet_deviation_of(job_, origin_of_);
  for (std::size_t group = 0; group < job_.groups.size(); ++group) so_far_.push_back(so_far(group));
  choose_open();
}

// Judges what was measured, and chooses the next group with an open question: the one that is likely to be decided
// soonest if the order says so, else the first of those with the fewest rounds. Chooses none if none is open.
void Schedule::choose_open() {
  const int planned = work::planned_processes(job_.protocol);
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    needs_ = next_rounds(so_far_, *job_.protocol.rounds, rules_, job_.decided_by);
    std::size_t chosen = job_.groups.size();
    double least = std::numeric_limits<double>::infinity();
    for (group_ = 0; group_ < job_.groups.size(); ++group_) {
      int& round = so_far_[group_].round;
      last_round_ = round;
      if (!needs_[group_].cells.empty() && round < planned && find_step()) {
        const double cost = job_.order == work::Order::soonest ? seconds_until_decided() : round;
        if (cost >= least) continue;
        least = cost;
        chosen = group_;
      } else if (round < planned && (!needs_[group_].cells.empty() || has_begun_round(so_far_[group_]))) {
        ++round;  // nothing of it is left: another agent has measured it
        has_moved = true;
      }
    }
    group_ = chosen;
  }
  if (group_ < job_.groups.size()) last_round_ = so_far_[group_].round;
}

// Estimates how long it takes to decide the group's questions.
double Schedule::seconds_until_decided() const {
  double seconds_per_round = 0;
  for (const int index : needs_[group_].cells) {
    seconds_per_round += ledger_.seconds_of_a_process(job_.cells[static_cast<std::size_t>(index)].id);
  }
  return seconds_per_round * needs_[group_].rounds_left;
}

// The group's next step stays the same until its process is recorded.
const work::Cell& Schedule::cell_of(const std::string& cell_id) const {
  const auto begun = group().steps.begin() + static_cast<std::ptrdiff_t>(steps_[group_]);
  const auto step = std::find_if(begun, group().steps.end(),
                                 [&](const work::Step& each) { return job_.cell_of(each).id == cell_id; });
  return job_.cell_of(*step);
}

samples::Origin Schedule::origin_of(const work::Cell& cell) const { return origin_in(group_, cell); }

samples::Origin Schedule::origin_in(std::size_t group, const work::Cell& cell) const {
  samples::Origin origin = origin_of_(cell);
  if (group == group_) origin.model_sha256 = model_sha256_;
  return origin;
}

std::optional<int> Schedule::next_attempt(const work::Step& step) const {
  const work::Cell& cell = job_.cell_of(step);
  // Without its toolchain a process cannot be run again, so its recorded result counts whatever it was made with.
  const bool is_missing = !job_.place_of(job_.compiler_of(cell)).why_missing.empty();
  if (is_missing && ledger_.has_completed(cell.id, step.process_index)) return std::nullopt;
  return ledger_.next_attempt(cell.id, step.process_index, origin_of(cell));
}

bool Schedule::is_done(const work::Cell& cell) const { return !has_left(group_, cell); }

bool Schedule::has_left(std::size_t group, const work::Cell& cell) const {
  for (int process = 0; process < work::planned_processes(job_.protocol); ++process) {
    if (ledger_.next_attempt(cell.id, process, origin_in(group, cell))) return true;
  }
  return false;
}

}  // namespace ngb::agent
