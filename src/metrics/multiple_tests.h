// SPDX-License-Identifier: Apache-2.0
// Adjusts p values for the number of tests that are judged together.
#pragma once

#include <span>
#include <vector>

namespace ngb::metrics {

// Both functions return adjusted p values in the order of `p_values` (each in [0, 1]). A value below α is a discovery.

// Bounds the share of studies with any false discovery by α, however the tests depend on each other. Source: Holm, A
// simple sequentially rejective multiple test procedure (1979).
std::vector<double> holm_adjusted(std::span<const double> p_values);

// Bounds the expected share of false discoveries by α, for independent or positively dependent tests. Source: Benjamini
// and Hochberg, Controlling the false discovery rate (1995).
std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values);

}  // namespace ngb::metrics
