// SPDX-License-Identifier: Apache-2.0
// Finds rank reversals: pairs of models, or of compilers, whose order differs between two places, compilers or batch
// sizes.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/families.h"
#include "metrics/metric.h"

namespace ngb::metrics::series {

enum class Ranked { models, compilers };
// In what the two sides of a reversal differ. Two models: in the device with the compiler and its settings, or in the
// batch size. Two compilers, on one model: in the device, or in the batch size.
enum class Between { device_compilers, devices, batch_sizes };

// One side of a reversal: the cells of `a` and `b`, as indices of the Analysis.
struct Ordering {
  std::size_t a = 0;
  std::size_t b = 0;
  Value ratio{};  // T_a / T_b, with the interval that is not adjusted
};

struct Reversal {
  Ranked ranked = Ranked::models;
  Between between = Between::device_compilers;
  Ordering faster{};      // a is faster than b
  Ordering slower{};      // a is slower than b
  double adjusted_p = 1;  // of "the order does not differ", over everything that was looked at
};

struct Orders {
  std::vector<Reversal> reversals{};  // in the order of the cells
  std::size_t looked_at = 0;          // how often two orders were compared
  bool are_too_many = false;          // more than kMostOrders: none was looked at
};

inline constexpr std::size_t kMostOrders = 2'000'000;

// Returns the reversals. Two models are compared with each other if they are alike in size by this factor
// (are_alike_in_size). Sides that differ in the device or the compiler are compared at each batch size that both have.
// An order of two cells is tested as `ngb compare` tests it. Two orders differ if both are told and opposite: the p
// value is the larger one of the two (Berger, Multiparameter hypothesis testing and acceptance sampling, 1982).
// Benjamini's and Hochberg's procedure over all comparisons bounds the expected share of false reversals by
// `error_rate`.
Orders find_reversals(const Analysis& analysis, double size_factor = kSizeFactor,
                      double error_rate = statistics::kErrorRate);

}  // namespace ngb::metrics::series
