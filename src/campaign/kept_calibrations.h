// SPDX-License-Identifier: Apache-2.0
// Keeps what `ngb calibrate` measured: one JSON file for each environment, in the cache's folder "calibrations".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cache_folder.h"
#include "base/result.h"
#include "metrics/calibration.h"
#include "metrics/comparison.h"
#include "metrics/limit.h"
#include "work/job.h"

namespace ngb::campaign {

// Returns what was measured in that environment; no threads if nothing was, or if what was kept is damaged or of
// another version.
metrics::DeviceCalibration kept_calibration(const CacheFolder& cache, const std::string& environment_hash);

// Keeps this measurement, in place of one with as many threads and turns in that environment, in one step.
Status keep_calibration(const CacheFolder& cache, const std::string& environment_hash,
                        metrics::CalibratedThreads measured);

// Keeps this peak, in place of one with as many threads on that compute device in that environment, in one step.
Status keep_peak(const CacheFolder& cache, const std::string& environment_hash, metrics::Peak peak);

// Returns a function that looks up the peak of a cell, by the environment and the threads of its processes. It reads
// each file once. Peaks are of f32: a cell of another precision has none.
metrics::PeakOf peaks_in(CacheFolder cache);

// Returns the deviation of quiet cells that was measured in so many turns, for each environment and number of threads.
std::vector<work::QuietDeviation> quiet_deviations(const CacheFolder& cache, int turns);

// Returns the deviation of quiet cells for the verdicts of a comparison (statistics/verdict.h). The processes were
// measured in `turns` turns. Of several numbers of threads, the one with the largest deviation counts. Returns nothing
// if its processes belong to several environments, or if their environment has no calibration with so many turns.
std::optional<double> quiet_deviation_for(const metrics::Comparison& comparison, int turns, const CacheFolder& cache);

}  // namespace ngb::campaign
