// SPDX-License-Identifier: Apache-2.0
#include "dispatch/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

// So much of what a program says waits here for being taken; then the program waits. A large fleet has a thousand such.
constexpr std::size_t kMaxIncomingBytes = 1U << 16U;
constexpr std::size_t kReadBytes = 1U << 14U;
constexpr std::size_t kMaxLineBytes = 4096;

}  // namespace

Result<std::shared_ptr<Connection>> Connection::start(Loop& loop, const std::vector<std::string>& command,
                                                      const std::filesystem::path& log_path) {
  if (const Status made = file::make_folder(log_path.parent_path()); !made) return tl::unexpected(made.error());
  const FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return tl::unexpected(file::from_errno("write", log_path, errno));
  // A socket, so that writing to a program that is gone is an error value here and no signal.
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.data()) != 0) {
    return tl::unexpected(file::from_errno("start", command[0], errno));
  }
  FileDescriptor our_input(input[0]);
  const FileDescriptor their_input(input[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", command[0], errno));
  FileDescriptor our_output(output[0]);
  const FileDescriptor their_output(output[1]);
  process::Spawn spawn{command};
  spawn.descriptors = {{their_input.get(), 0}, {their_output.get(), 1}, {log.get(), 2}};
  // Ctrl-C is for the client, which then asks the agent to stop; should the client die, the program sees it by itself.
  spawn.own_group = true;
  spawn.dies_with_parent = false;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return tl::unexpected(pid.error());
  std::shared_ptr<Connection> started(new Connection(loop, *pid, our_input.release(), our_output.release()));
  asio::co_spawn(loop.io, read_all(started), asio::detached);
  return started;
}

Connection::Connection(Loop& loop, pid_t pid, int input, int output)
    : loop_(loop),
      pid_(pid),
      input_(loop.io, asio::local::stream_protocol(), input),
      output_(loop.io, output),
      changed_(loop),
      pause_(loop) {}

Connection::~Connection() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

asio::awaitable<void> Connection::read_all(std::shared_ptr<Connection> self) {
  std::array<char, kReadBytes> chunk{};
  for (;;) {
    while (self->incoming_.size() > kMaxIncomingBytes) co_await self->changed_.wait_regardless(std::chrono::seconds(1));
    boost::system::error_code error;
    const std::size_t count =
        co_await self->output_.async_read_some(asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    self->incoming_.append(chunk.data(), count);
    self->changed_.ring();
  }
  self->is_gone_ = true;
  self->changed_.ring();
}

asio::awaitable<void> Connection::write(std::string_view bytes) {
  // Asio would wait for ever with a second write after one that failed: it is told of the program's end only once.
  if (is_deaf_) co_return;
  boost::system::error_code error;
  co_await asio::async_write(input_, asio::buffer(bytes.data(), bytes.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  is_deaf_ = error.failed();
}

void Connection::queue(const samples::ClientMessage& message) { outgoing_ += samples::frame(samples::encode(message)); }

asio::awaitable<void> Connection::flush() {
  const std::string bytes = std::exchange(outgoing_, {});
  co_await write(bytes);
}

Result<std::optional<samples::AgentMessage>> Connection::take() {
  if (!incoming_.empty()) {
    frames_.feed(std::exchange(incoming_, {}));
    changed_.ring();
  }
  Result<std::optional<std::string>> frame = frames_.next();
  if (!frame) return tl::unexpected(frame.error());
  if (!frame->has_value()) return std::nullopt;
  Result<samples::AgentMessage> message = samples::decode_agent_message(**frame);
  if (!message) return tl::unexpected(message.error());
  return *std::move(message);
}

asio::awaitable<Result<std::optional<samples::AgentMessage>>> Connection::receive(Nanoseconds patience) {
  Result<std::optional<samples::AgentMessage>> message = take();
  if (!message || message->has_value() || is_gone_) co_return message;
  co_await changed_.wait(patience);
  co_return take();
}

asio::awaitable<Result<std::optional<std::string>>> Connection::read_line(Nanoseconds patience) {
  const Nanoseconds give_up = system_clock().now() + patience;
  for (;;) {
    const std::size_t end = incoming_.find('\n');
    if (end != std::string::npos) {
      std::string line = incoming_.substr(0, end);
      incoming_.erase(0, end + 1);
      co_return line;
    }
    if (incoming_.size() > kMaxLineBytes) co_return fail("what came is not a line");
    const Nanoseconds left = give_up - system_clock().now();
    if (is_over() || left <= Nanoseconds(0)) co_return std::nullopt;
    co_await changed_.wait(left);
  }
}

asio::awaitable<std::string> Connection::end(Nanoseconds patience) {
  boost::system::error_code ignored;
  input_.close(ignored);  // NOLINT(bugprone-unused-return-value): the same as in `ignored`
  const Nanoseconds give_up = system_clock().now() + patience;
  int status = 0;
  for (bool is_killed = false; pid_ >= 0;) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) break;
    if (!is_killed && system_clock().now() > give_up) is_killed = ::kill(pid_, SIGKILL) == 0;
    incoming_.clear();  // what it still says is for nobody
    co_await pause_.wait_regardless(std::chrono::milliseconds(2));
  }
  output_.close(ignored);  // NOLINT(bugprone-unused-return-value): likewise
  pid_ = -1;
  co_return process::describe(status);
}

std::string last_words(const std::filesystem::path& log, std::uint64_t from_byte) {
  constexpr std::size_t kMaxBytes = 2000;
  const Result<std::string> content = file::read(log);
  if (!content || content->size() <= from_byte) return {};
  std::string_view words = std::string_view(*content).substr(from_byte);
  if (words.size() > kMaxBytes) words.remove_prefix(words.size() - kMaxBytes);
  return text::to_utf8(text::trim(words));
}

}  // namespace ngb::dispatch
