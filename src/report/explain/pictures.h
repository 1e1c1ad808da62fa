// SPDX-License-Identifier: Apache-2.0
// The numbers behind pictures of profiles, on the page and in figures. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/difference.h"
#include "samples/kernel_profile.h"

namespace ngb::report {

inline constexpr const char* kOutsideOperators = "outside operators";

// The time of an inference that one kind of operator takes.
struct OperatorTime {
  std::string type{};  // "Conv"; "module", "no node", or kOutsideOperators
  double ns = 0;
};
// Returns the times of a profiled inference, the longest first. A kernel's kind is that of the first of its nodes that
// is not light, or else of its first node. Time outside operators is left out if kernels overlap so that there is none.
std::vector<OperatorTime> times_by_operator(const samples::KernelProfile& profile);

// Returns the kinds of operators in all of the lists, the one with the most time first.
std::vector<std::string> operators_by_time(const std::vector<std::vector<OperatorTime>>& lists);

// One step on the way from the baseline's plain time to the candidate's, in nanoseconds after the baseline's.
struct WaterfallStep {
  std::string label{};
  double from_ns = 0;
  double to_ns = 0;
  const explain::RegionDifference* region = nullptr;  // of the explanation; null for the last step
  [[nodiscard]] double ns() const { return to_ns - from_ns; }
};
inline constexpr std::size_t kMostRegionsDrawn = 15;
// Returns a step for each of the `most` regions with the largest differences, and a last one that ends at the
// difference of the plain times. The explanation must outlive the steps.
std::vector<WaterfallStep> waterfall_of(const explain::Explanation& found, std::size_t most = kMostRegionsDrawn);

}  // namespace ngb::report
