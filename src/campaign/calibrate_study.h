// SPDX-License-Identifier: Apache-2.0
// Measures two sides that are the same thing, a compiler listed twice. They differ by the machine's noise alone
// (metrics/calibration.h).
#pragma once

#include <filesystem>
#include <string>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "metrics/calibration.h"

namespace ngb::campaign {

struct CalibrationOrder {
  std::string compiler{};  // NAME or NAME@VERSION
  int threads = 1;
  int turns = 1;                   // work::Protocol::turns
  double seconds = 300;            // that measuring may take
  std::filesystem::path folder{};  // of the results: below it trials of one process a cell, and the measurement
};

struct MeasuredEqualSides {
  std::string environment_hash{};
  metrics::CalibratedThreads measured{};
};

// Returns whether the toolchain of NAME or NAME@VERSION is installed here, or needs none.
Answer<bool> is_installed(const Installation& installation, const CalibrationOrder& order, const Say& say);

// Measures as many rounds (5 to 30) of as many pairs of cells as the time allows; the slowest cells are left out first,
// and not tried at all if the time ends before them.
// A folder of an interrupted measurement is resumed. A time that is too short for five rounds of one pair is
// wrong usage.
Answer<MeasuredEqualSides> measure_equal_sides(const Installation& installation, const CalibrationOrder& order,
                                               Observer& observer);

}  // namespace ngb::campaign
