// SPDX-License-Identifier: Apache-2.0
#include "live/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
// clang-format off
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
// clang-format on

namespace ngb::live {

namespace http = boost::beast::http;

namespace {

constexpr int kHighestPort = 65'535;

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  if (port < 0 || port > kHighestPort) return std::nullopt;
  return port;
}

bool is_numeric(const std::string& host) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET, host.c_str(), &parsed) == 1 || ::inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

tl::unexpected<Error> no_address(std::string_view text) {
  return fail(fmt::format("\"{}\" is neither a port nor an address", text), "--serve",
              "write --serve after the study, with nothing, a port (8017) or ADDRESS:PORT (0.0.0.0:8017)");
}

bool is_equal_in_constant_time(std::string_view given, std::string_view token) {
  return given.size() == token.size() && CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

bool has_token(const Request& request, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  if (request.authorization.starts_with(kBearer) &&
      is_equal_in_constant_time(std::string_view(request.authorization).substr(kBearer.size()), token)) {
    return true;
  }
  constexpr std::string_view kToken = "token=";
  const std::size_t mark = request.target.find('?');
  if (mark == std::string::npos) return false;
  const std::vector<std::string> parts = text::split(std::string_view(request.target).substr(mark + 1), '&');
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return part.starts_with(kToken) && is_equal_in_constant_time(std::string_view(part).substr(kToken.size()), token);
  });
}

bool names_this_machine(const std::string& host, const Address& address) {
  const std::string port = fmt::format(":{}", address.port);
  const std::string all = address.text();
  const std::string name = all.substr(0, all.size() - port.size());
  const bool is_default = address.port == 80 && (host == name || host == "localhost");  // browsers leave it out
  return host == all || host == "localhost" + port || is_default;
}

}  // namespace

bool Address::is_loopback() const { return host.starts_with("127.") || host == "::1"; }

std::string Address::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<Address> parse_address(std::string_view text) {
  Address address;
  if (text.empty()) return address;
  if (const auto port = port_of(text)) {
    address.port = *port;
    return address;
  }
  std::string_view host = text;
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && text.find(':') == colon;
  const bool has_brackets = text.front() == '[' && text.find(']') != std::string_view::npos;
  if (has_brackets) {
    const std::size_t end = text.find(']');
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    const auto port = rest.starts_with(':') ? port_of(rest.substr(1)) : std::nullopt;
    if (!rest.empty() && !port) return no_address(text);
    address.port = port.value_or(0);
  } else if (has_port) {
    const auto port = port_of(text.substr(colon + 1));
    if (!port) return no_address(text);
    host = text.substr(0, colon);
    address.port = *port;
  }
  address.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  if (!is_numeric(address.host)) return no_address(text);
  return address;
}

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

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::optional<Refusal> refusal(const Request& request, const Address& address, std::string_view token) {
  if (address.is_loopback() && !names_this_machine(request.host, address)) {
    return Refusal{HttpStatus::forbidden, "This page is served for this machine only."};
  }
  if (request.method != "GET") return Refusal{HttpStatus::no_such_method, "This page can only be read."};
  if (!token.empty() && !has_token(request, token)) {
    return Refusal{HttpStatus::unauthorized, "The token is missing or wrong; use the address that ngb has printed."};
  }
  return std::nullopt;
}

}  // namespace ngb::live
