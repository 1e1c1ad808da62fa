// SPDX-License-Identifier: Apache-2.0
// A Connection runs a program that speaks the protocol of samples/message.h on its standard input and output: an agent,
// or a program that leads to one on another machine (ssh). It receives the program's messages and sends ours.
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
#include "dispatch/link/program.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::dispatch {

// A program that has read nothing of what it was sent for this long counts as lost, because ssh may not notice that the
// other side is gone.
inline constexpr Nanoseconds kSilence = std::chrono::seconds(20);
// Limit the frames of a device that has not sent its Arrival yet, and of one that has but does not run the job yet.
inline constexpr std::uint32_t kMaxFirstFrameBytes = 1U << 20U;
inline constexpr std::uint32_t kMaxAnswerBytes = 16U << 20U;

// Returns the error, with the code `lost`, of functions whose connection has ended or whose loop stops.
tl::unexpected<Error> lost();

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Starts the program. Its standard error is added to the file `log` (up to the limits of ProgramLog), whose folder
  // is created. If the last owner releases a Connection without having called `end`, the program is killed.
  static Result<std::shared_ptr<Connection>> start(Loop& loop, const std::vector<std::string>& command,
                                                   const std::filesystem::path& log, Nanoseconds silence = kSilence);
  // Ends are our ends of a socket that the program reads (`input`) and of two pipes that it writes.
  struct Ends {
    int input;
    int output;
    int errors;
  };
  // Makes a Connection over existing descriptors, which it closes. `pid` is a child that ends with the Connection; -1
  // if there is none.
  static std::shared_ptr<Connection> over(Loop& loop, const Ends& ours, ProgramLog log, Nanoseconds silence = kSilence,
                                          pid_t pid = -1);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Limits the next frames: `receive` returns an error if one claims more bytes.
  void allow_frames(std::uint32_t max_bytes) { frames_.limit(max_bytes); }

  // `queue` and then `flush` send messages; they are two steps because g++ 12 destroys an object that is made within a
  // co_await expression twice. `write` sends bytes that are not a message. Bytes for a program that is gone are
  // discarded. A program that reads nothing for `silence` counts as gone. Once the loop stops, `flush` and `write` wait
  // at most one second.
  void queue(const samples::ClientMessage& message);
  asio::awaitable<void> flush();
  asio::awaitable<void> write(std::string_view bytes);

  // Returns the next message. Returns nothing if none arrives within `patience`, if the program is gone or if the loop
  // stops. Returns an error if the received bytes are not a message.
  asio::awaitable<Result<std::optional<samples::AgentMessage>>> receive(Nanoseconds patience);
  // Returns the next message that has already arrived, or nothing. Does not wait. Returns errors as `receive` does.
  Result<std::optional<samples::AgentMessage>> take();
  // Returns the next line without its '\n'; only before the first frame. Returns nothing in the cases of `receive`.
  // Returns an error if more than 4 KiB arrive without a '\n'.
  asio::awaitable<Result<std::optional<std::string>>> read_line(Nanoseconds patience);

  // Returns whether the program has closed its output, or has read nothing for too long. Its earlier messages can still
  // be received.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  // Returns whether the program is gone or the loop stops: `receive` no longer waits.
  [[nodiscard]] bool is_over() const { return is_gone_ || loop_.is_stopping; }

  // Closes the program's input and waits until the program ends; kills it after `patience`, or kEndsAfterStop after the
  // loop has stopped. Returns how it ended: "exit code 3", "signal 9", or why it was given up.
  asio::awaitable<std::string> end(Nanoseconds patience);

  [[nodiscard]] const Clock& clock() const { return loop_.clock; }

  // Returns the end of the program's standard error, for an error about the program's end. Works after `end`, too.
  [[nodiscard]] std::string last_words();

 private:
  Connection(Loop& loop, pid_t pid, const Ends& ours, ProgramLog log, Nanoseconds silence);
  static asio::awaitable<void> read_all(std::shared_ptr<Connection> self);
  static asio::awaitable<void> read_errors(std::shared_ptr<Connection> self);
  void ring_when_there_is_room();
  void read_errors_that_are_here();
  void abandon();

  Loop& loop_;
  pid_t pid_;
  asio::local::stream_protocol::socket input_;  // leads to the program's standard input
  asio::posix::stream_descriptor output_;       // comes from the program's standard output
  asio::posix::stream_descriptor errors_;       // comes from its standard error
  ProgramLog log_;
  Nanoseconds silence_;
  Alarm changed_;  // bytes arrived or were consumed, or the program is gone
  Alarm room_;     // the program may accept more bytes
  Alarm errors_pause_;
  std::string outgoing_{};
  std::string incoming_{};  // not yet given to `frames_`
  samples::FrameReader frames_{};
  bool is_gone_ = false;
  bool is_deaf_ = false;    // nothing more is sent: it closed its input, or read nothing for too long
  bool is_lost_ = false;    // it read nothing for too long
  bool is_ending_ = false;  // what still arrives is discarded
  bool is_asking_ = false;  // the loop will ring room_ once it may accept more
};

}  // namespace ngb::dispatch
