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
#include "work/cell.h"
#include "work/job.h"
#include "work/protocol.h"

namespace ngb::agent {

// Decides which cells of a group the next round measures, in a study whose rounds end when its questions are
// decided (work::Rounds). It depends on recorded speeds alone, so an agent that was killed and started again decides as
// the first one did. Pure.

struct CellSoFar {
  int cell_index = 0;
  bool has_failed = false;  // it has no further rounds
  // For each completed process, by round, its speeds by time (samples/steady_rates.h) in inferences per second.
  std::map<int, std::vector<double>> speeds{};
  int load_index = 0;
};

struct NextRound {
  std::set<int> cells{};  // indices of those that it needs
  int rounds_left = 0;    // with this one, until everything is likely decided
};

// Returns what round `round` (0 …) needs: all cells in the first rounds, then both cells of each open question. A
// question is open if the looks after earlier rounds have not decided it (statistics::decide) and neither of its cells
// has failed. `asked` are the group's questions; with Until::decided the two cells of each load that are fastest so far
// are compared as well. `error_rate` is that of a question.
NextRound next_round(int round, std::span<const CellSoFar> cells, std::span<const work::Question> asked,
                     const work::Protocol& protocol, double error_rate);

// Groups are visited in the job's order (work::Order): each once with all its rounds, or all of them once a round.
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
  // Returns the same as Ledger::next_attempt.
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
