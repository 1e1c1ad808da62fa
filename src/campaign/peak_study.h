// SPDX-License-Identifier: Apache-2.0
// Measures what a device can do at the most (metrics/limit.h), as a study of products, a copy, a triad and sums
// that PyTorch's libraries compute. The device runs it as it runs any other, so it may be elsewhere.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "metrics/limit.h"

namespace ngb::campaign {

inline constexpr int kPeakRounds = 5;

struct PeakOrder {
  std::string device{};  // of the user's devices; "": this machine
  bool is_on_gpu = false;
  int threads = 1;
  int rounds = kPeakRounds;
  std::filesystem::path folder{};  // of the results; one of an interrupted measurement is resumed
};

struct MeasuredPeak {
  std::string environment_hash{};
  metrics::Peak peak{};
};

// Refuses if PyTorch is not installed, if no product, no copy or no triad could be measured, or if the device's
// description changed meanwhile.
Answer<MeasuredPeak> measure_peak(const Installation& installation, const PeakOrder& order, Observer& observer);

}  // namespace ngb::campaign
