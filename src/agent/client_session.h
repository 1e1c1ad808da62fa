// SPDX-License-Identifier: Apache-2.0
// The agent's side of the protocol (samples/message.h) with its one client. Never waits: reads what is there, writes
// what fits. Events come out of the journal as the client takes them, so that memory does not grow with a slow client.
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
  // The descriptors stay the caller's.
  Session(int input_fd, int output_fd) : input_fd_(input_fd), output_fd_(output_fd) {}

  [[nodiscard]] int input_fd() const { return input_fd_; }
  [[nodiscard]] int output_fd() const { return output_fd_; }

  // Reads once (call it when poll has found input) and returns the messages that are whole. Error: the client sent
  // something else. `is_gone` is true from its end of file on.
  Result<std::vector<samples::ClientMessage>> read();
  [[nodiscard]] bool is_gone() const { return is_gone_; }

  // Events of `journal` with numbers above `after` are to be sent, those to come too.
  void follow(const Journal& journal, std::uint64_t after);
  // Queued at once.
  void send(const samples::AgentMessage& message);
  // Dropped when the client has not taken everything yet.
  // It has said what it knows already.
  [[nodiscard]] bool is_following() const { return journal_ != nullptr; }
  void send_if_idle(const samples::AgentMessage& message);

  // Whether there is anything to write; if so, call `write` when poll has found room.
  [[nodiscard]] bool wants_to_write() const;
  // Error: the journal cannot be read.
  Status write();
  // Waits for the client to take everything, at most `patience`.
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
