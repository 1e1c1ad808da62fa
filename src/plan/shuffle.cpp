// SPDX-License-Identifier: Apache-2.0
#include "plan/shuffle.h"

namespace ngb::plan {

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

std::uint64_t SplitMix64::below(std::uint64_t bound) {
  const std::uint64_t refused = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t drawn = next();
    if (drawn >= refused) return drawn % bound;
  }
}

}  // namespace ngb::plan
