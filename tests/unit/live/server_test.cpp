// SPDX-License-Identifier: Apache-2.0
// Readers of the live page over real sockets: one that reads, and one that never does.
#include "live/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ngb::live {
namespace {

using std::chrono::seconds;

// More than the kernel's buffers of a connection hold together: by default at most 4 MB to send and 6 MB received.
constexpr std::size_t kEventBytes = std::size_t{16} << 20U;

// Read by the server's thread, moved by the test.
class SharedClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return Nanoseconds(now_ns_); }
  [[nodiscard]] Nanoseconds unix_now() const override { return now(); }
  void advance(Nanoseconds by) { now_ns_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_ns_{0};
};

class Reader {
 public:
  // Asks for the events. `buffer_bytes` is what the kernel may keep for a reader that does not read; 0: as it likes.
  Reader(const Server& server, int buffer_bytes, bool asks = true)
      : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::string url = server.url();
    const int port = std::atoi(url.c_str() + url.rfind(':') + 1);
    if (buffer_bytes > 0) ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
    if (!asks) return;
    EXPECT_EQ(::send(descriptor_, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  }
  ~Reader() { ::close(descriptor_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void send(const std::string& text) const { (void)::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Waits until something has come, without reading it.
  [[nodiscard]] bool has_something() const {
    constexpr int kPatienceMs = 300'000;  // the server's thread has the lowest priority
    pollfd watched{descriptor_, POLLIN, 0};
    return ::poll(&watched, 1, kPatienceMs) == 1;
  }
  // Reads until `mark` has come. Returns false if the connection ends before.
  bool read_until(const std::string& mark) {
    while (text_.find(mark) == std::string::npos) {
      text_.erase(0, text_.size() - std::min(text_.size(), mark.size()));
      if (read_some() == 0) return false;
    }
    return true;
  }
  // Reads to the end of the connection and returns how many bytes came.
  std::size_t read_to_the_end() {
    std::size_t total = 0;
    for (std::size_t count = read_some(); count != 0; count = read_some()) total += count;
    return total;
  }

 private:
  std::size_t read_some() {
    std::array<char, 65'536> buffer{};
    if (!has_something()) return 0;
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (count > 0) text_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  int descriptor_;
  std::string text_{};
};

Published state(const std::string& name) { return {.json = std::string(kEventBytes, ' ') + name}; }

TEST(LiveServer, LeavesAReaderThatNeverReadsBehindAndServesTheOthers) {
  SharedClock clock;
  auto server = Server::begin({}, {}, clock).value();
  Reader stuck(*server, 4096);
  ASSERT_TRUE(stuck.has_something());
  Reader other(*server, 0);
  for (const char* name : {"first", "second", "third"}) {
    server->publish(state(name));
    ASSERT_TRUE(other.read_until(name)) << name;
  }
  // Whoever comes now is served after the server has noticed that the other accepted all of it.
  ASSERT_TRUE(Reader(*server, 0).read_until("third\n\n"));
  clock.advance(seconds(11));
  server->publish(state("fourth"));
  ASSERT_TRUE(other.read_until("fourth"));
  // The server has ended its connection in the middle of an event, with what the kernel had still accepted.
  const std::size_t came = stuck.read_to_the_end();
  EXPECT_GT(came, 0U);
  EXPECT_LT(came, kEventBytes);
  Published last = state("last");
  last.has_ended = true;
  std::thread reading([&other] { EXPECT_TRUE(other.read_until("last\n\n")); });
  server->end(std::move(last));
  reading.join();
  EXPECT_EQ(other.read_to_the_end(), 0U);
}

TEST(LiveServer, DropsAReaderThatSendsMoreThanItsRequest) {
  auto server = Server::begin({}, {}).value();
  Reader reader(*server, 0);
  ASSERT_TRUE(reader.read_until("retry: 2000"));
  reader.send("more and more");
  EXPECT_EQ(reader.read_to_the_end(), 0U);
}

// Returns the processor time that this process has used.
std::chrono::microseconds used() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(LiveServer, WaitsWhileNoDescriptorIsLeftAndThenServes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers ask whether memory can be read by writing it to a pipe, for which no descriptor is left";
#endif
  using std::chrono::milliseconds;
  SharedClock clock;
  auto server = Server::begin({}, {}, clock).value();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::dup(0);
  ::close(next);
  const rlimit one_more{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  Reader reader(*server, 0);
  const auto begun = used();
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_LT(used() - begun, milliseconds(200));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  clock.advance(seconds(2));
  EXPECT_TRUE(reader.read_until("retry: 2000"));
}

TEST(LiveServer, GivesAnAddressAQuarterOfThePlacesAndTakesThoseOfIdleReadersFirst) {
  auto server = Server::begin({}, {}).value();
  std::vector<std::unique_ptr<Reader>> streams;
  for (int i = 0; i < 15; ++i) {
    streams.push_back(std::make_unique<Reader>(*server, 0));
    ASSERT_TRUE(streams.back()->read_until("retry: 2000"));
  }
  Reader idle(*server, 0, false);
  Reader sixteenth(*server, 0);
  EXPECT_TRUE(sixteenth.read_until("retry: 2000"));
  EXPECT_EQ(idle.read_to_the_end(), 0U);
  Reader seventeenth(*server, 0);
  EXPECT_FALSE(seventeenth.read_until("retry: 2000"));
  server->publish(state("shown"));
  EXPECT_TRUE(streams.front()->read_until("shown"));
}

}  // namespace
}  // namespace ngb::live
