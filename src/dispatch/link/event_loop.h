// SPDX-License-Identifier: Apache-2.0
// The one event loop in which all devices of a run are followed, each by a coroutine. One thread; nothing here waits
// but by co_await.
#pragma once

#include <optional>
#include <set>

#include "base/clock.h"
#include "dispatch/link/asio.h"

namespace ngb::dispatch {

class Alarm;

// When the user wants the run to stop, nothing takes longer than this from then on, whatever devices do: what is still
// to be written to them, what they still say, and their programs' ends. The client is gone within five seconds.
inline constexpr Nanoseconds kWritesAfterStop = std::chrono::seconds(1);
inline constexpr Nanoseconds kWordsAfterStop = std::chrono::milliseconds(2500);
inline constexpr Nanoseconds kEndsAfterStop = std::chrono::milliseconds(3500);

struct Loop {
  explicit Loop(const Clock& loops_clock = system_clock()) : clock(loops_clock) {}

  const Clock& clock;
  bool is_stopping = false;  // the user wants the run to stop
  Nanoseconds stopped_at{};  // since then
  std::set<Alarm*> alarms{};
  asio::io_context io{1};  // last: what it destroys still knows the others

  // From now on nothing waits for long: every Alarm rings, now and whenever one is waited for.
  void stop();
  // `patience`; of a loop that stops, not more than what is left until `after_stop` after that. May be negative.
  [[nodiscard]] Nanoseconds left_of(Nanoseconds patience, Nanoseconds after_stop) const;
};

// Something to wait for, at most so long by the loop's clock. Only the system's clock rings it; whoever passes another
// one to the loop moves that clock and rings what is due.
class Alarm {
 public:
  explicit Alarm(Loop& loop);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

  // Until it rings, or `patience` is over.
  asio::awaitable<void> wait(Nanoseconds patience);
  // As `wait`, but a fleet that stops does not shorten it.
  asio::awaitable<void> wait_regardless(Nanoseconds patience);
  void ring();
  // When the patience of who waits for it is over, by a clock that is not the system's; nothing: nobody waits.
  [[nodiscard]] std::optional<Nanoseconds> due() const { return due_; }

 private:
  Loop& loop_;
  std::optional<Nanoseconds> due_{};
  asio::steady_timer timer_;
};

}  // namespace ngb::dispatch
