// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a results file once and keeps them in the file.
#pragma once

#include <filesystem>
#include <vector>

#include "metrics/metric.h"
#include "store/merge.h"

namespace ngb::metrics {

struct Derived {
  std::vector<store::CellData> cells{};  // outlines (store.h)
  std::vector<store::DerivedValue> values{};
  bool were_kept = false;          // an earlier call had computed the values
  bool asks_best_options = false;  // the last study that wrote to the file asks for them
  Baseline baseline{};             // to which the values refer
  std::vector<store::MeasuredEnvironment> environments{};
  std::string allocator{};                    // of the results' protocol; "" for the C library's defaults
  std::int64_t revision = 0;                  // of the file that the cells were read from
  bool refers_to_the_studys_baseline = true;  // else to the one that was asked for
};

// Returns the values kept in the file. If there are none, computes them, and keeps them if the file is writable and no
// other process writes it. The values refer to the baseline of the last study that wrote to the file, or to `baseline`
// if it is given; values for another baseline than the study's are always computed and never kept. Returns an error if
// the file cannot be read, or if `baseline` names no compiler of it (with the code `not_found`).
Result<Derived> derive(const std::filesystem::path& results_file, int threads,
                       const std::optional<std::string>& baseline = {});
// The same for several results files that are read as one (store::open_sources). The baseline is that of the last
// file's study. Values are kept only in one file that is read as it is.
Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline = {});

}  // namespace ngb::metrics
