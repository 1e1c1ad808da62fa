// SPDX-License-Identifier: Apache-2.0
#include "live/server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/processors.h"
#include "live.css.h"
#include "live.html.h"
#include "live.js.h"
#include "live/hosts.h"
#include "page.css.h"

namespace ngb::live {
namespace {

constexpr std::size_t kMostReaders = 64;
constexpr std::size_t kMostOfAnAddress = kMostReaders / 4;
constexpr const char* kOwnPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
// The report names its own scripts by their hashes.
constexpr const char* kReportPolicy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

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

// Returns the listening socket and writes the port that the kernel chose to `address`.
Result<int> listen_at(Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
      code != 0) {
    return fail(fmt::format("cannot listen: {}", ::gai_strerror(code)), "--serve " + address.text());
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  const int listener = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return tl::unexpected(cannot_listen(address, errno));
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  auto* const generic = reinterpret_cast<sockaddr*>(&bound);
  if (::bind(listener, found->ai_addr, found->ai_addrlen) != 0 || ::listen(listener, int{kMostReaders}) != 0 ||
      ::getsockname(listener, generic, &size) != 0) {
    const int number = errno;
    ::close(listener);
    return tl::unexpected(cannot_listen(address, number));
  }
  std::array<char, NI_MAXSERV> port{};
  ::getnameinfo(generic, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV);
  address.port = std::atoi(port.data());
  return listener;
}

std::string host_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  ::getnameinfo(address, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST);
  return host.data();
}

bool is_idle(const std::unique_ptr<Connection>& reader) { return reader->stage == Connection::Stage::reading; }

std::string event_of(const Published& published) {
  return fmt::format("event: {}\ndata: {}\n\n", published.has_ended ? "end" : "state", published.json);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::begin(const Address& address, const std::vector<int>& cpus,
                                              const Clock& clock) {
  Address at = address;
  std::string token;
  if (!at.is_loopback()) {
    auto made = new_token();
    if (!made) return error_of(made);
    token = *std::move(made);
  }
  const auto listener = listen_at(at);
  if (!listener) return error_of(listener);
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    const int number = errno;
    ::close(*listener);
    return tl::unexpected(cannot_listen(at, number));
  }
  std::unique_ptr<Server> server(new Server(std::move(at), std::move(token), *listener, wake, clock));
  // Signals are for the run's thread.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  server->thread_ = std::thread([here = server.get(), cpus] { here->serve(cpus); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return server;
}

Server::Server(Address address, std::string token, int listener, int wake, const Clock& clock)
    : address_(std::move(address)),
      hosts_(hosts_at(address_.host)),
      token_(std::move(token)),
      listener_(listener),
      wake_(wake),
      clock_(&clock) {}

Server::~Server() {
  is_ending_ = true;
  ::eventfd_write(wake_, 1);
  if (thread_.joinable()) thread_.join();
  ::close(listener_);
  ::close(wake_);
}

std::string Server::url() const {
  const Address first{hosts_.front(), address_.port};
  return fmt::format("http://{}/{}", first.text(), token_.empty() ? "" : "?token=" + token_);
}

void Server::publish(Published published) {
  desk_.leave(std::move(published), clock_->now());
  ::eventfd_write(wake_, 1);
}

void Server::end(Published published) {
  constexpr Nanoseconds kPatience = std::chrono::seconds(5);
  constexpr Nanoseconds kPause = std::chrono::milliseconds(20);
  const bool has_report = published.report != nullptr;
  const int open = streams_;
  const int before = reports_;
  publish(std::move(published));
  const Nanoseconds begun = clock_->now();
  while (open > 0 && clock_->now() - begun < kPatience) {
    if (has_report ? reports_ - before >= open : streams_ == 0) return;
    std::this_thread::sleep_for(kPause);
  }
}

void Server::serve(const std::vector<int>& cpus) {
  constexpr int kLowest = 19;
  // On Linux both are settings of the calling thread. Where they are refused, the thread runs as the others do.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kLowest);
  if (!cpus.empty()) (void)confine(0, cpus);
  while (!is_ending_) wait_for_something();
}

void Server::wait_for_something() {
  constexpr int kPauseMs = 250;
  const bool admits = has_room(clock_->now());
  std::vector<pollfd> watched{{wake_, POLLIN, 0}, {admits ? listener_ : -1, POLLIN, 0}};
  for (const auto& reader : readers_) {
    const int wanted = POLLIN | (reader->has_output() ? POLLOUT : 0);
    watched.push_back({reader->descriptor(), static_cast<short>(wanted), 0});
  }
  if (::poll(watched.data(), watched.size(), readers_.empty() && admits ? -1 : kPauseMs) < 0) return;
  eventfd_t published = 0;
  if (watched[0].revents != 0) ::eventfd_read(wake_, &published);
  const Nanoseconds now = clock_->now();
  std::vector<Connection*> gone;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    Connection& reader = *readers_[i];
    bool is_there = true;
    if ((watched[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0) is_there = reader.receive();
    if (is_there) attend(reader);
    is_there = is_there && reader.write(now) && !reader.is_stuck(now);
    const bool is_answered = reader.stage == Connection::Stage::closing && !reader.has_output();
    if (is_answered && reader.path == "/report") ++reports_;
    if (!is_there || is_answered) gone.push_back(&reader);
  }
  std::erase_if(readers_,
                [&](const auto& reader) { return std::find(gone.begin(), gone.end(), reader.get()) != gone.end(); });
  if (watched[1].revents != 0) accept_readers();
  ask();
}

// Admits those who wait, at most as many as there are places.
void Server::accept_readers() {
  constexpr Nanoseconds kPause = std::chrono::seconds(1);
  for (std::size_t i = 0; i < kMostReaders && has_room(clock_->now()); ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* const generic = reinterpret_cast<sockaddr*>(&from);
    const int descriptor = ::accept4(listener_, generic, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    // Without descriptors or memory, the one who waits stays, and would wake this thread for ever.
    const bool has_nothing_left = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (descriptor < 0 && has_nothing_left) accepts_after_ = clock_->now() + kPause;
    if (descriptor < 0) return;
    auto reader = std::make_unique<Connection>(descriptor, host_of(generic, size), clock_->now());
    if (make_room_for(reader->address())) readers_.push_back(std::move(reader));
  }
}

bool Server::has_room(Nanoseconds now) const {
  if (now < accepts_after_) return false;
  return readers_.size() < kMostReaders || std::any_of(readers_.begin(), readers_.end(), is_idle);
}

// Returns whether a reader from this address gets a place: one address has at most a quarter of them, and who has not
// asked for anything makes way.
bool Server::make_room_for(const std::string& address) {
  const auto of_address =
      std::count_if(readers_.begin(), readers_.end(), [&](const auto& reader) { return reader->address() == address; });
  if (static_cast<std::size_t>(of_address) >= kMostOfAnAddress) return drop_idle(address);
  return readers_.size() < kMostReaders || drop_idle("");
}

// Drops the reader of this address ("": of any) that waits longest without a request. Returns false if there is none.
bool Server::drop_idle(const std::string& address) {
  const auto idle = std::find_if(readers_.begin(), readers_.end(), [&](const auto& reader) {
    return is_idle(reader) && (address.empty() || reader->address() == address);
  });
  if (idle == readers_.end()) return false;
  readers_.erase(idle);
  return true;
}

// Tells the run's thread whether anybody wants a newer state. A reader that has not yet accepted the last one does not.
void Server::ask() {
  using Stage = Connection::Stage;
  int streams = 0;
  bool is_asked = false;
  for (const auto& reader : readers_) {
    const bool is_stream = reader->stage == Stage::stream;
    if (is_stream) ++streams;
    is_asked = is_asked || reader->stage == Stage::waiting || (is_stream && !reader->has_output());
  }
  streams_ = streams;
  desk_.ask(is_asked);
}

void Server::attend(Connection& reader) {
  using Stage = Connection::Stage;
  if (reader.stage == Stage::reading) {
    const auto request = parse_request(reader.received());
    if (!request) {
      reply(reader, HttpStatus::bad_request, "text/plain", shared(request.error().what + "\n"));
    } else if (*request) {
      answer(reader, **request);
    }
  }
  if (reader.stage == Stage::stream || reader.stage == Stage::waiting) send_newer(reader);
}

void Server::answer(Connection& reader, const Request& request) {
  using Stage = Connection::Stage;
  reader.path = path_of(request.target);
  // Style and script are the same for everybody and need no token.
  const bool is_public = reader.path == "/live.js" || reader.path == "/live.css";
  if (const auto refused = refusal(request, address_, is_public ? "" : token_)) {
    reader.path = "";
    return reply(reader, refused->status, "text/plain", shared(refused->why + "\n"));
  }
  const std::shared_ptr<const Published> latest = desk_.latest();
  if (reader.path == "/") return reply(reader, HttpStatus::fine, "text/html", shared(kText_live_html));
  if (reader.path == "/live.js") return reply(reader, HttpStatus::fine, "text/javascript", shared(kText_live_js));
  if (reader.path == "/live.css") {
    return reply(reader, HttpStatus::fine, "text/css", shared(std::string(kText_page_css) + kText_live_css));
  }
  if (reader.path == "/report" && latest && latest->report) {
    return reply(reader, HttpStatus::fine, "text/html", latest->report, kReportPolicy);
  }
  if (reader.path == "/metrics") {
    reader.stage = Stage::waiting;
    reader.seen = latest && latest->has_ended ? nullptr : latest;
    reader.since = clock_->now();
    return;
  }
  if (reader.path == "/events") {
    reader.stage = Stage::stream;
    reader.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 2000\n\n",
        nullptr, clock_->now());
    return;
  }
  reply(reader, HttpStatus::not_found, "text/plain", shared("There is no such page; the run's is at /.\n"));
}

void Server::send_newer(Connection& reader) {
  using Stage = Connection::Stage;
  constexpr Nanoseconds kPatienceWithTheRun = std::chrono::seconds(2);
  const std::shared_ptr<const Published> latest = desk_.latest();
  const Nanoseconds now = clock_->now();
  if (reader.has_output() || !latest) return;
  if (reader.stage == Stage::waiting) {
    // A run that is busy with something else answers with its last state.
    if (latest == reader.seen && now - reader.since < kPatienceWithTheRun) return;
    return reply(reader, HttpStatus::fine, "text/plain; version=0.0.4", shared(latest->prometheus));
  }
  if (latest == reader.seen) return;
  reader.seen = latest;
  reader.send(event_of(*latest), nullptr, now);
  if (latest->has_ended) reader.stage = Stage::closing;
}

void Server::reply(Connection& reader, HttpStatus status, std::string_view type,
                   std::shared_ptr<const std::string> body, std::string_view policy) {
  reader.stage = Connection::Stage::closing;
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
      static_cast<int>(status), status == HttpStatus::fine ? "OK" : "Refused", type, body->size(),
      policy.empty() ? kOwnPolicy : policy);
  reader.send(std::move(head), std::move(body), clock_->now());
}

}  // namespace ngb::live
