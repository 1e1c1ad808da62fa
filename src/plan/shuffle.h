// SPDX-License-Identifier: Apache-2.0
// Random order that is the same with every compiler and library. (std::shuffle and the distributions of <random> are
// not specified that far.)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ngb::plan {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): state +=
// 0x9E3779B97F4A7C15, then z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9, z = (z ^ z >> 27) * 0x94D049BB133111EB, z ^
// z >> 31.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // Uniform in 0 … bound-1 without bias: numbers below 2^64 mod bound are drawn again. Precondition: bound >= 1.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

// Fisher–Yates from the end: for i = size-1 … 1, swap item i with item below(i + 1).
template <class T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(i))]);
  }
}

}  // namespace ngb::plan
