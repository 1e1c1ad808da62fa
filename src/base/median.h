// SPDX-License-Identifier: Apache-2.0
// Computes how well the repetitions of one process determine their median. Precision mode stops by it.
#pragma once

#include <cstddef>
#include <optional>

namespace ngb {

// The ranks count from 1.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
  bool operator==(const RankInterval&) const = default;
};

// Returns the ranks of the two order statistics of n values that bound the median with at least 95 % confidence: the
// narrowest pair by the exact binomial distribution (the sum of C(n, i) / 2^n for i from low to high - 1). Of equally
// narrow pairs it is the most likely to cover, then the higher. n = 100: 41 and 61. Returns nothing for n < 6, where no
// pair does.
// Source: Le Boudec, Performance Evaluation of Computer and Communication Systems, theorem 2.1.
std::optional<RankInterval> median_ranks(std::size_t n);

}  // namespace ngb
