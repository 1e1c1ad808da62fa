// SPDX-License-Identifier: Apache-2.0
// Runs one process, or all processes of a round in turns. In turns, each is prepared while the others wait; then, one
// after the other, each runs a part of its timed repetitions, until all have ended. If the machine's speed changes
// meanwhile, it does so for all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "agent/workers/attempt.h"
#include "agent/workers/launcher.h"

namespace ngb::agent {

class Attempts {
 public:
  struct Member {
    AttemptPlan plan{};            // `takes_turns` and `spared` are set here
    Launcher* launcher = nullptr;  // its own
  };

  // Starts the first one at once. There is at least one member. All launchers are of the pool, whose own processes are
  // not killed. The references outlive this object.
  Attempts(const Surroundings& surroundings, Children& children, const LauncherPool& launchers,
           std::vector<Member> members, bool takes_turns);
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  // Handles what has happened since the last call, and gives the next one its turn. Waits only for processes that it
  // has killed.
  void advance();
  // Checks the memory of the one that runs; called once a second.
  void look();

  // Returns whether all have ended. A process that cannot be ended ends them as well: the others are given up then.
  [[nodiscard]] bool are_over() const { return are_over_; }
  // Returns those that have ended, each with its result, in the order in which they were started.
  [[nodiscard]] std::vector<const Attempt*> ended() const;
  // Returns the one that runs, or ran last.
  [[nodiscard]] const Attempt& current() const { return *attempts_[current_]; }
  // Returns the launchers of all members.
  [[nodiscard]] std::set<const Launcher*> launchers() const;

 private:
  void start(std::size_t index);
  [[nodiscard]] bool give_next_turn();
  [[nodiscard]] std::set<pid_t> workers_beside(std::size_t index) const;
  [[nodiscard]] std::set<pid_t> spared_by(std::size_t index) const;

  const Surroundings& surroundings_;
  Children& children_;
  const LauncherPool& launchers_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Attempt>> attempts_{};  // of the members that were started
  std::size_t current_ = 0;
  bool are_over_ = false;
};

}  // namespace ngb::agent
