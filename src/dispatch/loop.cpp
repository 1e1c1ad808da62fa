// SPDX-License-Identifier: Apache-2.0
#include "dispatch/loop.h"

namespace ngb::dispatch {

void Loop::stop() {
  is_stopping = true;
  for (Alarm* alarm : alarms) alarm->ring();
}

Alarm::Alarm(Loop& loop) : loop_(loop), timer_(loop.io) { loop.alarms.insert(this); }

Alarm::~Alarm() { loop_.alarms.erase(this); }

asio::awaitable<void> Alarm::wait(Nanoseconds patience) {
  if (!loop_.is_stopping) co_await wait_regardless(patience);
}

asio::awaitable<void> Alarm::wait_regardless(Nanoseconds patience) {
  boost::system::error_code error;
  timer_.expires_after(patience);
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

}  // namespace ngb::dispatch
