// SPDX-License-Identifier: Apache-2.0
#include "live/readers.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>

#include "live.css.h"
#include "live.html.h"
#include "live.js.h"
#include "page.css.h"

namespace ngb::live {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kMostOfAnAddress = Readers::kMost / 4;
constexpr std::chrono::milliseconds kPause{250};
constexpr const char* kOwnPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
// The report names its own scripts by their hashes.
constexpr const char* kReportPolicy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const std::string& style() {
  static const std::string both = std::string(kText_page_css) + kText_live_css;
  return both;
}

template <class Body>
http::response<Body> response_with(HttpStatus status, std::string_view type) {
  http::response<Body> response;
  response.version(11);
  response.result(static_cast<unsigned>(status));
  response.set(http::field::content_type, fmt::format("{}; charset=utf-8", type));
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.keep_alive(false);
  return response;
}

std::string event_of(const Published& published) {
  return fmt::format("event: {}\ndata: {}\n\n", published.has_ended ? "end" : "state", published.json);
}

}  // namespace

Readers::Readers(asio::io_context& context, tcp::acceptor acceptor, const Address& address, const std::string& token,
                 Desk& desk, const Clock& clock)
    : context_(context),
      acceptor_(std::move(acceptor)),
      address_(address),
      token_(token),
      desk_(desk),
      clock_(clock),
      pause_(context),
      tick_(context) {
  asio::co_spawn(context_, admit_all(), asio::detached);
  asio::co_spawn(context_, drop_stuck(), asio::detached);
}

asio::awaitable<void> Readers::admit_all() {
  constexpr Nanoseconds kRest = std::chrono::seconds(1);
  for (;;) {
    co_await acceptor_.async_wait(tcp::acceptor::wait_read, asio::use_awaitable);
    while (!has_room()) {
      pause_.expires_after(kPause);
      co_await pause_.async_wait(asio::use_awaitable);
    }
    // Asio's own accept would leave the socket open in programs that this one starts.
    const int descriptor = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) {
      tcp::socket socket(context_);
      socket.assign(acceptor_.local_endpoint().protocol(), descriptor);
      admit(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      admits_after_ = clock_.now() + kRest;  // who waits stays, and would wake this thread for ever
    }
  }
}

void Readers::admit(tcp::socket socket) {
  error_code error;
  const std::string address = socket.remote_endpoint(error).address().to_string(error);
  if (error || !make_room_for(address)) return;
  const auto reader =
      std::make_shared<Reader>(Reader{std::move(socket), asio::steady_timer(context_), address, clock_.now()});
  readers_.push_back(reader);
  tick_.cancel();
  asio::co_spawn(context_, attend(reader), [this, reader](const std::exception_ptr&) { leave(reader); });
}

bool Readers::has_room() const {
  if (clock_.now() < admits_after_) return false;
  return readers_.size() < kMost ||
         std::any_of(
             readers_.begin(), readers_.end(), [](const ReaderPtr& reader) { return reader->stage == Stage::reading; });
}

// Returns whether a reader from this address gets a place: one address has at most a quarter of them, and who has not
// asked for anything makes way.
bool Readers::make_room_for(const std::string& address) {
  const auto of_address =
      std::count_if(readers_.begin(), readers_.end(), [&](const ReaderPtr& each) { return each->address == address; });
  if (static_cast<std::size_t>(of_address) >= kMostOfAnAddress) return drop_idle(address);
  return readers_.size() < kMost || drop_idle("");
}

// Drops the reader of this address ("": of any) that waits longest without a request. Returns false if there is none.
bool Readers::drop_idle(const std::string& address) {
  const auto idle = std::find_if(readers_.begin(), readers_.end(), [&](const ReaderPtr& each) {
    return each->stage == Stage::reading && (address.empty() || each->address == address);
  });
  if (idle == readers_.end()) return false;
  leave(ReaderPtr(*idle));
  return true;
}

// Closing the socket ends what its coroutines wait for.
void Readers::leave(const ReaderPtr& reader) {
  error_code ignored;
  ignored = reader->socket.close(ignored);
  reader->news.cancel();
  std::erase(readers_, reader);
  ask();
}

// Drops readers that have accepted nothing, or not ended their request, for too long. The clock decides, not a timer.
asio::awaitable<void> Readers::drop_stuck() {
  constexpr Nanoseconds kPatience = std::chrono::seconds(10);
  for (;;) {
    if (readers_.empty()) {
      tick_.expires_at(asio::steady_timer::time_point::max());
    } else {
      tick_.expires_after(kPause);
    }
    error_code ignored;
    co_await tick_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    const std::vector<ReaderPtr> all = readers_;
    for (const ReaderPtr& reader : all) {
      const bool is_awaited = reader->stage == Stage::reading || reader->is_writing;
      if (is_awaited && clock_.now() - reader->moved > kPatience) leave(reader);
    }
  }
}

// Who is stuck is dropped before it could accept a part of the news.
void Readers::tell_news() {
  tick_.cancel();
  for (const ReaderPtr& reader : readers_) reader->news.cancel();
}

// Waits for something new on the desk, at most this long.
asio::awaitable<void> Readers::news(Reader& reader, asio::steady_timer::duration patience) {
  reader.news.expires_after(patience);
  error_code ignored;
  co_await reader.news.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (!reader.socket.is_open()) throw boost::system::system_error(asio::error::operation_aborted);
}

void Readers::enter(Reader& reader, Stage stage) {
  reader.stage = stage;
  ask();
}

void Readers::set_writing(Reader& reader, bool is_writing) {
  reader.is_writing = is_writing;
  reader.moved = clock_.now();
  ask();
}

