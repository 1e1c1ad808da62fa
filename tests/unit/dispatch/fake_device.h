// SPDX-License-Identifier: Apache-2.0
// Simulates a device elsewhere without processes and without waiting: its end of a connection is a coroutine of the
// test, in the client's own loop, and the time jumps to the next alarm whenever nothing else can run.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "dispatch/route/route.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::dispatch::test {

// Runs the loop to its end.
inline void run(Loop& loop, FakeClock& clock) {
  for (;;) {
    while (loop.io.poll() > 0) continue;
    if (loop.io.stopped()) return;
    Alarm* next = nullptr;
    for (Alarm* alarm : loop.alarms) {
      if (alarm->due() && (next == nullptr || *alarm->due() < *next->due())) next = alarm;
    }
    if (next == nullptr) {
      ADD_FAILURE() << "everybody waits for something that never happens";
      return;
    }
    clock.advance(std::max(Nanoseconds(0), *next->due() - clock.now()));
    next->ring();
  }
}

// The device's end of one connection. It hangs up when it is destroyed.
class FakeDevice {
 public:
  FakeDevice(Loop& loop, int input, int output, int errors, std::size_t script_bytes)
      : clock_(loop.clock),
        input_(loop.io, asio::local::stream_protocol(), input),
        output_(output),
        errors_(errors),
        pause_(loop),
        script_bytes_(script_bytes) {}

  // Returns the next `bytes` bytes that the client sends; fewer if it hangs up.
  asio::awaitable<std::string> read(std::size_t bytes) {
    while (incoming_.size() < bytes && co_await read_more()) continue;
    std::string result = incoming_.substr(0, bytes);
    incoming_.erase(0, bytes);
    co_return result;
  }
  // Returns the client's next message; nothing if it hangs up.
  asio::awaitable<std::optional<samples::ClientMessage>> receive() {
    for (;;) {
      const std::string header = incoming_.substr(0, samples::kFrameHeaderBytes);
      const bool is_whole = header.size() == samples::kFrameHeaderBytes &&
                            incoming_.size() >= header.size() + samples::frame_length(header);
      if (!is_whole && co_await read_more()) continue;
      if (!is_whole) co_return std::nullopt;
      const std::string payload = incoming_.substr(header.size(), samples::frame_length(header));
      incoming_.erase(0, header.size() + payload.size());
      co_return samples::decode_client_message(payload).value();
    }
  }
  // Returns the client's next message of that type and skips all others before it; nothing if the client hangs up.
  template <class Message>
  asio::awaitable<std::optional<Message>> receive_a() {
    for (;;) {
      const std::optional<samples::ClientMessage> message = co_await receive();
      if (!message) co_return std::nullopt;
      if (const auto* it = std::get_if<Message>(&*message)) co_return *it;
    }
  }
  void send(const samples::AgentMessage& message) { write(output_, samples::frame(samples::encode(message))); }
  void say(const std::string& line) { write(output_, line + "\n"); }
  void complain(const std::string& words) { write(errors_, words); }
  // Waits for the whole time, even if the client's loop stops, which rings every alarm.
  asio::awaitable<void> wait(Nanoseconds time) {
    const Nanoseconds end = clock_.now() + time;
    while (clock_.now() < end) co_await pause_.wait_regardless(end - clock_.now());
  }

  // Receives the script and returns it. `word` says whether the device has the agent ("ngb-have") or needs it
  // ("ngb-need").
  asio::awaitable<std::string> take_script(const std::string& word = "ngb-have") {
    std::string script = co_await read(script_bytes_);
    say(word + " x86_64");
    co_return script;
  }
  // Answers the client until it attaches to the run's agent; the device lacks nothing. Returns nothing if the client
  // hangs up.
  asio::awaitable<std::optional<samples::Attach>> attach() {
    co_await take_script();
    send(samples::Arrival{"/home/me/.ngraphbench", "x86_64", 1U << 30U, 0});
    for (;;) {
      const std::optional<samples::ClientMessage> message = co_await receive();
      if (!message) co_return std::nullopt;
      if (const auto* attached = std::get_if<samples::Attach>(&*message)) co_return *attached;
      if (std::holds_alternative<samples::Ask>(*message)) send(samples::Lacking{});
    }
  }
  // Does what `attach` does, then becomes the agent. Returns the number of the last event that the client has.
  asio::awaitable<std::uint64_t> begin() {
    co_await attach();
    send(samples::Hello{});
    const std::optional<samples::Follow> follow = co_await receive_a<samples::Follow>();
    co_return follow ? follow->after : 0;
  }

