// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

namespace ngb {

std::uint64_t SplitMix64::below(std::uint64_t bound) {
  const std::uint64_t refused = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t drawn = next();
    if (drawn >= refused) return drawn % bound;
  }
}

}  // namespace ngb
