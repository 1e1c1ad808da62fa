// SPDX-License-Identifier: Apache-2.0
// What client and agent say to each other about one job, from hello to the last acknowledgement; over as many
// connections as it takes.
#pragma once

#include <cstdint>
#include <optional>

#include "dispatch/connection.h"
#include "dispatch/fleet.h"
#include "dispatch/recording.h"

namespace ngb::dispatch {

class Follower {
 public:
  // All references outlive the Follower.
  Follower(Loop& loop, Recording& recording, const Share& share)
      : loop_(loop), recording_(recording), share_(share), last_sequence_(share.last_sequence) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  // Until the job is over (an Ending), the connection is gone, has lost an event or been silent for so long (nothing; a
  // working agent tells its progress every second), or the device cannot go on (Error). `job` is asked for when the
  // agent takes it.
  asio::awaitable<Result<std::optional<Ending>>> follow(Connection& agent, const MakeJob& job, Nanoseconds silence);

 private:
  struct Taken {
    bool is_finished = false;
    bool has_events = false;
    bool has_progress = false;
    bool has_gap = false;  // an event did not come; those behind it are not taken
  };
  asio::awaitable<Status> greet(Connection& agent, const MakeJob& job);
  Status take(const samples::AgentMessage& message, Taken& taken);
  asio::awaitable<Result<Taken>> take_all(Connection& agent, const samples::AgentMessage& first);
  asio::awaitable<void> farewell(Connection& agent);
  asio::awaitable<Status> drain(Connection& agent);

  Loop& loop_;
  Recording& recording_;
  const Share& share_;
  std::uint64_t last_sequence_;
};

}  // namespace ngb::dispatch
