// SPDX-License-Identifier: Apache-2.0
// Divides the timed repetitions of a process into turns, between which other processes of its round run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "worker/repetitions.h"

namespace ngb::worker {

// Returns how many of so many repetitions belong to each turn.
constexpr std::size_t repetitions_of_turn(std::size_t repetitions, int turns) {
  const auto count = static_cast<std::size_t>(turns);
  return repetitions <= count ? 1 : (repetitions + count - 1) / count;
}

// Returns how many disturbed turns make the whole process disturbed.
constexpr std::size_t most_turns_again(int turns) { return 3 * static_cast<std::size_t>(turns); }

// A TurnGiver tells a process when its turn begins.
class TurnGiver {
 public:
  virtual ~TurnGiver() = default;
  // Waits for the process's turn and prepares it. Returns false if an inference failed.
  virtual bool wait_for_turn() = 0;
  // Returns whether other work kept the process from its processors since its turn began, or since the last call. If
  // so, its repetitions of that time do not count.
  virtual bool was_disturbed() = 0;
};

// Runs repetitions by another repeater, at most so many in each turn. What ran in a turn that was disturbed is
// forgotten and runs again, in a turn of its own.
class TurnTaker final : public Repeater {
 public:
  // Both outlive this object.
  TurnTaker(Repeater& repeater, TurnGiver& giver) : repeater_(repeater), giver_(giver) {}

  // From now on the process takes turns of so many repetitions, at least 1; the first one begins with the next
  // repetition. At most `most_again` turns run again; `on_again`, if it is given, is called with their number so far.
  void begin(std::size_t repetitions_of_turn, std::size_t most_again, std::function<void(std::size_t)> on_again = {});
  // From now on there are no turns: the process goes on in the one that it has.
  void end() { of_turn_ = 0; }
  // Returns how many turns ran again.
  [[nodiscard]] std::size_t again() const { return again_; }

  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override;
  [[nodiscard]] std::uint32_t in_flight() const override { return repeater_.in_flight(); }
  [[nodiscard]] std::uint32_t pass() const override { return repeater_.pass(); }

 private:
  Repeater& repeater_;
  TurnGiver& giver_;
  std::size_t of_turn_ = 0;  // 0: there are no turns
  std::size_t left_ = 0;     // of the present turn
  std::size_t most_again_ = 0;
  std::size_t again_ = 0;
  std::function<void(std::size_t)> on_again_{};
};

}  // namespace ngb::worker
