// SPDX-License-Identifier: Apache-2.0
// What client and agent say to each other about one job, from hello to the last acknowledgement; over as many
// connections as it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dispatch/fleet.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

// An agent that dies more often than this, and gets nothing done in between, is not started again.
inline constexpr int kMaxDeathsWithoutProgress = 3;

class Follower {
 public:
  // All references outlive the Follower.
  Follower(Loop& loop, Recording& recording, const Share& share)
      : loop_(loop), recording_(recording), share_(share), last_sequence_(share.last_sequence) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  // Until the job is over (an Ending), the connection is gone, has lost an event or been silent for so long (nothing; a
  // working agent tells its progress every second), or the device cannot go on (Error). `job` is asked for when the
  // agent takes it. A device that is busy with another run is waited for: until that has ended, if it is of this study,
  // else for as long as the share may be lost (then an Error).
  asio::awaitable<Result<std::optional<Ending>>> follow(Connection& agent, const MakeJob& job, Nanoseconds silence);

  // Asks for what is recorded of the share's run, without its job. False: the connection is gone, or was silent for so
  // long, or the loop stops. Error: the device says why it cannot.
  asio::awaitable<Result<bool>> fetch(Connection& agent, Nanoseconds silence);

 private:
  struct Taken {
    bool is_finished = false;
    bool has_events = false;
    bool has_progress = false;
    bool is_fetched = false;  // all that was recorded has come
    bool has_gap = false;     // an event did not come; those behind it are not taken
    bool is_left = false;     // the loop stops, and what came stays with the device
    bool is_busy = false;     // with another run
  };
  asio::awaitable<Status> greet(Connection& agent, const MakeJob& job);
  Status take(const samples::AgentMessage& message, Taken& taken);
  Status wait_for_turn(const samples::Busy& busy);
  asio::awaitable<Result<Taken>> take_all(Connection& agent, const samples::AgentMessage& first);
  asio::awaitable<void> farewell(Connection& agent);
  asio::awaitable<Status> drain(Connection& agent);

  Loop& loop_;
  Recording& recording_;
  const Share& share_;
  std::uint64_t last_sequence_;
  std::string busy_with_{};    // what the user was told of last
  Nanoseconds waits_since_{};  // for that
};

}  // namespace ngb::dispatch
