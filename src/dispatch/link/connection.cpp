// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "dispatch/link/program.h"

namespace ngb::dispatch {
namespace {

// Limits the received bytes that wait here until they are consumed; beyond that the program waits. A large fleet has a
// thousand connections.
constexpr std::size_t kMaxIncomingBytes = 1U << 16U;
constexpr std::size_t kReadBytes = 1U << 14U;
constexpr std::size_t kMaxLineBytes = 4096;

}  // namespace

Result<std::shared_ptr<Connection>> Connection::start(Loop& loop, const std::vector<std::string>& command,
                                                      const std::filesystem::path& log_path, Nanoseconds silence) {
  Result<ProgramLog> log = ProgramLog::open(log_path);
  if (!log) return error_of(log);
  // The input is a socket, so that writing to a program that is gone returns an error instead of raising a signal.
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.data()) != 0) {
    return tl::unexpected(file::from_errno("start", command[0], errno));
  }
  FileDescriptor our_input(input[0]);
  const FileDescriptor their_input(input[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", command[0], errno));
  FileDescriptor our_output(output[0]);
  const FileDescriptor their_output(output[1]);
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", command[0], errno));
  FileDescriptor our_errors(errors[0]);
  const FileDescriptor their_errors(errors[1]);
  process::Spawn spawn{command};
  spawn.inherits = environment::Share::all;
  spawn.descriptors = {{their_input.get(), 0}, {their_output.get(), 1}, {their_errors.get(), 2}};
  // Ctrl-C must reach only the client, which then asks the agent to stop. If the client dies, the program notices it by
  // the end of its input.
  spawn.own_group = true;
  spawn.dies_with_parent = false;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return error_of(pid);
  return over(loop, {our_input.release(), our_output.release(), our_errors.release()}, *std::move(log), silence, *pid);
}

std::shared_ptr<Connection> Connection::over(Loop& loop, const Ends& ours, ProgramLog log, Nanoseconds silence,
                                             pid_t pid) {
  const std::shared_ptr<Connection> self(new Connection(loop, pid, ours, std::move(log), silence));
  asio::co_spawn(loop.io, read_all(self), asio::detached);
  asio::co_spawn(loop.io, read_errors(self), asio::detached);
  // The coroutines that read own the Connection, too. The owners outside share another pointer, whose deleter runs when
  // the last of them is gone.
  return std::shared_ptr<Connection>(self.get(), [self](Connection* /*it*/) { self->abandon(); });
}

Connection::Connection(Loop& loop, pid_t pid, const Ends& ours, ProgramLog log, Nanoseconds silence)
    : loop_(loop),
      pid_(pid),
      input_(loop.io, asio::local::stream_protocol(), ours.input),
      output_(loop.io, ours.output),
      errors_(loop.io, ours.errors),
      log_(std::move(log)),
      silence_(silence),
      changed_(loop),
      room_(loop),
      errors_pause_(loop) {
  frames_.limit(kMaxFirstFrameBytes);
  ::fcntl(ours.errors, F_SETFL, O_NONBLOCK);
}

Connection::~Connection() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  // The wait is limited, because the program may hang in the kernel.
  const Nanoseconds give_up = system_clock().now() + kKillPatience;
  const FileDescriptor end = process::end_of(pid_);
  while (::waitpid(pid_, nullptr, WNOHANG) == 0 && system_clock().now() < give_up) {
    process::wait_for_end(end, give_up - system_clock().now());
  }
}

// Kills a program for whose end nobody has waited, because an exception was thrown.
void Connection::abandon() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  boost::system::error_code ignored;
  input_.close(ignored);   // NOLINT(bugprone-unused-return-value): the same as in `ignored`
  output_.close(ignored);  // NOLINT(bugprone-unused-return-value): likewise
  errors_.close(ignored);  // NOLINT(bugprone-unused-return-value): likewise
  incoming_.clear();
}

