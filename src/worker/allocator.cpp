// SPDX-License-Identifier: Apache-2.0
#include "worker/allocator.h"

#include <ctime>

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

#include "base/environment.h"

namespace ngb::worker {

bool keeps_memory() {
  return environment::variable("MALLOC_TRIM_THRESHOLD_") == "17179869184";  // as dispatch's worker_variables has it
}

#ifdef __GLIBC__
bool set_keeps_memory(bool keeps) {
  constexpr int kUsualBytes = 128 * 1024;
  constexpr int kUsualBlocks = 65'536;
  return mallopt(M_MMAP_MAX, keeps ? 0 : kUsualBlocks) == 1 && mallopt(M_MMAP_THRESHOLD, kUsualBytes) == 1 &&
         mallopt(M_TRIM_THRESHOLD, keeps ? INT_MAX : kUsualBytes) == 1 &&
         mallopt(M_TOP_PAD, keeps ? 64 << 20 : kUsualBytes) == 1;
}
#else
bool set_keeps_memory(bool /*keeps*/) { return false; }
#endif

std::optional<samples::Reading> with_other_allocator(Repetitions& repetitions, std::int64_t for_ns) {
  if (for_ns < 8 * repetitions.shortest_ns()) return std::nullopt;
  const auto cpu_ns = [] { return std::int64_t{std::clock()} * (1'000'000'000 / CLOCKS_PER_SEC); };
  const bool keeps = keeps_memory();
  const std::optional<double> usual_ns = repetitions.processor_time_ns(for_ns / 8, cpu_ns);
  if (!usual_ns || *usual_ns <= 0 || !set_keeps_memory(!keeps)) return std::nullopt;
  const std::optional<double> other_ns = repetitions.processor_time_ns(for_ns / 8, cpu_ns);
  if (!other_ns) return std::nullopt;
  return samples::Reading{keeps ? "returning_memory" : "keeping_memory", "ratio", "after",
                          Known<double>::of(*other_ns / *usual_ns)};
}

}  // namespace ngb::worker
