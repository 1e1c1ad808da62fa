// SPDX-License-Identifier: Apache-2.0
// From a results file to values, computed once and kept in the file.
#pragma once

#include <filesystem>
#include <vector>

#include "metrics/metric.h"

namespace ngb::metrics {

struct Derived {
  std::vector<store::CellData> cells{};  // outlines
  std::vector<store::DerivedValue> values{};
  bool were_kept = false;          // by an earlier call: nothing was resampled
  bool asks_best_options = false;  // the last study that ran into the file does
};

// The values kept in the file, or computed and, where the file can be written and nobody else writes it, kept.
// Errors: those of reading the file.
Result<Derived> derive(const std::filesystem::path& results_file, int threads);

}  // namespace ngb::metrics
