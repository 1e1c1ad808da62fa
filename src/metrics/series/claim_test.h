// SPDX-License-Identifier: Apache-2.0
// What the tests of claims have in common: the numbers of a claim for one setting on one device.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "metrics/series/cell_groups.h"
#include "metrics/series/relation.h"

namespace ngb::metrics::series {

// The cells of one setting on one device that have another baseline than themselves.
using Setting = Cells;

// The claim's quantity over a bound, or the bound over it, so that the claim says: below 1.
struct Bounded {
  Relation ratio{};
  double bound = 1;
};

// The test of a claim for one setting. The claim says that each of the ratios is below 1.
struct ClaimTest {
  Relation quantity{};  // what the claim's sentence speaks of
  std::vector<Bounded> ratios{};
  Cells cells{};                       // all that were counted
  std::string reason{};                // why it was not measured
  bool has_premise = false;            // the ratios after the first say what the claim presupposes
  std::vector<Relation> largest_of{};  // not empty: `quantity` is the largest of these
};

Bounded below(Relation quantity, double bound);
Bounded above(Relation quantity, double bound);
// Return the test of "the quantity is below (above) the bound".
ClaimTest claimed_below(Relation quantity, double bound, Cells cells);
ClaimTest claimed_above(Relation quantity, double bound, Cells cells);

// Returns a mean of logarithms over cells, as relations with equal weights. `log_of` is as LogOf.
std::vector<Relation> mean_over(const Cells& cells, double weight, const LogOf& log_of);

template <class... Lists>
Relation sum_of_all(Lists... lists) {
  std::vector<Relation> all;
  (std::move(lists.begin(), lists.end(), std::back_inserter(all)), ...);
  return sum_of(std::move(all));
}

// Returns the relation of a ratio that is `factor` times this one. Precondition: it has parts.
Relation times(Relation relation, double factor);
// Returns the relation of 1 / the ratio.
Relation inverse(Relation relation);

}  // namespace ngb::metrics::series
