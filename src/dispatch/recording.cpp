// SPDX-License-Identifier: Apache-2.0
#include "dispatch/recording.h"

#include <utility>

namespace ngb::dispatch {

asio::awaitable<Status> Recording::commit() {
  if (!round_) {
    round_ = std::make_shared<Round>(loop_);
    asio::post(loop_.io, [this] { end_round(); });
  }
  const std::shared_ptr<Round> round = round_;
  while (!round->is_over) co_await round->done.wait_regardless(std::chrono::hours(1));
  co_return round->status;
}

void Recording::end_round() {
  const std::shared_ptr<Round> round = std::exchange(round_, nullptr);
  round->status = callbacks_.commit();
  round->is_over = true;
  round->done.ring();
  if (!round->status) loop_.stop();
}

}  // namespace ngb::dispatch
