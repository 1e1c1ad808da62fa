// SPDX-License-Identifier: Apache-2.0
// Answers the readers of the live page: one coroutine for each, all in the thread that runs the context.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
// clang-format off
#include <utility>  // the headers of Boost 1.74 use it and do not include it
// clang-format on
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "live/access.h"
#include "live/desk.h"

namespace ngb::live {

namespace asio = boost::asio;
using asio::ip::tcp;

class Readers {
 public:
  static constexpr std::size_t kMost = 64;

  // `address` and `token` are for `refusal`. All references outlive the object.
  Readers(asio::io_context& context, tcp::acceptor acceptor, const Address& address, const std::string& token,
          Desk& desk, const Clock& clock);

  // Called by the context's thread: something was left on the desk.
  void tell_news();
  // Called by any thread. Open streams have not heard of the end of the run; reports were sent completely.
  [[nodiscard]] int open_streams() const { return streams_; }
  [[nodiscard]] int sent_reports() const { return reports_; }

 private:
  template <class Value = void>
  using Awaitable = asio::awaitable<Value>;
  enum class Stage { reading, waiting, stream, answering };
  struct Reader {
    tcp::socket socket;
    asio::steady_timer news;
    std::string address;  // without the port
    Nanoseconds moved;    // when the reader last accepted something
    Stage stage = Stage::reading;
    bool is_writing = false;
  };
  using ReaderPtr = std::shared_ptr<Reader>;

  Awaitable<> admit_all();
  Awaitable<> drop_stuck();
  Awaitable<> attend(ReaderPtr reader);
  static Awaitable<> drop_if_it_sends(ReaderPtr reader);
  Awaitable<> answer(Reader& reader, const Request& request);
  Awaitable<> send_metrics(Reader& reader);
  Awaitable<> send_events(Reader& reader);
  Awaitable<> reply(Reader& reader, HttpStatus status, std::string_view type, std::string_view body,
                    std::string_view policy = {});
  template <class Response>
  Awaitable<> write(Reader& reader, Response& response);
  Awaitable<> write_text(Reader& reader, std::string_view text);
  static Awaitable<> news(Reader& reader, asio::steady_timer::duration patience);

  void admit(tcp::socket socket);
  [[nodiscard]] bool has_room() const;
  bool make_room_for(const std::string& address);
  bool drop_idle(const std::string& address);
  void leave(const ReaderPtr& reader);
  void enter(Reader& reader, Stage stage);
  void set_writing(Reader& reader, bool is_writing);
  void ask();

  asio::io_context& context_;
  tcp::acceptor acceptor_;
  const Address& address_;
  const std::string& token_;  // "": none is demanded
  Desk& desk_;
  const Clock& clock_;
  asio::steady_timer pause_;  // of admit_all
  asio::steady_timer tick_;   // of drop_stuck
  std::vector<ReaderPtr> readers_{};
  Nanoseconds admits_after_{};  // nobody is admitted before, because descriptors have run out
  std::atomic<int> streams_{0};
  std::atomic<int> reports_{0};
};

}  // namespace ngb::live
