// SPDX-License-Identifier: Apache-2.0
// A reader of the live page: reads one request, and writes its answer or, for a stream, one event after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "live/access.h"
#include "live/desk.h"

namespace ngb::live {

inline constexpr std::size_t kMostRequestBytes = 8192;

// Reads the head of a request. Returns nothing while it is incomplete, and an error that says what is wrong with it.
Result<std::optional<Request>> parse_request(std::string_view bytes);

class Connection {
 public:
  enum class Stage {
    reading,  // the request
    waiting,  // for a newer state
    stream,   // of events
    closing   // once the answer is sent
  };

  // Owns `descriptor`, which does not block. `address` is the reader's, without the port.
  Connection(int descriptor, std::string address, Nanoseconds now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Reads some of what has come. Returns false if the reader has left, or goes on sending after its request.
  bool receive();
  // Puts an answer or an event in line. Nothing else may be in line.
  void send(std::string head, std::shared_ptr<const std::string> body, Nanoseconds now);
  // Writes as much as the reader accepts now. Returns false if the reader has left.
  bool write(Nanoseconds now);
  // Returns whether the reader has accepted nothing, or sent nothing, for too long.
  [[nodiscard]] bool is_stuck(Nanoseconds now) const;
  [[nodiscard]] bool has_output() const { return sent_ < size(); }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& received() const { return received_; }
  [[nodiscard]] const std::string& address() const { return address_; }

  Stage stage = Stage::reading;
  std::string path{};                       // of the request
  std::shared_ptr<const Published> seen{};  // what it was sent last, or what was there when it asked
  Nanoseconds since{};                      // when it asked

 private:
  [[nodiscard]] std::size_t size() const { return head_.size() + (body_ ? body_->size() : 0); }

  int descriptor_;
  std::string address_;
  std::string received_{};
  std::string head_{};
  std::shared_ptr<const std::string> body_{};
  std::size_t sent_ = 0;
  Nanoseconds moved_;  // when the reader last sent or accepted something
};

}  // namespace ngb::live
