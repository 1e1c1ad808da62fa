// SPDX-License-Identifier: Apache-2.0
// Explains stored profiles: loads them, pairs the cells of the two sides, and finds the rounds that both have.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/axis.h"
#include "report/explain/explain.h"
#include "store/merge.h"

namespace ngb::report {

struct ExplainOrder {
  std::vector<store::Source> sources{};  // read as one
  metrics::Axis axis = metrics::Axis::compiler;
  std::string baseline{};  // which cells on the axis
  std::string candidate{};
  std::map<std::string, std::vector<std::string>> wanted{};  // as CellFilter
  metrics::PeakOf peak_of{};                                 // null: no peak is known
};

struct Profiles {
  std::vector<std::unique_ptr<store::CellData>> cells{};  // with their profiles, in the order of the study
  std::vector<ExplainedPair> pairs{};                     // none without a baseline and a candidate
  metrics::PeakOf peak_of{};                              // as in the order
};

// Loads the profiles of the cells that pass the filters and, if both sides are named, explains each pair. A pair
// without an explanation has its reason. Returns an error if no result is a profile, if the sides have no pair, or,
// with the code not_found, if a side has no cell.
Result<Profiles> explain_results(const ExplainOrder& order);

// Adds the pairs of the compiler with the first label and each other one. Compilers that have no pair are left out.
void explain_each(Profiles& profiles, const std::vector<std::string>& labels);

// Returns the cells that have a profile, with that of their first process. They point into `profiles`.
std::vector<ProfiledCell> profiled_cells(const Profiles& profiles);

}  // namespace ngb::report
