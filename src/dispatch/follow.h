// SPDX-License-Identifier: Apache-2.0
// What client and agent say to each other about one job, from hello to the last acknowledgement; over as many
// connections as it takes.
#pragma once

#include <optional>

#include "dispatch/connection.h"
#include "dispatch/fleet.h"
#include "dispatch/recording.h"

namespace ngb::dispatch {

class Follower {
 public:
  // All references outlive the Follower. `last_sequence`: events up to here are recorded already.
  Follower(Loop& loop, Recording& recording, const samples::Job& job, std::uint64_t last_sequence)
      : loop_(loop), recording_(recording), job_(job), last_sequence_(last_sequence) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  // Until the job is over (an Ending), the connection is gone (nothing), or the device cannot go on (Error).
  asio::awaitable<Result<std::optional<Ending>>> follow(Connection& agent);

 private:
  struct Taken {
    bool finished = false;
    bool has_events = false;
  };
  Status take(const samples::AgentMessage& message, Taken& taken);
  asio::awaitable<Result<bool>> take_all(Connection& agent, const samples::AgentMessage& first);
  asio::awaitable<void> farewell(Connection& agent);
  asio::awaitable<Status> drain(Connection& agent);

  Loop& loop_;
  Recording& recording_;
  const samples::Job& job_;
  std::uint64_t last_sequence_;
};

}  // namespace ngb::dispatch
