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

// An agent that has died more than this many times without having done anything in between is not started again.
inline constexpr int kMaxDeathsWithoutProgress = 3;

class Follower {
 public:
  // All references outlive the Follower.
  Follower(Loop& loop, Recording& recording, const Share& share)
      : loop_(loop), recording_(recording), share_(share), last_sequence_(share.last_sequence) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }
  // Returns how many results of processes, and reference outputs, were recorded since this program started. What a new
  // machine does before it measures, such as describing itself, is none.
  [[nodiscard]] std::uint64_t results() const { return results_; }

  // Returns when the job is over. Returns an error with the code `lost` if the connection ended, lost an event or was
  // silent for `silence` (a working agent reports its progress every second). Any other error says why the device
  // cannot continue. `job` is called when the agent is ready for it. Waits for a device that is busy with another run:
  // until that run has ended if it belongs to this study, otherwise until the share counts as lost.
  asio::awaitable<Result<Ending>> follow(Connection& agent, const MakeJob& job, Nanoseconds silence);

  // Fetches what the agent has recorded of the share's run, without the job. Returns an error with the code `lost` in
  // the cases of `follow`, and also if the loop stops. Any other error says why the device cannot send it.
  asio::awaitable<Status> fetch(Connection& agent, Nanoseconds silence);

 private:
  // Received says what a batch of messages contained.
  struct Received {
    bool is_finished = false;
    bool has_events = false;
    bool has_progress = false;
    bool is_fetched = false;  // everything recorded has arrived
    bool has_gap = false;     // an event did not arrive; those after it are not recorded
    bool is_busy = false;     // with another run
  };
  // Returns what has arrived; nothing if nothing has for some seconds. Returns an error with the code `lost` if the
  // connection ended or was silent for `silence`.
  asio::awaitable<Result<std::optional<Received>>> hear(Connection& agent, Nanoseconds silence);
  asio::awaitable<Status> greet(Connection& agent, const MakeJob& job);
  Status handle(const samples::AgentMessage& message, Received& received);
  Status handle_event(const samples::Event& event, Received& received);
  Status wait_for_turn(const samples::Busy& busy);
  asio::awaitable<Result<Received>> handle_all(Connection& agent, const samples::AgentMessage& first);
  asio::awaitable<void> farewell(Connection& agent);
  asio::awaitable<Status> drain(Connection& agent);

  Loop& loop_;
  Recording& recording_;
  const Share& share_;
  std::uint64_t last_sequence_;
  std::uint64_t results_ = 0;
  Nanoseconds last_heard_{};   // of the present connection
  std::string busy_with_{};    // the other run on the device, as last shown to the user
  Nanoseconds waits_since_{};  // since when this run waits for that one
};

}  // namespace ngb::dispatch
