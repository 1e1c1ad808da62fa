// SPDX-License-Identifier: Apache-2.0
// A program that speaks the protocol of samples/message.h on its standard input and output: an agent, or what leads to
// one on another machine. Its messages in, ours out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/program_log.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::dispatch {

// A program that takes nothing of what it is sent for so long is lost: what leads there may not notice that there is
// nothing any more.
inline constexpr Nanoseconds kSilence = std::chrono::seconds(20);
// Frames of a device that has not told yet what it is, and of one that has and is not at work yet.
inline constexpr std::uint32_t kMaxFirstFrameBytes = 1U << 20U;
inline constexpr std::uint32_t kMaxAnswerBytes = 16U << 20U;

// The error of whatever needs a connection that has ended, or a loop that stops.
tl::unexpected<Error> lost();

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `log`: the file to which its standard error is added (program_log.h says how much); its folder is made. When the
  // last owner lets go of a Connection that was not brought to its `end`, the program is killed.
  static Result<std::shared_ptr<Connection>> start(Loop& loop, const std::vector<std::string>& command,
                                                   const std::filesystem::path& log, Nanoseconds silence = kSilence);
  // Our ends of what leads to it: a socket that it reads, and two pipes that it writes.
  struct Ends {
    int input;
    int output;
    int errors;
  };
  // The same without a program: over `ours`, which the Connection closes. `pid` is a child that ends with it; -1: none.
  static std::shared_ptr<Connection> over(Loop& loop, const Ends& ours, ProgramLog log, Nanoseconds silence = kSilence,
                                          pid_t pid = -1);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // From the next frame on, one that claims more bytes is an Error of `receive`.
  void allow_frames(std::uint32_t max_bytes) { frames_.limit(max_bytes); }

  // `flush` sends what was queued; `write` sends bytes that are no message. A program that is gone takes everything,
  // and nothing becomes of it. One that takes nothing for `silence` is gone. A loop that stops waits for a second. (Two
  // steps, since g++ 12 destroys what is made within a co_await expression twice.)
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

  // It has closed its output, or taken nothing for too long; what it said before can still be taken.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  // That, or the loop stops: `receive` waits for nothing any more.
  [[nodiscard]] bool is_over() const { return is_gone_ || loop_.is_stopping; }

  // Lets go of it: it sees the end of its input and leaves; waits for that, and kills it when that takes too
  // long. "exit code 3", "signal 9", or why it was given up.
  asio::awaitable<std::string> end(Nanoseconds patience);

  [[nodiscard]] const Clock& clock() const { return loop_.clock; }

  // What it said last on its standard error, for an Error about its end; also after `end`.
  [[nodiscard]] std::string last_words();

 private:
  Connection(Loop& loop, pid_t pid, const Ends& ours, ProgramLog log, Nanoseconds silence);
  static asio::awaitable<void> read_all(std::shared_ptr<Connection> self);
  static asio::awaitable<void> read_errors(std::shared_ptr<Connection> self);
  void ring_when_there_is_room();
  void read_errors_that_are_here();
  void let_go();

  Loop& loop_;
  pid_t pid_;
  asio::local::stream_protocol::socket input_;  // the program's
  asio::posix::stream_descriptor output_;       // the program's
  asio::posix::stream_descriptor errors_;       // likewise
  ProgramLog log_;
  Nanoseconds silence_;
  Alarm changed_;  // something came, or was taken
  Alarm room_;     // it may take more
  Alarm errors_pause_;
  std::string outgoing_{};
  std::string incoming_{};  // not yet given to `frames_`
  samples::FrameReader frames_{};
  bool is_gone_ = false;
  bool is_deaf_ = false;    // it has closed its input; that it is gone shows on its output
  bool is_lost_ = false;    // it took nothing for too long
  bool is_ending_ = false;  // what it still says is for nobody
  bool is_asking_ = false;  // the loop is to tell when it may take more
};

}  // namespace ngb::dispatch
