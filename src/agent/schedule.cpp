// SPDX-License-Identifier: Apache-2.0
#include "agent/schedule.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "statistics/sequential.h"

namespace ngb::agent {

namespace {

constexpr int kEveryRound = std::numeric_limits<int>::max();

}  // namespace

Schedule::Schedule(const work::Job& job, const Ledger& ledger, OriginOf origin_of)
    : job_(job),
      ledger_(ledger),
      origin_of_(std::move(origin_of)),
      steps_(job.groups.size(), 0),
      last_round_(job.order == work::Order::groups ? kEveryRound : 0) {}

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

// Returns whether the step's round needs its cell. Precondition: no step of an earlier round is left to do.
bool Schedule::is_needed(const work::Step& step) {
  if (!job_.protocol.rounds || step.process_index < job_.protocol.rounds->min) return true;
  if (needed_.round != step.process_index) needed_ = {step.process_index, needs_of(step.process_index)};
  return needed_.next.cells.contains(step.cell_index);
}

NextRound Schedule::needs_of(int round) const {
  return next_round(round, cells_so_far(), group().questions, job_.protocol, job_.question_error_rate);
}

// Returns the group's cells with the speeds of their processes that were made as they would be made now.
std::vector<CellSoFar> Schedule::cells_so_far() const {
  std::set<int> indices;
  for (const work::Step& step : group().steps) indices.insert(step.cell_index);
  std::vector<CellSoFar> cells;
  for (const int index : indices) {
    const work::Cell& cell = job_.cells[static_cast<std::size_t>(index)];
    const samples::Origin now = origin_of(cell);
    CellSoFar& so_far = cells.emplace_back(CellSoFar{index, ledger_.has_failed(cell.id, now), {}, cell.load_index});
    for (int round = 0; round < work::planned_processes(job_.protocol); ++round) {
      const std::vector<double>* const speeds = ledger_.speeds(cell.id, round, now);
      if (speeds != nullptr) so_far.speeds.emplace(round, *speeds);
    }
  }
  return cells;
}

// Steps that were decided without the model's hash are examined again.
void Schedule::use_model(const std::string& file_sha256) {
  model_sha256_ = file_sha256;
  steps_[group_] = 0;
  needed_ = {};
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

std::vector<std::string> Schedule::cells_that_end() {
  if (!job_.protocol.rounds || job_.task == work::Task::make_references) return {};
  const int last_round = std::exchange(last_round_, kEveryRound);
  const bool has_more = find_step();
  last_round_ = last_round;
  if (has_more) return {};
  std::set<std::string> ended;
  for (const work::Step& step : group().steps) {
    const std::string& id = job_.cell_of(step).id;
    if (!ledger_.has_ended_rounds(id) && next_attempt(step)) ended.insert(id);
  }
  return {ended.begin(), ended.end()};
}

// Group by group, each is visited once; else there is a pass over all groups for each round.
void Schedule::leave() {
  model_sha256_.clear();
  needed_ = {};
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
void Schedule::choose_soonest() {
  std::size_t soonest = job_.groups.size();
  int round = 0;
  double least_s = std::numeric_limits<double>::infinity();
  last_round_ = kEveryRound;
  for (group_ = 0; group_ < job_.groups.size(); ++group_) {
    needed_ = {};
    if (!find_step()) continue;
    const double seconds = seconds_until_decided();
    if (seconds >= least_s) continue;
    least_s = seconds;
    soonest = group_;
    round = found_step().process_index;
  }
  needed_ = {};
  group_ = soonest;
  last_round_ = round;
}

// Estimates how long it takes to decide the group's questions. Precondition: find_step() has found its next step.
double Schedule::seconds_until_decided() const {
  const NextRound next = needs_of(found_step().process_index);
  double seconds_per_round = 0;
  for (const int index : next.cells) {
    seconds_per_round += ledger_.seconds_of_a_process(job_.cells[static_cast<std::size_t>(index)].id);
  }
  return seconds_per_round * next.rounds_left;
}

// The group's next step stays the same until its process is recorded.
const work::Cell& Schedule::cell_of(const std::string& cell_id) const {
  const auto begun = group().steps.begin() + static_cast<std::ptrdiff_t>(steps_[group_]);
  const auto step = std::find_if(begun, group().steps.end(),
                                 [&](const work::Step& each) { return job_.cell_of(each).id == cell_id; });
  return job_.cell_of(*step);
}

samples::Origin Schedule::origin_of(const work::Cell& cell) const {
  samples::Origin origin = origin_of_(cell);
  origin.model_sha256 = model_sha256_;
  return origin;
}

std::optional<int> Schedule::next_attempt(const work::Step& step) const {
  const work::Cell& cell = job_.cell_of(step);
  // Without its toolchain a process cannot be run again, so its recorded result counts whatever it was made with.
  const bool is_missing = !job_.place_of(job_.compiler_of(cell)).why_missing.empty();
  if (is_missing && ledger_.has_completed(cell.id, step.process_index)) return std::nullopt;
  return ledger_.next_attempt(cell.id, step.process_index, origin_of(cell));
}

bool Schedule::is_done(const work::Cell& cell) const {
  for (int process = 0; process < work::planned_processes(job_.protocol); ++process) {
    if (ledger_.next_attempt(cell.id, process, origin_of(cell))) return false;
  }
  return true;
}

namespace {

using Pair = std::pair<const CellSoFar*, const CellSoFar*>;

std::size_t fewest_repetitions(const CellSoFar& cell, int before_round) {
  std::size_t fewest = cell.speeds.empty() ? 0 : cell.speeds.begin()->second.size();
  for (auto of_round = cell.speeds.begin(); of_round != cell.speeds.lower_bound(before_round); ++of_round) {
    fewest = std::min(fewest, of_round->second.size());
  }
  return fewest;
}

// Returns log(a / b) of each earlier round that holds both, from equally many repetitions of both.
std::vector<double> log_ratios(const CellSoFar& a, const CellSoFar& b, int before_round) {
  const std::size_t count = std::min(fewest_repetitions(a, before_round), fewest_repetitions(b, before_round));
  std::vector<double> ratios;
  for (const auto& [round, speeds] : a.speeds) {
    const auto other = b.speeds.find(round);
    if (round >= before_round || other == b.speeds.end() || count == 0) continue;
    ratios.push_back(std::log(speeds[count - 1] / other->second[count - 1]));
  }
  return ratios;
}

std::optional<double> mean_log_speed(const CellSoFar& cell, int before_round) {
  std::vector<double> logs;
  for (const auto& [round, speeds] : cell.speeds) {
    if (round < before_round && !speeds.empty()) logs.push_back(std::log(speeds.back()));
  }
  return logs.empty() ? std::nullopt : std::optional(statistics::mean(logs));
}

std::optional<Pair> two_fastest(std::span<const CellSoFar> cells, int load_index, int before_round) {
  std::vector<std::pair<double, const CellSoFar*>> by_speed;
  for (const CellSoFar& cell : cells) {
    if (cell.load_index != load_index) continue;
    const std::optional<double> speed = mean_log_speed(cell, before_round);
    if (speed && !cell.has_failed) by_speed.emplace_back(*speed, &cell);
  }
  if (by_speed.size() < 2) return std::nullopt;
  std::partial_sort(by_speed.begin(), by_speed.begin() + 2, by_speed.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second->cell_index < other.second->cell_index;
  });
  return Pair{by_speed[0].second, by_speed[1].second};
}

std::vector<Pair> pairs_asked(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                              work::Until until) {
  std::map<int, const CellSoFar*> by_index;
  for (const CellSoFar& cell : cells) by_index[cell.cell_index] = &cell;
  std::vector<Pair> pairs;
  for (const work::Question& question : asked) {
    const auto cell = by_index.find(question.cell_index);
    const auto baseline = by_index.find(question.baseline_index);
    if (cell != by_index.end() && baseline != by_index.end()) pairs.emplace_back(cell->second, baseline->second);
  }
  std::set<int> loads;
  for (const CellSoFar& cell : cells) loads.insert(cell.load_index);
  for (const int load : loads) {
    const auto fastest = until == work::Until::decided ? two_fastest(cells, load, round) : std::nullopt;
    if (fastest) pairs.push_back(*fastest);
  }
  return pairs;
}

}  // namespace

NextRound next_round(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                     const work::Protocol& protocol, double error_rate) {
  NextRound next;
  if (!protocol.rounds || round < protocol.rounds->min) {
    for (const CellSoFar& cell : cells) next.cells.insert(cell.cell_index);
    next.rounds_left = (protocol.rounds ? protocol.rounds->min : protocol.processes) - round;
    return next;
  }
  const work::Rounds& rules = *protocol.rounds;
  const statistics::Looks looks{rules.min, rules.max, error_rate, rules.margin_ratio};
  for (const auto& [cell, other] : pairs_asked(round, cells, asked, rules.until)) {
    if (cell->has_failed || other->has_failed) continue;
    const std::vector<double> ratios = log_ratios(*cell, *other, round);
    if (statistics::decide(ratios, looks) != statistics::Decision::open) continue;
    next.cells.insert({cell->cell_index, other->cell_index});
    const int left = statistics::rounds_to_decide(ratios, looks).value_or(rules.max) - static_cast<int>(ratios.size());
    next.rounds_left = std::max({next.rounds_left, left, 1});
  }
  return next;
}

}  // namespace ngb::agent