 private:
  asio::awaitable<bool> read_more() {
    std::array<char, 4096> chunk{};
    boost::system::error_code error;
    const std::size_t count =
        co_await input_.async_read_some(asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    incoming_.append(chunk.data(), count);
    co_return !error;
  }
  static void write(const FileDescriptor& file, std::string_view bytes) {
    ::send(file.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);  // the client may have hung up
  }

  const Clock& clock_;
  asio::local::stream_protocol::socket input_;
  FileDescriptor output_;
  FileDescriptor errors_;
  Alarm pause_;
  std::size_t script_bytes_;
  std::string incoming_{};
};

// The device's part of one visit; it hangs up at the end.
using Visit = std::function<asio::awaitable<void>(FakeDevice& device)>;

inline asio::awaitable<void> converse(Visit visit, std::shared_ptr<FakeDevice> device) { co_await visit(*device); }

// Returns the client's end of a connection to such a device.
inline Result<std::shared_ptr<Connection>> connect(Loop& loop, Visit visit, const std::filesystem::path& log,
                                                   std::size_t script_bytes = 0) {
  Result<ProgramLog> kept = ProgramLog::open(log);
  if (!kept) return tl::unexpected(kept.error());
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  for (std::array<int, 2>* ends : {&input, &output, &errors}) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->data()) != 0) return fail("no sockets");
  }
  auto device = std::make_shared<FakeDevice>(loop, input[1], output[1], errors[1], script_bytes);
  asio::co_spawn(loop.io, converse(std::move(visit), std::move(device)), asio::detached);
  return Connection::over(loop, {input[0], output[0], errors[0]}, *std::move(kept));
}

class FakeRoute : public Route {
 public:
  FakeRoute(Loop& loop, const Share& share) : Route(share, "edge"), loop_(loop), machine_comes_(loop) {}

  std::deque<Visit> visits{};                // one after another; the last one is repeated
  bool is_cut = true;                        // a connection that ends was cut off; false: the program there has ended
  bool is_batch = false;                     // a batch job waits for a machine
  Nanoseconds waits_for{};                   // how long it takes until there is a machine
  bool is_left = true;                       // something of the run, on the machine
  std::vector<std::string> happened{};       // "prepare", "visit", "leave"
  std::vector<std::int64_t> visited_at_s{};  // by the loop's clock

  [[nodiscard]] bool has_batch_job() const override { return is_batch; }
  asio::awaitable<Result<bool>> is_there() override { co_return waits_for == Nanoseconds(0); }
  asio::awaitable<Status> prepare(std::uint64_t /*progress*/) override {
    happened.emplace_back("prepare");
    co_await machine_comes_.wait(waits_for);
    if (loop_.is_stopping) co_return lost();
    co_return Done{};
  }
  [[nodiscard]] Command command(std::size_t script_bytes) const override { return {std::to_string(script_bytes)}; }
  [[nodiscard]] bool was_cut_off(const std::string& /*how*/) const override { return is_cut; }
  [[nodiscard]] Status is_worth_another_try(const std::string& said) const override {
    return said == "hopeless" ? fail(said) : Status{};
  }
  asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) override {
    if (is_left) co_return co_await Route::remains(script_bytes);
    co_return std::vector<Remains>();
  }
  asio::awaitable<Status> leave() override {
    happened.emplace_back("leave");
    co_return Done{};
  }
  Result<std::shared_ptr<Connection>> open(Loop& loop, const Command& command,
                                           const std::filesystem::path& log) override {
    happened.emplace_back("visit");
    visited_at_s.push_back(std::chrono::duration_cast<std::chrono::seconds>(loop.clock.now()).count());
    const Visit visit = visits.front();
    if (visits.size() > 1) visits.pop_front();
    return connect(loop, visit, log, std::stoul(command.at(0)));
  }

 private:
  Loop& loop_;
  Alarm machine_comes_;
};

}  // namespace ngb::dispatch::test
