// SPDX-License-Identifier: Apache-2.0
// Computes the numbers that span the cells of results, and keeps everything that was computed of them in their file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "metrics/derive.h"
#include "metrics/series/claims.h"
#include "store/store.h"

namespace ngb::metrics::series {

// Returns the numbers of each group of models on each device, in the order of cells; last the part of all cells, whose
// name is "", with the numbers that span groups and the conclusions, which are also on these claims.
std::vector<store::SeriesPart> derive_series(const Derived& derived, std::span<const Claim> claims);

// Computes the values of all cells of a results file and the numbers that span them, and keeps both in the file, for
// those who query it. Returns the values. Returns an error if the file cannot be read or written.
Result<Derived> derive_and_keep(const std::filesystem::path& results_file, std::span<const Claim> claims, int threads);

// Returns a text that changes whenever a formula or a claim does.
std::string series_version(std::span<const Claim> claims);

}  // namespace ngb::metrics::series
