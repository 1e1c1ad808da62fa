// SPDX-License-Identifier: Apache-2.0
#include "dispatch/agent_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "base/process.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

constexpr const char* kLogName = "agent.log";

}  // namespace

Result<AgentProcess> AgentProcess::start(const Installation& installation, const std::filesystem::path& work_folder) {
  if (const Status made = file::make_folder(work_folder); !made) return tl::unexpected(made.error());
  const std::filesystem::path log_path = work_folder / kLogName;
  const FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log.is_open()) return tl::unexpected(file::from_errno("write", log_path, errno));
  // A socket, so that writing to an agent that is gone is an error value here and no signal.
  int input[2];
  int output[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0) {
    return tl::unexpected(file::from_errno("start", installation.agent, errno));
  }
  FileDescriptor our_input(input[0]);
  const FileDescriptor their_input(input[1]);
  if (::pipe2(output, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", installation.agent, errno));
  FileDescriptor our_output(output[0]);
  const FileDescriptor their_output(output[1]);
  process::Spawn spawn{{installation.agent.string(), "--work", work_folder.string(), "--worker",
                        (installation.agent.parent_path() / "ngb-worker").string(), "--lib",
                        installation.lib.string()}};
  spawn.descriptors = {{their_input.get(), 0}, {their_output.get(), 1}, {log.get(), 2}};
  // Ctrl-C is for the client, which then asks the agent to stop; should the client die, the agent sees it by itself.
  spawn.own_group = true;
  spawn.dies_with_parent = false;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return tl::unexpected(pid.error());
  return AgentProcess(*pid, std::move(our_input), std::move(our_output));
}

AgentProcess::AgentProcess(pid_t pid, FileDescriptor input, FileDescriptor output)
    : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}

AgentProcess::AgentProcess(AgentProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      outgoing_(std::move(other.outgoing_)),
      frames_(std::move(other.frames_)),
      received_(std::move(other.received_)),
      is_gone_(other.is_gone_) {}

AgentProcess::~AgentProcess() { end(); }

std::string AgentProcess::end() {
  if (pid_ < 0) return {};
  input_.reset();
  output_.reset();
  const Nanoseconds give_up = system_clock().now() + std::chrono::seconds(15);
  int status = 0;
  for (bool is_killed = false;;) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) break;
    if (!is_killed && system_clock().now() > give_up) is_killed = ::kill(pid_, SIGKILL) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = -1;
  const process::Outcome outcome = process::decode(status);
  return outcome.signal ? fmt::format("signal {}", *outcome.signal)
                        : fmt::format("exit code {}", outcome.exit_code.value_or(-1));
}

void AgentProcess::send(const samples::ClientMessage& message) {
  outgoing_ += samples::frame(samples::encode(message));
}

Result<std::optional<samples::AgentMessage>> AgentProcess::exchange(Nanoseconds patience) {
  if (received_.empty() && !is_gone_) {
    const bool has_outgoing = !outgoing_.empty() && input_.is_open();
    pollfd sources[] = {{output_.get(), POLLIN, 0}, {has_outgoing ? input_.get() : -1, POLLOUT, 0}};
    const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
    if (::poll(sources, 2, static_cast<int>(wait_ms)) > 0) {
      if (sources[1].revents != 0) write_some();
      if (sources[0].revents != 0) {
        if (const Status read = read_some(); !read) return tl::unexpected(read.error());
      }
    }
  }
  if (received_.empty()) return std::nullopt;
  std::optional<samples::AgentMessage> message = std::move(received_.front());
  received_.pop_front();
  return message;
}

void AgentProcess::write_some() {
  const ssize_t count = ::send(input_.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count > 0) outgoing_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) input_.reset();  // its end shows on the other side
}

Status AgentProcess::read_some() {
  std::string chunk(1U << 16U, '\0');
  const ssize_t count = ::read(output_.get(), chunk.data(), chunk.size());
  if (count < 0 && errno == EINTR) return Done{};
  is_gone_ = count <= 0;
  if (is_gone_) return Done{};
  frames_.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(count)));
  for (;;) {
    Result<std::optional<std::string>> frame = frames_.next();
    if (!frame) return tl::unexpected(frame.error());
    if (!frame->has_value()) return Done{};
    Result<samples::AgentMessage> message = samples::decode_agent_message(**frame);
    if (!message) return tl::unexpected(message.error());
    received_.push_back(*std::move(message));
  }
}

std::string last_words(const std::filesystem::path& work_folder, std::uint64_t from_byte) {
  constexpr std::size_t kMaxBytes = 2000;
  const Result<std::string> content = file::read(work_folder / kLogName);
  if (!content || content->size() <= from_byte) return {};
  std::string_view words = std::string_view(*content).substr(from_byte);
  if (words.size() > kMaxBytes) words.remove_prefix(words.size() - kMaxBytes);
  return text::to_utf8(text::trim(words));
}

}  // namespace ngb::dispatch
