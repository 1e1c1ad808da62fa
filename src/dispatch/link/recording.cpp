// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/recording.h"

#include <exception>
#include <new>
#include <utility>

#include "base/text.h"

namespace ngb::dispatch {
namespace {

// The pause between two tries while another program holds the results.
constexpr Nanoseconds kTryPause = std::chrono::milliseconds(200);
// When the user stops the run, the other program may be about to release the results.
constexpr Nanoseconds kTriesAfterStop = std::chrono::seconds(1);

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return text::to_utf8(error.what());
  }
}

}  // namespace

asio::awaitable<Status> Recording::commit() {
  if (!round_) {
    round_ = std::make_shared<Round>(loop_);
    // The commit is postponed, because other devices may record events in this turn of the loop.
    asio::post(loop_.io, [this, round = round_] {
      asio::co_spawn(loop_.io, end_round(*this, round), [this, round](const std::exception_ptr& thrown) {
        if (!thrown) return;
        round->outcome = fail(what_of(thrown), "results");
        round->is_over = true;
        round->done.ring();
        loop_.stop();
      });
    });
  }
  const std::shared_ptr<Round> round = round_;
  while (!round->is_over) co_await round->done.wait_regardless(std::chrono::hours(1));
  co_return round->outcome;
}

asio::awaitable<void> Recording::end_round(Recording& recording, std::shared_ptr<Round> round) {
  recording.is_waiting_ = true;
  const std::function<Status()> commit = recording.callbacks_.commit;
  round->outcome = co_await recording.try_until(commit);
  recording.is_waiting_ = false;
  recording.round_ = nullptr;
  round->is_over = true;
  round->done.ring();
  if (!round->outcome && !has_code(round->outcome, ErrorCode::lost)) recording.loop_.stop();
}

asio::awaitable<Status> Recording::ready() {
  Alarm pause(loop_);
  while (is_waiting_) co_await pause.wait_regardless(kTryPause / 4);
  if (!callbacks_.begin) co_return Done{};
  const std::function<Status()> begin = callbacks_.begin;
  Status begun = co_await try_until(begin);
  co_return begun;
}

asio::awaitable<Status> Recording::try_until(std::function<Status()> step) {
  Alarm pause(loop_);
  for (;;) {
    Status done = step();
    if (!has_code(done, ErrorCode::busy)) {
      is_said_ = false;
      co_return done;
    }
    say_who_is_in_the_way();
    if (loop_.left_of(kTryPause, kTriesAfterStop) <= Nanoseconds(0)) {
      co_return fail("another program holds the results", {}, {}, ErrorCode::lost);
    }
    co_await pause.wait_regardless(kTryPause);
  }
}

void Recording::say_who_is_in_the_way() {
  if (std::exchange(is_said_, true) || !callbacks_.who_is_in_the_way) return;
  callbacks_.on_remark("results", callbacks_.who_is_in_the_way());
}

}  // namespace ngb::dispatch
