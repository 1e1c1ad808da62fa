// SPDX-License-Identifier: Apache-2.0
// What ends rounds in the place of the speed.
#pragma once

#include <string>
#include <vector>

#include "base/record.h"

namespace ngb::work {

// The metric that is the speed times what a sample of the model saves (Model::raw_bytes, encoded_bytes).
inline constexpr const char* kSavedBits = "tcr_bits_per_s";
// The metric that counts samples within a window of time, the start of the process included.
inline constexpr const char* kSamplesInWindow = "samples_in_window";
inline constexpr const char* kSpeed = "throughput_per_s";

// What a setting has to have, or may not exceed, to be chosen, however good it is.
struct DecidingBound {
  std::string metric{};   // kSpeed, or as DecidedBy::metric
  bool is_least = false;  // else the most
  double value = 0;       // in the metric's unit

  static constexpr auto fields(auto visit) {
    return visit(Field{"metric", &DecidingBound::metric}, Field{"is_least", &DecidingBound::is_least},
                 Field{"value", &DecidingBound::value});
  }
};

// How the metric that ends rounds (Protocol::metric) compares two processes; the row of the metric says it.
struct DecidedBy {
  std::string metric{};  // "": the speed; kSavedBits, kSamplesInWindow, or one of samples/process_numbers.h
  bool is_higher_better = false;
  bool is_difference = false;  // of two processes, because it may be 0; else the logarithm of their ratio
  double margin = 0;           // two sides are the same within ± this, or within 1 ± this ratio
  double window_s = 0;         // of samples_in_window; 0: nothing is within a window
  std::vector<DecidingBound> bounds{};

  // Returns whether processes are compared by their speeds, or by these times what is the same for all of a model.
  [[nodiscard]] bool is_by_speed() const { return metric.empty() || metric == kSavedBits; }

  static constexpr auto fields(auto visit) {
    return visit(Field{"metric", &DecidedBy::metric}, Field{"is_higher_better", &DecidedBy::is_higher_better},
                 Field{"is_difference", &DecidedBy::is_difference}, Field{"margin", &DecidedBy::margin},
                 Field{"window_s", &DecidedBy::window_s}, Field{"bounds", &DecidedBy::bounds});
  }
};

}  // namespace ngb::work
