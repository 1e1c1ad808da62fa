// SPDX-License-Identifier: Apache-2.0
// A program that speaks the protocol of samples/message.h on its standard input and output: an agent, or what leads to
// one on another machine. Its messages in, ours out.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "dispatch/loop.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::dispatch {

class Connection {
 public:
  // `log`: the file to which its standard error is added; its folder is made.
  static Result<std::shared_ptr<Connection>> start(Loop& loop, const std::vector<std::string>& command,
                                                   const std::filesystem::path& log);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Every Connection is to be brought to its `end`; only one that is destroyed with its loop kills the program.
  ~Connection();

  // `flush` sends what was queued; `write` sends bytes that are no message. A program that is gone takes everything,
  // and nothing becomes of it. (Two steps, since g++ 12 destroys what is made within a co_await expression twice.)
  void queue(const samples::ClientMessage& message);
  asio::awaitable<void> flush();
  asio::awaitable<void> write(std::string_view bytes);

  // The next message; nothing when none is there within `patience`, or the program is gone, or the loop stops. Error:
  // what came is not a message.
  asio::awaitable<Result<std::optional<samples::AgentMessage>>> receive(Nanoseconds patience);
  // The next message of those that are here already.
  Result<std::optional<samples::AgentMessage>> take();
  // The next line, which ends in '\n' (left out) and comes before the first frame; nothing as for `receive`. Error:
  // more than 4 KiB without one.
  asio::awaitable<Result<std::optional<std::string>>> read_line(Nanoseconds patience);

  // It has closed its output; what it said before can still be taken.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  // That, or the loop stops: `receive` waits for nothing any more.
  [[nodiscard]] bool is_over() const { return is_gone_ || loop_.is_stopping; }

  // Lets go of it: it sees the end of its input and leaves; waits for that, and kills it when that takes too
  // long. "exit code 3", "signal 9".
  asio::awaitable<std::string> end(Nanoseconds patience);

 private:
  Connection(Loop& loop, pid_t pid, int input, int output);
  static asio::awaitable<void> read_all(std::shared_ptr<Connection> self);

  Loop& loop_;
  pid_t pid_;
  asio::local::stream_protocol::socket input_;  // the program's
  asio::posix::stream_descriptor output_;       // the program's
  Alarm changed_;                               // something came, or was taken
  Alarm pause_;
  std::string outgoing_{};
  std::string incoming_{};  // not yet given to `frames_`
  samples::FrameReader frames_{};
  bool is_gone_ = false;
  bool is_deaf_ = false;  // it has closed its input; that it is gone shows on its output
};

// The last lines of a log from that byte on, for an Error about the end of the program that wrote it.
std::string last_words(const std::filesystem::path& log, std::uint64_t from_byte);

}  // namespace ngb::dispatch
