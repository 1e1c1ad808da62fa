// SPDX-License-Identifier: Apache-2.0
// Defines the event loop of a run. A coroutine for each device follows that device. One thread runs the loop,
// and nothing in it waits except by co_await.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "dispatch/link/asio.h"

namespace ngb::dispatch {

class Alarm;

// Once the user stops the run, writing to devices, receiving their last messages and waiting for their programs' ends
// last at most this long after the stop, whatever the devices do. The client ends within five seconds.
inline constexpr Nanoseconds kWritesAfterStop = std::chrono::seconds(1);
inline constexpr Nanoseconds kWordsAfterStop = std::chrono::milliseconds(2500);
inline constexpr Nanoseconds kEndsAfterStop = std::chrono::milliseconds(3500);

struct Loop {
  explicit Loop(const Clock& loops_clock = system_clock()) : clock(loops_clock) {}

  const Clock& clock;
  bool is_stopping = false;  // the user wants the run to stop
  Nanoseconds stopped_at{};  // when `stop` was called first
  std::set<Alarm*> alarms{};
  std::map<std::string, std::weak_ptr<void>> shared{};  // what several devices use in common, by a name of their kind's
  asio::io_context io{1};  // the last member: the coroutines that it destroys still use the others

  // Stops the loop: every Alarm rings now, and Alarm::wait returns at once from now on.
  void stop();
  // Returns `patience`. Once the loop stops, returns at most the time left until `after_stop` after the stop, which may
  // be negative.
  [[nodiscard]] Nanoseconds left_of(Nanoseconds patience, Nanoseconds after_stop) const;
};

// An Alarm is something to wait for, with a time limit by the loop's clock. Only with the system's clock does it ring
// by itself: whoever passes another clock to the loop advances that clock and rings the alarms that are due.
class Alarm {
 public:
  explicit Alarm(Loop& loop);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

  // Waits until it rings or `patience` is over. Returns at once if the loop stops.
  asio::awaitable<void> wait(Nanoseconds patience);
  // Waits as `wait` does, but also if the loop has stopped before.
  asio::awaitable<void> wait_regardless(Nanoseconds patience);
  void ring();
  // Returns the time by the loop's clock at which the present wait is over; nothing if nobody waits.
  [[nodiscard]] std::optional<Nanoseconds> due() const { return due_; }

 private:
  Loop& loop_;
  std::optional<Nanoseconds> due_{};
  asio::steady_timer timer_;
};

}  // namespace ngb::dispatch
