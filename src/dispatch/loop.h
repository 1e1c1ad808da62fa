// SPDX-License-Identifier: Apache-2.0
// The one event loop in which all devices of a run are followed, each by a coroutine. One thread; nothing here waits
// but by co_await.
#pragma once

#include <set>

#include "base/clock.h"
#include "dispatch/asio.h"

namespace ngb::dispatch {

class Alarm;

struct Loop {
  bool is_stopping = false;  // the user wants the run to stop
  std::set<Alarm*> alarms{};
  asio::io_context io{1};  // last: what it destroys still knows the others

  // From now on nothing waits for long: every Alarm rings, now and whenever one is waited for.
  void stop();
};

// Something to wait for, at most so long.
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
  void ring() { timer_.cancel(); }

 private:
  Loop& loop_;
  asio::steady_timer timer_;
};

}  // namespace ngb::dispatch
