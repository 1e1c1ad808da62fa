// SPDX-License-Identifier: Apache-2.0
// Follows an agent through one job, from hello to the last acknowledgement, over as many connections as it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dispatch/fleet.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

// An agent that dies more often than this without having done anything in between is not started again.
inline constexpr int kMaxDeathsWithoutProgress = 3;

class Follower {
 public:
  // All references outlive the Follower.
  Follower(Loop& loop, Recording& recording, const Share& share)
      : loop_(loop), recording_(recording), share_(share), last_sequence_(share.last_sequence) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  // Returns when the job is over. Errors: `lost`, if the connection ended, lost an event or was silent for so long (a
  // working agent reports its progress every second); else why the device cannot go on. `job` is called when the agent
  // is ready for it. A device that is busy with another run is waited for: until that run has ended, if it is of this
  // study, else until the share counts as lost.
  asio::awaitable<Result<Ending>> follow(Connection& agent, const MakeJob& job, Nanoseconds silence);

  // Fetches what the agent has recorded of the share's run, without the job. Errors: `lost`, also if the loop stops;
  // else why the device cannot.
  asio::awaitable<Status> fetch(Connection& agent, Nanoseconds silence);

 private:
  struct Taken {
    bool is_finished = false;
    bool has_events = false;
    bool has_progress = false;
    bool is_fetched = false;  // everything recorded has come
    bool has_gap = false;     // an event did not come; those after it are not taken
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
