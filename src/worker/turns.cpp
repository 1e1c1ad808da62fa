// SPDX-License-Identifier: Apache-2.0
#include "worker/turns.h"

#include <algorithm>

#include "worker/in_flight.h"

namespace ngb::worker {

void TurnTaker::begin(std::size_t repetitions_of_turn, std::size_t most_again,
                      std::function<void(std::size_t)> on_again) {
  on_again_ = std::move(on_again);
  of_turn_ = repetitions_of_turn;
  most_again_ = most_again;
  left_ = 0;
}

std::size_t TurnTaker::repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) {
  if (of_turn_ == 0) return repeater_.repeat(inferences, times, latencies_ns);
  const std::size_t wanted = times.walls_ns.size();
  const std::size_t latencies_each = latencies_ns.empty() ? 0 : latency_count(inferences);
  std::size_t done = 0;
  while (done < wanted) {
    if (left_ == 0) {
      if (!giver_.wait_for_turn()) return done;
      left_ = of_turn_;
    }
    const std::size_t count = std::min(left_, wanted - done);
    const auto later = latencies_ns.subspan(std::min(done * latencies_each, latencies_ns.size()));
    const std::size_t completed = repeater_.repeat(inferences, times.part(done, count),
                                                   later.first(std::min(count * latencies_each, later.size())));
    if (completed < count) return done + completed;
    if (again_ < most_again_ && giver_.was_disturbed()) {
      ++again_;
      if (on_again_) on_again_(again_);
      left_ = 0;
      continue;
    }
    done += count;
    left_ -= count;
  }
  return done;
}

}  // namespace ngb::worker
