// SPDX-License-Identifier: Apache-2.0
#include "worker/longer_look.h"

#include <algorithm>

namespace ngb::worker {

std::int64_t longer_look_ns(const work::Protocol& protocol, const std::vector<samples::PhaseUse>& phases) {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  constexpr int kUsual_s = 3;
  // Of what the cell takes, if the study leaves it to us; but no longer than this process took, because a budget may
  // end before a thousand others.
  constexpr std::int64_t kShare = 20;
  std::int64_t all_ns = 0;
  std::int64_t timed_ns = 0;
  for (const samples::PhaseUse& phase : phases) {
    all_ns += phase.wall_ns;
    if (phase.phase == samples::Phase::timed) timed_ns += phase.wall_ns;
  }
  const std::int64_t left_ns = protocol.longer_look_s.value_or(kUsual_s) * kSecond_ns - timed_ns;
  if (protocol.longer_look_s) return left_ns;
  return std::min({left_ns, work::expected_processes(protocol) * all_ns / kShare, all_ns});
}

void add_readings(const Later& later, std::vector<samples::Reading>& readings) {
  const auto add = [&](const char* quantity, const std::optional<double>& ns) {
    if (ns) readings.push_back({quantity, "second", "after", Known<double>::of(*ns / 1e9)});
  };
  add("later_inference", later.inference_ns);
  add("flushed_inference", later.flushed_ns);
}

}  // namespace ngb::worker
