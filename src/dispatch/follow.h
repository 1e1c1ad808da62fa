// SPDX-License-Identifier: Apache-2.0
// What client and agent say to each other about one job, from hello to the last acknowledgement; over as many
// connections as it takes.
#pragma once

#include <optional>
#include <utility>

#include "dispatch/connection.h"
#include "dispatch/fleet.h"
#include "dispatch/recording.h"

namespace ngb::dispatch {

class Follower {
 public:
  // All references outlive the Follower. `known`: what is recorded already.
  Follower(Loop& loop, Recording& recording, const samples::Job& job, samples::Follow known)
      : loop_(loop), recording_(recording), job_(job), known_(std::move(known)) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return known_.after; }

  // Until the job is over (an Ending), the connection is gone or has been silent for so long (nothing; a working agent
  // tells its progress every second), or the device cannot go on (Error).
  asio::awaitable<Result<std::optional<Ending>>> follow(Connection& agent, Nanoseconds silence);

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
  samples::Follow known_;
};

}  // namespace ngb::dispatch
