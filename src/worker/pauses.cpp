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

constexpr Nanoseconds kLeastPreparation = std::chrono::milliseconds(1);

// Of this process, without its children.
std::int64_t cpu_now_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Pauses::Pauses(std::function<bool()> infer)
    : infer_(std::move(infer)), contention_("self", probe::allowed_cpus()), before_(contention_.read()) {}

// If the agent does not answer, it has ended or ends this process.
bool Pauses::wait_for_turn() {
  const std::int64_t cpu_begin_ns = cpu_now_ns();
  const probe::Counters begin = contention_.read();
  (void)signal_and_wait(samples::kWantsTurn);
  const Nanoseconds prepared = system_clock().now() + kLeastPreparation;
  bool succeeded = infer_();
  while (succeeded && system_clock().now() < prepared) succeeded = infer_();
  const probe::Counters end = contention_.read();
  wall_ns_ += end.taken_ns - begin.taken_ns;
  before_ = probe::without(before_, begin, end);
  cpu_ns_ += cpu_now_ns() - cpu_begin_ns;
  return succeeded;
}

std::vector<samples::Reading> Pauses::waits() const { return probe::waits_between(before_, contention_.read()); }

}  // namespace ngb::worker
