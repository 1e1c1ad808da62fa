// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb calibrate` found out about a device, and what `ngb plan` says from it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metrics/calibration.h"

namespace ngb::report {

// Returns a row for each number of threads and of turns, then a row for each cell. `width`: columns of the terminal; 0:
// no limit.
std::string calibration_text(const metrics::DeviceCalibration& device, int width, bool color);

// Returns a row for each peak.
std::string peak_text(const metrics::DeviceCalibration& device, int width, bool color);

// Returns {"environment_hash", "threads": [{"threads", "turns", "compiler", "measured_unix_ns", "cells", "deviation":
// {"median", "high", "quiet"}, "round_s", "smallest_difference": [{"rounds", "median_ratio", "high_ratio", "seconds"}],
// "false_verdicts", "lag_1", "measured": [{…}]}], "peaks": [{"threads", "compute_device", "compiler",
// "measured_unix_ns", "rounds", "product", "macs_per_s": {"value", "low", "high"}, "copy_bytes_per_s": {…},
// "triad_bytes_per_s": {…}, "reads": [{"array_bytes", "bytes_per_s": {…}}]}]}. What is unknown is null. Shares are
// ratios.
nlohmann::json calibration_json(const metrics::DeviceCalibration& device);

// How processes of a study run.
struct Running {
  int threads = 1;
  int turns = 1;
};

// Returns a sentence: "1 thread in 20 turns: with 5 rounds, differences of 2.7 % and more are found in half of the
// cells, of 5.4 % in 80 %; for 2 %: 8 rounds"; or that nothing is known about such processes.
std::string decidable_text(const metrics::DeviceCalibration& device, Running running, int rounds);

// Returns {"threads", "turns", "rounds", "median_ratio", "high_ratio", "rounds_for_2_percent",
// "rounds_for_2_percent_high"}; all but the first three are null if nothing is known about such processes.
nlohmann::json decidable_json(const metrics::DeviceCalibration& device, Running running, int rounds);

}  // namespace ngb::report
