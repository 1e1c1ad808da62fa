// SPDX-License-Identifier: Apache-2.0
#include "live/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

// clang-format off
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
// clang-format on

namespace ngb::live {

namespace http = boost::beast::http;

Result<std::optional<Request>> parse_request(std::string_view bytes) {
  if (bytes.find("\r\n\r\n") == std::string_view::npos) {
    if (bytes.size() >= kMostRequestBytes) return fail("The request is too long.");
    return std::nullopt;
  }
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(kMostRequestBytes));
  boost::system::error_code error;
  parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  if (!parser.is_header_done()) return fail("The request is not valid HTTP.");
  const auto& head = parser.get();
  if (head.count(http::field::host) != 1) return fail("The request must name one host.");
  const auto text = [](boost::beast::string_view view) { return std::string(view.data(), view.size()); };
  return Request{.method = text(head.method_string()),
                 .target = text(head.target()),
                 .host = text(head[http::field::host]),
                 .authorization = text(head[http::field::authorization])};
}

Connection::Connection(int descriptor, std::string address, Nanoseconds now)
    : since(now), descriptor_(descriptor), address_(std::move(address)), moved_(now) {}

Connection::~Connection() { ::close(descriptor_); }

bool Connection::receive() {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  // A reader that goes on sending after its request is dropped, so that it cannot keep this thread busy.
  if (stage != Stage::reading) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

void Connection::send(std::string head, std::shared_ptr<const std::string> body, Nanoseconds now) {
  head_ = std::move(head);
  body_ = std::move(body);
  sent_ = 0;
  moved_ = now;
}

bool Connection::write(Nanoseconds now) {
  while (has_output()) {
    const bool is_head = sent_ < head_.size();
    const std::string& part = is_head ? head_ : *body_;
    const std::size_t from = is_head ? sent_ : sent_ - head_.size();
    const ssize_t count = ::send(descriptor_, part.data() + from, part.size() - from, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    sent_ += static_cast<std::size_t>(count);
    moved_ = now;
  }
  return true;
}

bool Connection::is_stuck(Nanoseconds now) const {
  constexpr Nanoseconds kPatience = std::chrono::seconds(10);
  return (stage == Stage::reading || has_output()) && now - moved_ > kPatience;
}

}  // namespace ngb::live
