// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb calibrate` found out about a device, and what `ngb plan` says from it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metrics/calibration.h"

namespace ngb::report {

// Returns a row for each number of threads, then a row for each cell. `width`: columns of the terminal; 0: no limit.
std::string calibration_text(const metrics::DeviceCalibration& device, int width, bool color);

// Returns {"environment_hash", "threads": [{"threads", "compiler", "measured_unix_ns", "cells", "deviation": {"median",
// "high", "quiet"}, "round_s", "smallest_difference": [{"rounds", "median_ratio", "high_ratio", "seconds"}],
// "false_verdicts", "lag_1", "measured": [{…}]}]}. What is unknown is null. Shares are ratios.
nlohmann::json calibration_json(const metrics::DeviceCalibration& device);

// Returns a sentence: "1 thread: with 5 rounds, differences of 2.7 % and more are found in half of the cells, of 5.4 %
// in 80 %; for 2 %: 8 rounds"; or that nothing is known about this number of threads.
std::string decidable_text(const metrics::DeviceCalibration& device, int threads, int rounds);

// Returns {"threads", "rounds", "median_ratio", "high_ratio", "rounds_for_2_percent", "rounds_for_2_percent_high"}; all
// but the first two are null if nothing is known about this number of threads.
nlohmann::json decidable_json(const metrics::DeviceCalibration& device, int threads, int rounds);

}  // namespace ngb::report
