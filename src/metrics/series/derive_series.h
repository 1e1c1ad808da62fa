// SPDX-License-Identifier: Apache-2.0
// Computes the numbers that span cells of a results file, and keeps them in the file by parts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metrics/derive.h"
#include "metrics/series/claims.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::metrics::series {

struct DerivedSeries {
  // Each group of models on each device, in the order of cells; last the part of all cells, whose name is "", with the
  // numbers that span groups and the conclusions.
  std::vector<store::SeriesPart> parts{};
  std::size_t computed = 0;  // parts that were computed now; the others were kept
};

// Returns the numbers that span the cells of `derived`, which `derive` has returned for the same results. Conclusions
// are also on these claims. Parts of which no process was added since they were kept are not computed again. The others
// are computed, and kept if the results are one file as it is, which is writable, no other process writes it, and the
// values refer to the study's baseline and are of all cells; `derived` has the Steady of each cell then (add_steady).
// Returns an error if a file cannot be read. The values do not depend on `threads`.
Result<DerivedSeries> derive_series(const std::vector<store::Source>& sources, Derived& derived,
                                    std::span<const Claim> claims, int threads = 1);

// Returns a text that changes whenever a formula or a claim does.
std::string series_version(std::span<const Claim> claims);

}  // namespace ngb::metrics::series
