// SPDX-License-Identifier: Apache-2.0
// Decides from a job and its ledger alone which processes are run next and when a group is left. An agent that was
// killed and started again therefore continues as the first one would have. Starts nothing and reads no clock.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "agent/ledger.h"
#include "agent/next_round.h"
#include "work/job.h"

namespace ngb::agent {

// Groups are visited in the job's order (work/order.h): each once with all its rounds, or all of them once a round.
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
  // Returns the ids of the cells that need none of the processes that they have left, sorted. They are recorded before
  // the group is left.
  [[nodiscard]] std::vector<std::string> cells_that_end();
  // Chooses the next group, whose model file is unknown.
  void leave();

  // Returns the cell of a process of the group that was begun and is not yet recorded.
  [[nodiscard]] const work::Cell& cell_of(const std::string& cell_id) const;
  [[nodiscard]] samples::Origin origin_of(const work::Cell& cell) const;
  // As Ledger::next_attempt.
  [[nodiscard]] std::optional<int> next_attempt(const work::Step& step) const;
  // Returns whether none of the cell's processes is left to do.
  [[nodiscard]] bool is_done(const work::Cell& cell) const;

 private:
  struct Needed {  // what the round `round` of the group needs
    int round = -1;
    NextRound next{};
  };
  bool find_step();
  [[nodiscard]] bool is_needed(const work::Step& step);
  [[nodiscard]] NextRound needs_of(int round) const;
  [[nodiscard]] std::vector<CellSoFar> cells_so_far() const;
  [[nodiscard]] double seconds_until_decided() const;
  void choose_soonest();
  [[nodiscard]] const work::Step& found_step() const { return group().steps[steps_[group_]]; }

  const work::Job& job_;
  const Ledger& ledger_;
  OriginOf origin_of_;
  std::size_t group_ = 0;
  std::vector<std::size_t> steps_;  // by group: the steps before this one are decided
  std::string model_sha256_{};      // of the group's model file; "" while it is unknown
  int last_round_;                  // of this visit to the group
  int pass_ = 0;                    // over all groups, unless they are measured group by group
  Needed needed_{};
};

}  // namespace ngb::agent