asio::awaitable<void> Connection::read_all(std::shared_ptr<Connection> self) {
  std::array<char, kReadBytes> chunk{};
  try {
    for (;;) {
      while (self->incoming_.size() > kMaxIncomingBytes) {
        co_await self->changed_.wait_regardless(std::chrono::seconds(1));
      }
      boost::system::error_code error;
      const std::size_t count =
          co_await self->output_.async_read_some(asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      if (!self->is_ending_) self->incoming_.append(chunk.data(), count);
      self->changed_.ring();
    }
  } catch (const std::bad_alloc&) {
    // Without memory for its messages, the program counts as gone.
  }
  self->is_gone_ = true;
  self->changed_.ring();
}

// A program that writes more than its log keeps is read slowly: only the program waits.
asio::awaitable<void> Connection::read_errors(std::shared_ptr<Connection> self) {
  constexpr Nanoseconds kSlowly = std::chrono::milliseconds(2);
  std::array<char, kReadBytes> chunk{};
  for (;;) {
    boost::system::error_code error;
    const std::size_t count =
        co_await self->errors_.async_read_some(asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    self->log_.add({chunk.data(), count});
    if (self->log_.is_full()) co_await self->errors_pause_.wait_regardless(kSlowly);
  }
}

void Connection::read_errors_that_are_here() {
  std::array<char, kReadBytes> chunk{};
  while (errors_.is_open() && !log_.is_full()) {
    const ssize_t count = ::read(errors_.native_handle(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    log_.add({chunk.data(), static_cast<std::size_t>(count)});
  }
}

std::string Connection::last_words() {
  read_errors_that_are_here();
  return log_.last_words();
}

void Connection::ring_when_there_is_room() {
  if (is_asking_) return;
  is_asking_ = true;
  input_.async_wait(asio::local::stream_protocol::socket::wait_write,
                    [self = shared_from_this()](const boost::system::error_code& /*error*/) {
                      self->is_asking_ = false;
                      self->room_.ring();
                    });
}

asio::awaitable<void> Connection::write(std::string_view bytes) {
  Nanoseconds last_accepted_at = loop_.clock.now();
  while (!bytes.empty() && !is_deaf_ && input_.is_open()) {
    const ssize_t count = ::send(input_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    const Nanoseconds now = loop_.clock.now();
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      last_accepted_at = now;
      continue;
    }
    is_deaf_ = errno != EAGAIN;
    if (is_deaf_) co_return;
    const Nanoseconds left = loop_.left_of(last_accepted_at + silence_ - now, kWritesAfterStop);
    if (left <= Nanoseconds(0)) {
      is_deaf_ = true;
      is_lost_ = !loop_.is_stopping;
      is_gone_ = is_gone_ || is_lost_;
      changed_.ring();
      co_return;
    }
    ring_when_there_is_room();
    co_await room_.wait_regardless(left);
  }
}

void Connection::queue(const samples::ClientMessage& message) { outgoing_ += samples::frame(samples::encode(message)); }

asio::awaitable<void> Connection::flush() {
  const std::string bytes = std::exchange(outgoing_, {});
  co_await write(bytes);
}

tl::unexpected<Error> lost() { return fail("the connection ended", {}, "run the same command again", ErrorCode::lost); }

Result<std::optional<samples::AgentMessage>> Connection::take() {
  if (!incoming_.empty()) {
    frames_.feed(std::exchange(incoming_, {}));
    changed_.ring();
  }
  Result<std::optional<std::string>> frame = frames_.next();
  if (!frame) return error_of(frame);
  if (!frame->has_value()) return std::nullopt;
  Result<samples::AgentMessage> message = samples::decode_agent_message(**frame);
  if (!message) return error_of(message);
  return *std::move(message);
}

asio::awaitable<Result<std::optional<samples::AgentMessage>>> Connection::receive(Nanoseconds patience) {
  Result<std::optional<samples::AgentMessage>> message = take();
  if (!message || message->has_value() || is_gone_) co_return message;
  co_await changed_.wait(patience);
  co_return take();
}

asio::awaitable<Result<std::optional<std::string>>> Connection::read_line(Nanoseconds patience) {
  const Nanoseconds give_up = loop_.clock.now() + patience;
  for (;;) {
    const std::size_t end = incoming_.find('\n');
    if (end != std::string::npos) {
      std::string line = incoming_.substr(0, end);
      incoming_.erase(0, end + 1);
      co_return line;
    }
    if (incoming_.size() > kMaxLineBytes) {
      co_return fail(fmt::format("the device sent a line of more than {} bytes", kMaxLineBytes));
    }
    const Nanoseconds left = give_up - loop_.clock.now();
    if (is_over() || left <= Nanoseconds(0)) co_return std::nullopt;
    co_await changed_.wait(left);
  }
}

asio::awaitable<std::string> Connection::end(Nanoseconds patience) {
  boost::system::error_code ignored;
  input_.close(ignored);  // NOLINT(bugprone-unused-return-value): the same as in `ignored`
  is_ending_ = true;
  incoming_.clear();
  changed_.ring();
  std::string how;
  if (pid_ >= 0) {
    const std::optional<int> status = co_await end_of_child(loop_, pid_, pid_, patience, kEndsAfterStop);
    how = status ? process::describe(*status) : fmt::format("process {} does not end", pid_);
  }
  read_errors_that_are_here();
  log_.end();
  output_.close(ignored);  // NOLINT(bugprone-unused-return-value): likewise
  errors_.close(ignored);  // NOLINT(bugprone-unused-return-value): likewise
  pid_ = -1;
  if (is_lost_) {
    const double seconds = std::chrono::duration<double>(silence_).count();
    how = fmt::format("it read nothing of what it was sent for {}", text::human_duration(seconds));
  }
  co_return how;
}

}  // namespace ngb::dispatch
