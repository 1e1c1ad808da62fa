// SPDX-License-Identifier: Apache-2.0
#include "worker/pauses.h"

#include <time.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "probe/probe.h"
#include "worker/tell_agent.h"

namespace ngb::worker {
namespace {

constexpr Nanoseconds kLeastPreparation = std::chrono::milliseconds(2);
constexpr Nanoseconds kMostPreparation = std::chrono::milliseconds(40);
constexpr double kCalmPercent = 2;

bool is_calm(const probe::Counters& before, const probe::Counters& after) {
  const std::vector<samples::Reading> waits = probe::waits_between(before, after);
  return waits.front().value.value.value_or(0) < kCalmPercent;  // run_queue_wait
}

// Of this process, without its children.
std::int64_t cpu_now_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Pauses::Pauses(std::function<bool()> infer) : infer_(std::move(infer)), contention_("self", probe::allowed_cpus()) {}

// If the agent does not answer, it has ended or ends this process.
bool Pauses::wait_for_turn() {
  const std::int64_t cpu_begin_ns = cpu_now_ns();
  const probe::Counters begin = contention_.read();
  (void)signal_and_wait(samples::kWantsTurn);
  const bool succeeded = prepare();
  const probe::Counters end = contention_.read();
  wall_ns_ += end.taken_ns - begin.taken_ns;
  before_ = probe::without(before_, begin, end);
  cpu_ns_ += cpu_now_ns() - cpu_begin_ns;
  return succeeded;
}

bool Pauses::prepare() const {
  const Nanoseconds give_up = system_clock().now() + kMostPreparation;
  for (;;) {
    const probe::Counters before = contention_.read();
    const Nanoseconds enough = system_clock().now() + kLeastPreparation;
    do {
      if (!infer_()) return false;
    } while (system_clock().now() < enough);
    if (system_clock().now() > give_up || is_calm(before, contention_.read())) return true;
  }
}

std::vector<samples::Reading> Pauses::waits() const { return probe::waits_between(before_, contention_.read()); }

}  // namespace ngb::worker
