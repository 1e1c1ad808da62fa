// SPDX-License-Identifier: Apache-2.0
// What ends rounds in the place of the speed.
#pragma once

#include <string>

#include "base/record.h"

namespace ngb::work {

// The metric that is the speed times what a sample of the model saves (Model::raw_bytes, encoded_bytes).
inline constexpr const char* kSavedBits = "tcr_bits_per_s";
// The metric that counts samples within a window of time, the start of the process included.
inline constexpr const char* kSamplesInWindow = "samples_in_window";

// How the metric that ends rounds (Protocol::metric) compares two processes; the row of the metric says it.
struct DecidedBy {
  std::string metric{};  // kSavedBits, kSamplesInWindow, or one of samples/process_numbers.h
  bool is_higher_better = false;
  bool is_difference = false;  // of two processes, because it may be 0; else the logarithm of their ratio
  double margin = 0;           // two sides are the same within ± this, or within 1 ± this ratio
  double window_s = 0;         // of samples_in_window; 0 of any other metric
  double least_per_s = 0;      // samples: a setting that is slower is not chosen, however good it is

  static constexpr auto fields(auto visit) {
    return visit(Field{"metric", &DecidedBy::metric}, Field{"is_higher_better", &DecidedBy::is_higher_better},
                 Field{"is_difference", &DecidedBy::is_difference}, Field{"margin", &DecidedBy::margin},
                 Field{"window_s", &DecidedBy::window_s}, Field{"least_per_s", &DecidedBy::least_per_s});
  }
};

}  // namespace ngb::work
