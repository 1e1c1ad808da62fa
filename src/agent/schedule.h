// SPDX-License-Identifier: Apache-2.0
// Decides from a job and its ledger alone which processes are run next and when a group is left. An agent that was
// killed and started again therefore continues as the first one would have. Starts nothing and reads no clock.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/ledger.h"
#include "agent/rounds.h"
#include "work/cell.h"
#include "work/job.h"
#include "work/protocol.h"

namespace ngb::agent {

// Groups are visited in the job's order (work::Order): each once with all its rounds, or all of them once a round. If
// the rounds end when they are decided (work::Rounds), that is so for the first `min` rounds of all groups; then each
// visit is for one round of a group that has an open question (rounds.h), until none is open. A question that was
// decided is open again if what was measured since of other groups says so.
class Schedule {
 public:
  // Returns the origin of a process of the cell that would start now, without its model.
  using OriginOf = std::function<samples::Origin(const work::Cell&)>;
  // `job` and `ledger` outlive the schedule. What is added to the ledger counts from the next call on.
  Schedule(const work::Job& job, const Ledger& ledger, OriginOf origin_of);

  // visit: the current group has a process, or reference outputs, left to do. leave: it has none in this visit; call
  // `leave`. finish: the job is done.
  enum class Next { visit, leave, finish };
  [[nodiscard]] Next next();

  // All of these are about the current group. Precondition: `next` did not return finish.
  [[nodiscard]] const work::Group& group() const { return job_.groups[group_]; }
  [[nodiscard]] std::size_t group_index() const { return group_; }
  [[nodiscard]] const work::Model& model() const { return job_.model_of(group()); }
  // From now on only processes with this model file count as done. Called at each visit once the file is there.
  void use_model(const std::string& file_sha256);
  // Returns the next process or, if processes take turns, all that are left of its round; none if the visit ends here.
  [[nodiscard]] std::vector<const work::Step*> steps();
  // Returns the cells of the job of which it is now known that they need none of the processes that they have left, and
  // those that need some although the ledger says that they need none. It is recorded when a group is left.
  [[nodiscard]] samples::RoundsEnded ended_rounds() const;
  // Chooses the next group, whose model file is unknown.
  void leave();

  // Returns the cell of a process of the group that was begun and is not yet recorded.
  [[nodiscard]] const work::Cell& cell_of(const std::string& cell_id) const;
  [[nodiscard]] samples::Origin origin_of(const work::Cell& cell) const;
  // Returns the same as Ledger::next_attempt.
  [[nodiscard]] std::optional<int> next_attempt(const work::Step& step) const;
  // Returns whether none of the cell's processes is left to do.
  [[nodiscard]] bool is_done(const work::Cell& cell) const;

 private:
  bool find_step();
  [[nodiscard]] bool is_needed(const work::Step& step) const;
  [[nodiscard]] samples::Origin origin_in(std::size_t group, const work::Cell& cell) const;
  [[nodiscard]] GroupSoFar so_far(std::size_t group) const;
  void choose_open();
  [[nodiscard]] bool has_left(std::size_t group, const work::Cell& cell) const;
  [[nodiscard]] double seconds_until_decided() const;
  [[nodiscard]] const work::Step& found_step() const { return group().steps[steps_[group_]]; }

  const work::Job& job_;
  const Ledger& ledger_;
  OriginOf origin_of_;
  statistics::VerdictRules rules_{};
  std::size_t group_ = 0;
  std::vector<std::size_t> steps_;  // by group: the steps before this one are decided
  std::string model_sha256_{};      // of the group's model file; "" while it is unknown
  int last_round_;                  // of this visit to the group
  int pass_ = 0;                    // over all groups
  // By group, once all had the first rounds of those that end when they are decided: what the next one follows from,
  // and what it needs.
  std::vector<GroupSoFar> so_far_{};
  std::vector<NextRound> needs_{};
};

}  // namespace ngb::agent
