// SPDX-License-Identifier: Apache-2.0
#include "live/access.h"

#include <gtest/gtest.h>

namespace ngb::live {
namespace {

const Address kHere{.host = "127.0.0.1", .port = 8017};
const Address kEverywhere{.host = "0.0.0.0", .port = 8017};

int status_of(const Request& request, const Address& address, std::string_view token) {
  const auto refused = refusal(request, address, token);
  return static_cast<int>(refused ? refused->status : HttpStatus::fine);
}

TEST(ServeAddress, IsLoopbackAndAFreePortUnlessToldOtherwise) {
  EXPECT_EQ(parse_address("")->text(), "127.0.0.1:0");
  EXPECT_EQ(parse_address("8017")->text(), "127.0.0.1:8017");
  EXPECT_EQ(parse_address("localhost:8017")->text(), "127.0.0.1:8017");
  EXPECT_EQ(parse_address("0.0.0.0:8017")->text(), "0.0.0.0:8017");
  EXPECT_EQ(parse_address("[::1]:8017")->text(), "[::1]:8017");
  EXPECT_EQ(parse_address("::1")->text(), "[::1]:0");
  EXPECT_TRUE(parse_address("[::1]:8017")->is_loopback());
  EXPECT_FALSE(parse_address("0.0.0.0:8017")->is_loopback());
}

TEST(ServeAddress, RefusesWordsAndPortsThatDoNotExist) {
  for (const char* text : {"quickstart", "65536", "-1", "80a", "127.0.0.1:", "example.org:80", "[::1", "[::1]x"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_NE(address.error().what.find(text), std::string::npos) << address.error().what;
    EXPECT_FALSE(address.error().next.empty());
  }
}

TEST(LiveAccess, IsRefusedToAPageWhoseNameWasMadeToLeadHere) {
  EXPECT_EQ(status_of({"GET", "/", "127.0.0.1:8017"}, kHere, ""), 200);
  EXPECT_EQ(status_of({"GET", "/", "localhost:8017"}, kHere, ""), 200);
  EXPECT_EQ(status_of({"GET", "/", "evil.example:8017"}, kHere, ""), 403);
  EXPECT_EQ(status_of({"GET", "/", "127.0.0.1:8018"}, kHere, ""), 403);
  EXPECT_EQ(status_of({"GET", "/", ""}, kHere, ""), 403);
}

TEST(LiveAccess, AtPort80IsAskedForWithoutThePortWhichBrowsersLeaveOut) {
  const Address here{.host = "127.0.0.1", .port = 80};
  for (const char* host : {"127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"}) {
    EXPECT_EQ(status_of({"GET", "/", host}, here, ""), 200) << host;
  }
  EXPECT_EQ(status_of({"GET", "/", "[::1]"}, {.host = "::1", .port = 80}, ""), 200);
  EXPECT_EQ(status_of({"GET", "/", "evil.example"}, here, ""), 403);
  EXPECT_EQ(status_of({"GET", "/", "127.0.0.1"}, kHere, ""), 403);
}

TEST(LiveAccess, IsForReadingOnly) {
  for (const char* method : {"POST", "HEAD", "OPTIONS", "PUT", "DELETE"}) {
    EXPECT_EQ(status_of({method, "/", "127.0.0.1:8017"}, kHere, ""), 405) << method;
  }
}

TEST(LiveAccess, FromElsewhereNeedsTheToken) {
  constexpr const char* kToken = "0123456789abcdef";
  const auto status = [&](const char* target, const char* authorization) {
    return status_of({"GET", target, "lab:8017", authorization}, kEverywhere, kToken);
  };
  EXPECT_EQ(status("/events?token=0123456789abcdef", ""), 200);
  EXPECT_EQ(status("/events?a=b&token=0123456789abcdef", ""), 200);
  EXPECT_EQ(status("/metrics", "Bearer 0123456789abcdef"), 200);
  EXPECT_EQ(status("/events", ""), 401);
  EXPECT_EQ(status("/events?token=", ""), 401);
  EXPECT_EQ(status("/events?token=0123456789abcdee", ""), 401);
  EXPECT_EQ(status("/events?token=0123456789abcdef0", ""), 401);
  EXPECT_EQ(status("/0123456789abcdef", "Basic 0123456789abcdef"), 401);
}

TEST(LiveRequest, IsReadOnceItsHeadIsComplete) {
  const auto part = parse_request("GET /metrics HTTP/1.1\r\nHost: a:1\r\n");
  ASSERT_TRUE(part);
  EXPECT_FALSE(*part);
  const auto whole = parse_request("GET /metrics?x=1 HTTP/1.1\r\nHost: a:1\r\nAuthorization: Bearer t\r\n\r\n");
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*whole)->method, "GET");
  EXPECT_EQ((*whole)->target, "/metrics?x=1");
  EXPECT_EQ((*whole)->host, "a:1");
  EXPECT_EQ((*whole)->authorization, "Bearer t");
}

TEST(LiveRequest, IsRefusedIfItIsTooLongOrNamesTwoHostsOrIsNoHttp) {
  EXPECT_FALSE(parse_request(std::string(kMostRequestBytes, 'a')));
  EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"));
  EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(parse_request(std::string("\0\0\r\n\r\n", 6)));
}

}  // namespace
}  // namespace ngb::live
