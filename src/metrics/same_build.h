// SPDX-License-Identifier: Apache-2.0
// Recognizes pairs whose two sides are the same thing. Their differences show how noisy the device is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/comparison.h"

namespace ngb::metrics {

// Returns the kind of device that computed, as the compiler reported it ("cpu", "cuda", …); "" if it reported none or
// the cell has no completed process.
std::string compute_device_of(const store::CellData& cell);

// Returns whether both cells were measured with the same model, batch size, build (samples::Provenance), options,
// threads and precision, on the same device and compute device, in the same environment. Returns false for a cell
// without a completed process or whose build is unknown.
bool is_same_build(const store::CellData& a, const store::CellData& b);

// The differences between equal sides on one device.
struct NoiseFloor {
  std::string device{};
  std::string compute_device{};   // "" if unknown
  std::size_t pairs = 0;          // at least 1
  double median_difference = 0;   // of |ratio - 1|
  double largest_difference = 0;  // of |ratio - 1|
};

// Returns one floor for each device that has judged pairs of the same build, in the order of the pairs, by the speed. A
// pair whose sides are one and the same measurement (a copy of a results folder) does not count.
std::vector<NoiseFloor> noise_floors(const Comparison& comparison);

}  // namespace ngb::metrics
