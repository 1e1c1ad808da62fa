// SPDX-License-Identifier: Apache-2.0
// Speaks the agent's side of the protocol (samples/message.h) with one client. Only `flush` waits; other functions read
// what has arrived and write what fits. Events are read from the journal as the client receives them, so a slow client
// costs no memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/journal.h"
#include "base/clock.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::agent {

class Session {
 public:
  // The caller owns the descriptors.
  Session(int input_fd, int output_fd) : input_fd_(input_fd), output_fd_(output_fd) {}

  [[nodiscard]] int input_fd() const { return input_fd_; }
  [[nodiscard]] int output_fd() const { return output_fd_; }

  // Reads once and returns the complete messages; call it when poll has found input. Returns an error if the client
  // sent something that is not a message.
  Result<std::vector<samples::ClientMessage>> read();
  // Returns whether the client has disconnected.
  [[nodiscard]] bool is_gone() const { return is_gone_; }

  // Sends the events of `journal` with numbers above `after`, and from now on every new event.
  void follow(const Journal& journal, std::uint64_t after);
  // Adds the message to the queue.
  void send(const samples::AgentMessage& message);
  // Returns whether `follow` was called.
  [[nodiscard]] bool is_following() const { return journal_ != nullptr; }
  // Does the same as `send` if everything before was written; else drops the message.
  void send_if_idle(const samples::AgentMessage& message);

  // Returns whether there is anything to write; if so, call `write` when poll has found room.
  [[nodiscard]] bool wants_to_write() const;
  // Writes as much as fits. Returns an error if the journal cannot be read.
  Status write();
  // Writes everything; waits for the client, at most `patience`.
  void flush(Nanoseconds patience);

  void acknowledge(std::uint64_t sequence) { acknowledged_ = sequence; }
  [[nodiscard]] bool has_acknowledged_all() const;

 private:
  int input_fd_;
  int output_fd_;
  samples::FrameReader frames_{};
  std::string outgoing_{};
  std::size_t written_ = 0;
  const Journal* journal_ = nullptr;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  bool is_gone_ = false;
};

}  // namespace ngb::agent
