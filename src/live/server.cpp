// SPDX-License-Identifier: Apache-2.0
#include "live/server.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/processors.h"
#include "live/hosts.h"
#include "live/readers.h"
// clang-format off
#include <boost/asio/post.hpp>
// clang-format on

namespace ngb::live {
namespace {

Result<std::string> new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(fmt::format("no token could be made: {}", std::strerror(errno)), "--serve");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Error cannot_listen(const Address& address, int number) {
  if (number == EADDRINUSE) {
    return {fmt::format("port {} is in use", address.port), "--serve " + address.text(),
            "choose another port, or --serve without one for any that is free"};
  }
  if (number == EADDRNOTAVAIL) {
    return {address.host + " is not an address of this machine", "--serve " + address.text(),
            "use one that `ip address` lists, or 0.0.0.0 for all of them"};
  }
  if (number == EACCES) {
    return {fmt::format("port {} may not be used by this user", address.port), "--serve " + address.text(),
            "choose one of 1024 or more"};
  }
  return {fmt::format("cannot listen: {}", std::strerror(number)), "--serve " + address.text(), ""};
}

// Lets this thread keep the lowest priority and the processors. Where that is refused, it runs as the others do.
void step_back(const std::vector<int>& cpus) {
  constexpr int kLowest = 19;
  // On Linux both are settings of the calling thread.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kLowest);
  if (!cpus.empty()) (void)confine(0, cpus);
}

}  // namespace

struct Server::Loop {
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::unique_ptr<Readers> readers{};
};

Result<std::unique_ptr<Server>> Server::begin(const Address& address, const std::vector<int>& cpus,
                                              const Clock& clock) {
  std::string token;
  if (!address.is_loopback()) {
    auto made = new_token();
    if (!made) return error_of(made);
    token = *std::move(made);
  }
  std::unique_ptr<Server> server(new Server(address, std::move(token), clock));
  if (const Status listens = server->listen(); !listens) return error_of(listens);
  server->begin_thread(cpus);
  return server;
}

Server::Server(Address address, std::string token, const Clock& clock)
    : address_(std::move(address)), hosts_(hosts_at(address_.host)), token_(std::move(token)), clock_(&clock) {}

// Writes the port that the kernel chose to `address_`.
Status Server::listen() try {
  loop_ = std::make_unique<Loop>();
  const tcp::endpoint at(asio::ip::make_address(address_.host), static_cast<std::uint16_t>(address_.port));
  tcp::acceptor& acceptor = loop_->acceptor;
  // Asio's own sockets would stay open in programs that this one starts.
  const int listener = ::socket(at.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return tl::unexpected(cannot_listen(address_, errno));
  acceptor.assign(at.protocol(), listener);
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.bind(at);
  acceptor.listen(static_cast<int>(Readers::kMost));
  address_.port = acceptor.local_endpoint().port();
  loop_->readers = std::make_unique<Readers>(loop_->context, std::move(acceptor), address_, token_, desk_, *clock_);
  return Done{};
} catch (const boost::system::system_error& error) {
  return tl::unexpected(cannot_listen(address_, error.code().value()));
}

void Server::begin_thread(const std::vector<int>& cpus) {
  // Signals are for the run's thread.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = Thread([this, cpus] {
    step_back(cpus);
    loop_->context.run();
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Server::~Server() {
  if (thread_.joinable()) loop_->context.stop();
}

std::string Server::url() const {
  const Address first{hosts_.front(), address_.port};
  return fmt::format("http://{}/{}", first.text(), token_.empty() ? "" : "?token=" + token_);
}

void Server::publish(Published published) {
  desk_.leave(std::move(published), clock_->now());
  asio::post(loop_->context, [this] { loop_->readers->tell_news(); });
}

void Server::end(Published published) {
  constexpr Nanoseconds kPatience = std::chrono::seconds(5);
  constexpr Nanoseconds kLook = std::chrono::milliseconds(20);
  const bool has_report = published.report != nullptr;
  const Readers& readers = *loop_->readers;
  const int open = readers.open_streams();
  const int before = readers.sent_reports();
  publish(std::move(published));
  const Nanoseconds begun = clock_->now();
  while (open > 0 && clock_->now() - begun < kPatience) {
    if (has_report ? readers.sent_reports() - before >= open : readers.open_streams() == 0) return;
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace ngb::live
