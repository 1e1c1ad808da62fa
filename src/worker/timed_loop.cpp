// SPDX-License-Identifier: Apache-2.0
#include "worker/timed_loop.h"

#include <sys/prctl.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <utility>

namespace ngb::worker {

std::size_t TimedRepeater::repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) {
  const bool is_alone = flight_.slots() == 1 || !std::exchange(has_inferred_, true);
  return is_alone ? run_repetitions(target_, inferences, times, &status_)
                  : flight_.run_repetitions(inferences, times, latencies_ns, &status_);
}

bool TimedRepeater::infer_untimed() {
  std::atomic<std::uint64_t> uncounted{0};
  Target target = target_;
  target.repetitions_done = &uncounted;
  std::array<std::int64_t, 2> dropped{};
  return run_repetitions(target, 1, {std::span(dropped).first(1), std::span(dropped).last(1)}, &status_) == 1;
}

TimedServer::TimedServer(TimedRepeater& repeater, std::size_t inferences)
    : repeater_(repeater), walls_ns_(inferences, 0), begins_ns_(inferences, 0) {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // nanosecond: wakes up as close to an arrival as the kernel can
}

void TimedServer::wait_until(std::int64_t time_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const struct timespec until{time_ns / kSecond, time_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

bool TimedServer::infer() {
  const std::size_t completed = repeater_.repeat(1, Times{walls_ns_, begins_ns_}.part(done_, 1), {});
  done_ += completed;
  return completed == 1;
}

void TimedServer::replace(samples::ProcessResult& result,
                          const std::vector<std::vector<std::int64_t>>& served_ns) const {
  for (samples::Repetition& each : result.repetitions) each.is_warm_up = true;
  result.latencies_ns.resize(result.repetitions.size());
  for (std::size_t i = 0; i < done_; ++i) result.repetitions.push_back({walls_ns_[i], 1, false, begins_ns_[i]});
  result.latencies_ns.insert(result.latencies_ns.end(), served_ns.begin(), served_ns.end());
  result.stop_reason = "repetitions";
  result.is_steady = true;
}

}  // namespace ngb::worker
