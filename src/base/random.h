// SPDX-License-Identifier: Apache-2.0
// Generates the random numbers behind weights, inputs and orders, equal with every C++ compiler and library. (The
// standard does not fix the results of std::shuffle and of <random>'s distributions.)
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ngb {

// Is the finalizer of SplitMix64. Source of this and the next function: Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014; Vigna's splitmix64.c.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// Returns output `index` (0 …) of SplitMix64 seeded with `key`, without computing those before it.
constexpr std::uint64_t splitmix64(std::uint64_t key, std::uint64_t index) {
  return mix64(key + (index + 1) * 0x9E3779B97F4A7C15U);
}

// Is FNV-1a of 64 bits (Fowler, Noll, Vo). It derives a tensor's key from its name.
constexpr std::uint64_t fnv1a64(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  return hash;
}

// SplitMix64 returns one output after the other.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t next() { return splitmix64(seed_, drawn_++); }
  // Returns a uniform number in 0 … bound-1 without bias: draws below 2^64 mod bound are repeated. bound >= 1.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

// Shuffles by Fisher–Yates from the end: for i = size-1 … 1, swaps item i with item below(i + 1).
template <class T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(i))]);
  }
}

}  // namespace ngb
