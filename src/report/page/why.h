// SPDX-License-Identifier: Apache-2.0
// The page's section Why, of results with profiles: for each pair of sides where the difference arises.
#pragma once

#include <span>
#include <string>

#include "report/explain/explain.h"
#include "report/explain/profiles.h"

namespace ngb::report::page {

// Returns HTML: for each pair its sentence, a waterfall of the regions' differences as inline SVG, the table of regions
// and the closing line; then what each cell's compiler fuses. Returns "" without pairs and cells. Names of regions,
// kernels and compilers are untrusted and escaped.
std::string why(std::span<const ExplainedPair> pairs, std::span<const ProfiledCell> cells);
std::string why(const Profiles& profiles);

}  // namespace ngb::report::page
