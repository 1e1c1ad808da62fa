// SPDX-License-Identifier: Apache-2.0
// Statistics of plain numbers. Preconditions: values are finite, and where it says "sorted", ascending.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ngb::metrics {

// Precondition of both: not empty.
double mean(std::span<const double> values);
// Sample standard deviation (n - 1). Nothing for fewer than two values.
std::optional<double> standard_deviation(std::span<const double> values);

// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman & Fan 1996, type 7; the default of
// numpy and pandas). Precondition: not empty.
double quantile_of_sorted(std::span<const double> sorted, double q);

// Ranks (1 …) of the order statistics that bound the median with at least 95 % confidence: the narrowest pair by the
// exact binomial distribution; of equally narrow ones the most likely to cover, then the higher. n = 100: 41 and 61.
// Nothing for n < 6.
// Source: Le Boudec, Performance Evaluation of Computer and Communication Systems, theorem 2.1.
std::optional<std::pair<int, int>> median_ranks(int n);

struct Interval {
  double low = 0;
  double high = 0;
};

// The 2.5 % and 97.5 % order statistics (percentile bootstrap: ranks 250 and 9,751 of 10,000). `values` must be in
// random order; at least 100.
Interval percentile_interval(std::span<const double> values);

}  // namespace ngb::metrics
