// SPDX-License-Identifier: Apache-2.0
#include "worker/loop.h"

namespace ngb::worker {

std::size_t run_repetitions(const Target& target, std::uint32_t inferences, const Times& times, ngb_status* status) {
  const auto run = target.compiler->run;
  ngb_session* const session = target.session;
  ngb_error* const error = target.error;
  samples::RunCount& count = *target.done;
  std::uint64_t done = count.repetitions.load(std::memory_order_relaxed);
  std::uint64_t inferred = count.inferences.load(std::memory_order_relaxed);
  *status = NGB_OK;
  for (std::size_t i = 0; i < times.walls_ns.size(); ++i) {
    const std::int64_t begin = now_ns();
    for (std::uint32_t j = 0; j < inferences; ++j) {
      const ngb_status result = run(session, error);
      if (result != NGB_OK) [[unlikely]] {
        *status = result;
        return i;
      }
    }
    times.walls_ns[i] = now_ns() - begin;
    times.begins_ns[i] = begin;
    count.repetitions.store(++done, std::memory_order_relaxed);
    count.inferences.store(inferred += inferences, std::memory_order_relaxed);
  }
  return times.walls_ns.size();
}

}  // namespace ngb::worker
