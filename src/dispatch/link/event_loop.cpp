// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/event_loop.h"

#include <algorithm>

namespace ngb::dispatch {

void Loop::stop() {
  if (!is_stopping) stopped_at = clock.now();
  is_stopping = true;
  for (Alarm* alarm : alarms) alarm->ring();
}

Nanoseconds Loop::left_of(Nanoseconds patience, Nanoseconds after_stop) const {
  return is_stopping ? std::min(patience, stopped_at + after_stop - clock.now()) : patience;
}

Alarm::Alarm(Loop& loop) : loop_(loop), timer_(loop.io) { loop.alarms.insert(this); }

Alarm::~Alarm() { loop_.alarms.erase(this); }

asio::awaitable<void> Alarm::wait(Nanoseconds patience) {
  if (!loop_.is_stopping) co_await wait_regardless(patience);
}

asio::awaitable<void> Alarm::wait_regardless(Nanoseconds patience) {
  boost::system::error_code error;
  due_ = loop_.clock.now() + patience;
  const bool rings_by_itself = &loop_.clock == &system_clock();
  timer_.expires_after(rings_by_itself ? patience : std::chrono::hours(1'000'000));
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

void Alarm::ring() {
  due_.reset();
  timer_.cancel();
}

}  // namespace ngb::dispatch
