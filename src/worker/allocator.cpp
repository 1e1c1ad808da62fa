// SPDX-License-Identifier: Apache-2.0
#include "worker/allocator.h"

#include <cstdlib>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

namespace ngb::worker {

bool keeps_memory() {
  const char* const threshold = std::getenv("MALLOC_TRIM_THRESHOLD_");
  return threshold != nullptr && std::string(threshold) == "17179869184";  // as dispatch's worker_variables has it
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

}  // namespace ngb::worker
