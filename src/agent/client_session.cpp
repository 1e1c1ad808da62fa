// SPDX-License-Identifier: Apache-2.0
#include "agent/client_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace ngb::agent {

Result<std::vector<samples::ClientMessage>> Session::read() {
  std::string chunk(1U << 16U, '\0');
  const ssize_t count = ::read(input_fd_, chunk.data(), chunk.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return std::vector<samples::ClientMessage>{};
  if (count <= 0) is_gone_ = true;
  if (is_gone_) return std::vector<samples::ClientMessage>{};
  frames_.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(count)));
  std::vector<samples::ClientMessage> messages;
  for (;;) {
    const Result<std::optional<std::string>> frame = frames_.next();
    if (!frame) return error_of(frame);
    if (!frame->has_value()) return messages;
    Result<samples::ClientMessage> message = samples::decode_client_message(**frame);
    if (!message) return error_of(message);
    messages.push_back(*std::move(message));
  }
}

void Session::follow(const Journal& journal, std::uint64_t after) {
  journal_ = &journal;
  sent_ = after;
}

void Session::send(const samples::AgentMessage& message) { outgoing_ += samples::line_frame(samples::encode(message)); }

void Session::send_if_idle(const samples::AgentMessage& message) {
  if (!wants_to_write()) send(message);
}

bool Session::wants_to_write() const {
  return written_ < outgoing_.size() || (journal_ != nullptr && journal_->last_sequence() > sent_);
}

Status Session::write() {
  if (written_ == outgoing_.size()) {
    outgoing_.clear();
    written_ = 0;
    if (journal_ != nullptr) {
      const Result<Journal::Entry> entry = journal_->next_after(sent_);
      if (!entry) return error_of(entry);
      if (!entry->payload.empty()) {
        outgoing_ = samples::line_frame(entry->payload);
        sent_ = entry->sequence;
      }
    }
  }
  // A pipe that poll finds writable accepts PIPE_BUF bytes without waiting.
  const std::size_t size_bytes = std::min<std::size_t>(outgoing_.size() - written_, PIPE_BUF);
  const ssize_t count = ::write(output_fd_, outgoing_.data() + written_, size_bytes);
  if (count >= 0) {
    written_ += static_cast<std::size_t>(count);
  } else if (errno != EINTR && errno != EAGAIN) {
    is_gone_ = true;
  }
  return Done{};
}

void Session::flush(Nanoseconds patience) {
  const Nanoseconds give_up = system_clock().now() + patience;
  while (wants_to_write() && !is_gone_ && system_clock().now() < give_up) {
    pollfd output{output_fd_, POLLOUT, 0};
    constexpr int kPauseMs = 100;
    if (::poll(&output, 1, kPauseMs) > 0 && !write()) return;
  }
}

bool Session::has_acknowledged_all() const {
  return journal_ != nullptr && acknowledged_ >= journal_->last_sequence() && !wants_to_write();
}

}  // namespace ngb::agent