// Tells the run's thread whether anybody wants a newer state. A reader that has not yet accepted the last one does not.
void Readers::ask() {
  int streams = 0;
  bool is_asked = false;
  for (const ReaderPtr& reader : readers_) {
    const bool is_stream = reader->stage == Stage::stream;
    if (is_stream) ++streams;
    is_asked = is_asked || reader->stage == Stage::waiting || (is_stream && !reader->is_writing);
  }
  streams_ = streams;
  desk_.ask(is_asked);
}

asio::awaitable<void> Readers::attend(ReaderPtr reader) {
  std::string received;
  Result<std::optional<Request>> request = std::nullopt;
  while (request && !*request) {
    std::array<char, 4096> buffer{};
    const std::size_t count = co_await reader->socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
    received.append(buffer.data(), count);
    request = parse_request(received);
  }
  enter(*reader, Stage::answering);
  asio::co_spawn(context_, drop_if_it_sends(reader), asio::detached);
  if (request) {
    co_await answer(*reader, **request);
  } else {
    co_await reply(*reader, HttpStatus::bad_request, "text/plain", request.error().what + "\n");
  }
}

// Ends the connection once the reader leaves or sends more than its request, so that it cannot keep this thread busy.
asio::awaitable<void> Readers::drop_if_it_sends(ReaderPtr reader) {
  char more = 0;
  error_code ignored;
  co_await reader->socket.async_read_some(asio::buffer(&more, 1), asio::redirect_error(asio::use_awaitable, ignored));
  ignored = reader->socket.close(ignored);
  reader->news.cancel();
}

asio::awaitable<void> Readers::answer(Reader& reader, const Request& request) {
  const std::string_view path = path_of(request.target);
  // Style and script are the same for everybody and need no token.
  const bool is_public = path == "/live.js" || path == "/live.css";
  if (const auto refused = refusal(request, address_, is_public ? "" : token_)) {
    co_return co_await reply(reader, refused->status, "text/plain", refused->why + "\n");
  }
  const std::shared_ptr<const Published> latest = desk_.latest();
  if (path == "/") co_return co_await reply(reader, HttpStatus::fine, "text/html", kText_live_html);
  if (path == "/live.js") co_return co_await reply(reader, HttpStatus::fine, "text/javascript", kText_live_js);
  if (path == "/live.css") co_return co_await reply(reader, HttpStatus::fine, "text/css", style());
  if (path == "/metrics") co_return co_await send_metrics(reader);
  if (path == "/events") co_return co_await send_events(reader);
  if (path == "/report" && latest && latest->report) {
    co_await reply(reader, HttpStatus::fine, "text/html", *latest->report, kReportPolicy);
    ++reports_;
    co_return;
  }
  co_await reply(reader, HttpStatus::not_found, "text/plain", "There is no such page; the run's is at /.\n");
}

// A run that is busy with something else answers with its last state.
asio::awaitable<void> Readers::send_metrics(Reader& reader) {
  constexpr Nanoseconds kPatienceWithTheRun = std::chrono::seconds(2);
  const std::shared_ptr<const Published> before = desk_.latest();
  const Nanoseconds since = clock_.now();
  enter(reader, Stage::waiting);
  std::shared_ptr<const Published> latest = before;
  while (!latest || (latest == before && !latest->has_ended && clock_.now() - since < kPatienceWithTheRun)) {
    co_await news(reader, kPause);
    latest = desk_.latest();
  }
  enter(reader, Stage::answering);
  co_await reply(reader, HttpStatus::fine, "text/plain; version=0.0.4", latest->prometheus);
}

asio::awaitable<void> Readers::send_events(Reader& reader) {
  constexpr std::chrono::hours kForEver{24};
  enter(reader, Stage::stream);
  auto head = response_with<http::empty_body>(HttpStatus::fine, "text/event-stream");
  co_await write(reader, head);
  co_await write_text(reader, "retry: 2000\n\n");
  std::shared_ptr<const Published> seen;
  while (!seen || !seen->has_ended) {
    const std::shared_ptr<const Published> latest = desk_.latest();
    if (latest == seen) {
      co_await news(reader, kForEver);
      continue;
    }
    seen = latest;
    co_await write_text(reader, event_of(*seen));
  }
}

// `body` stays valid until the reply is sent.
asio::awaitable<void> Readers::reply(Reader& reader, HttpStatus status, std::string_view type, std::string_view body,
                                     std::string_view policy) {
  auto response = response_with<http::span_body<const char>>(status, type);
  response.set("Content-Security-Policy", policy.empty() ? std::string(kOwnPolicy) : std::string(policy));
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.body() = {body.data(), body.size()};
  response.prepare_payload();
  co_await write(reader, response);
}

template <class Response>
asio::awaitable<void> Readers::write(Reader& reader, Response& response) {
  http::response_serializer<typename Response::body_type> serializer(response);
  set_writing(reader, true);
  while (!serializer.is_done()) {
    co_await http::async_write_some(reader.socket, serializer, asio::use_awaitable);
    reader.moved = clock_.now();
  }
  set_writing(reader, false);
}

// `text` stays valid until it is sent.
asio::awaitable<void> Readers::write_text(Reader& reader, std::string_view text) {
  set_writing(reader, true);
  while (!text.empty()) {
    text.remove_prefix(co_await reader.socket.async_write_some(asio::buffer(text), asio::use_awaitable));
    reader.moved = clock_.now();
  }
  set_writing(reader, false);
}

}  // namespace ngb::live
