// SPDX-License-Identifier: Apache-2.0
// Decides which entry of an ordered list to try next in order to find the first bad one. It tries nothing itself.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ngb {

// What trying an entry has shown.
enum class Finding {
  good,
  bad,
  undecided,  // neither was shown; the search continues above it, as if it were good
  unusable    // it cannot be tried, and is stepped over
};

struct Bisection {
  std::optional<std::size_t> next{};     // the entry to try; empty if the search has ended
  std::size_t steps_left = 0;            // at most so many tries are left if all are good or bad
  std::size_t first_bad = 0;             // the lowest entry that is known to be bad
  std::size_t last_good = 0;             // the highest entry below `first_bad` that is known to be good
  std::vector<std::size_t> undecided{};  // those between the two, ascending
  std::vector<std::size_t> unusable{};   // likewise

  // Returns whether the search has ended with one entry. Unusable entries do not count: nobody can have used them.
  [[nodiscard]] bool is_certain() const { return !next && undecided.empty(); }
};

// Returns the state of the search after these findings, one for each entry and empty for an entry that was not tried.
// It depends on nothing else, so a search that was interrupted resumes from the findings alone. The next entry is the
// one nearest to the middle, of two the lower. Preconditions: at least two entries, the first is good, the last is bad.
Bisection bisect(std::span<const std::optional<Finding>> findings);

}  // namespace ngb
