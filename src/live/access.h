// SPDX-License-Identifier: Apache-2.0
// Says where the live page is served and which requests are answered. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::live {

// An address to serve at, as `--serve` gives it.
struct Address {
  std::string host{"127.0.0.1"};  // numeric, without brackets
  int port = 0;                   // 0: any free one

  [[nodiscard]] bool is_loopback() const;
  // Returns "127.0.0.1:8017" or "[::1]:8017".
  [[nodiscard]] std::string text() const;
};

// Reads "", "PORT", "HOST:PORT", "HOST" or "[HOST]:PORT", where HOST is numeric or "localhost". Returns an error for
// anything else.
Result<Address> parse_address(std::string_view text);

// A request as far as the rules need it.
struct Request {
  std::string method{};
  std::string target{};         // "/events?token=…"
  std::string host{};           // the header
  std::string authorization{};  // the header
};

inline constexpr std::size_t kMostRequestBytes = 8192;

// Reads the head of a request. Returns nothing while it is incomplete, and an error that says what is wrong with it.
Result<std::optional<Request>> parse_request(std::string_view bytes);

// Returns the target without what follows "?".
std::string_view path_of(std::string_view target);

// HTTP's numbers for the answers that the page gives.
enum class HttpStatus {
  fine = 200,
  bad_request = 400,
  unauthorized = 401,
  forbidden = 403,
  not_found = 404,
  no_such_method = 405
};

// Returns the HTTP status and a sentence for a request that is refused; nothing if it is answered. `token` is "" if
// none is demanded. It is compared in constant time. At a loopback address the header Host must name that address or
// localhost: a web page elsewhere whose name was made to lead here sends its own name.
struct Refusal {
  HttpStatus status = HttpStatus::forbidden;
  std::string why{};
};
std::optional<Refusal> refusal(const Request& request, const Address& address, std::string_view token);

}  // namespace ngb::live
