// SPDX-License-Identifier: Apache-2.0
// An agent started as a child: its messages in, ours out.
#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "dispatch/device.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::dispatch {

class AgentProcess {
 public:
  // Its standard error is added to agent.log in the work folder.
  static Result<AgentProcess> start(const Installation& installation, const std::filesystem::path& work_folder);
  AgentProcess(AgentProcess&& other) noexcept;
  AgentProcess& operator=(AgentProcess&&) = delete;
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  // Lets go of it: it sees the end of its input and leaves; waits for that, and kills it after 15 s.
  ~AgentProcess();

  // Queues a message; `exchange` delivers it.
  void send(const samples::ClientMessage& message);

  // Waits up to `patience` for something to happen, sends what the agent takes, returns the next message if one is
  // whole. Error: what came is not a message.
  Result<std::optional<samples::AgentMessage>> exchange(Nanoseconds patience);
  // It has closed its output, and everything it said has been returned.
  [[nodiscard]] bool is_gone() const { return is_gone_; }

  // Waits for its end: "exit code 3", "signal 9".
  std::string end();

 private:
  AgentProcess(pid_t pid, FileDescriptor input, FileDescriptor output);
  void write_some();
  Status read_some();

  pid_t pid_ = -1;
  FileDescriptor input_;   // the agent's
  FileDescriptor output_;  // the agent's
  std::string outgoing_{};
  samples::FrameReader frames_{};
  std::deque<samples::AgentMessage> received_{};
  bool is_gone_ = false;
};

// The last lines of agent.log from that byte on, for an Error about its death.
std::string last_words(const std::filesystem::path& work_folder, std::uint64_t from_byte);

}  // namespace ngb::dispatch
