// SPDX-License-Identifier: Apache-2.0
// Judges stored results: loads them, chooses the two sides, and checks that they may be compared.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/cache_folder.h"
#include "campaign/refusal.h"
#include "metrics/comparison.h"
#include "metrics/families.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::campaign {

struct JudgementOrder {
  // One list of results that are read as one, or two: the results of the baseline, and those of the candidate.
  std::vector<std::vector<store::Source>> sides{};
  metrics::Axis axis = metrics::Axis::results;
  std::string baseline{};   // which cells on the axis; "": all
  std::string candidate{};  // likewise
  double margin_ratio = 0.03;
  std::vector<metrics::Judged> judged{};  // none: by the speed
  statistics::Adjustment adjustment = statistics::Adjustment::holm;
  bool across_environments = false;
  bool across_protocols = false;
};

// One or several results folders that are read as one, with what follows from all their cells.
struct LoadedResults {
  std::string folder;
  metrics::FamilyReader reader;
  std::vector<store::CellData> cells;                              // what keep_outcome leaves of them
  std::vector<std::shared_ptr<const metrics::Measured>> measured;  // of each cell
};

// A comparison with the results that it points into.
struct JudgedResults {
  std::vector<std::unique_ptr<LoadedResults>> loaded;
  metrics::Comparison comparison;
  metrics::Axis axis = metrics::Axis::results;
};

// Loads the results and judges all pairs. A comparison of few cells uses what was calibrated in their environment,
// which `cache` keeps. A side without a cell is wrong usage.
Answer<JudgedResults> judge_results(const JudgementOrder& order, const CacheFolder& cache);

}  // namespace ngb::campaign
