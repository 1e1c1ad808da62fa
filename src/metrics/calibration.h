// SPDX-License-Identifier: Apache-2.0
// Says how small a difference can be told on a device, from two sides that are the same thing: two cells that only
// their labels tell apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/record.h"
#include "metrics/limit.h"
#include "statistics/verdict.h"
#include "store/store.h"

namespace ngb::metrics {

// How often a difference of the stated size is found by a single comparison with an error rate of 5 %.
inline constexpr double kCalibratedPower = 0.95;

// One cell that was measured on both sides.
struct EqualCell {
  std::string name{};                   // "resnet18, batch 1"
  std::optional<double> inference_s{};  // geometric mean over both sides' processes; empty without a completed one
  std::optional<double> process_s{};    // mean time that a process takes of the machine; likewise
  // log(speed of one side / speed of the other) of each round, in their order. A round of which a process failed or was
  // disturbed, or whose processes belong to different runs or environments, is left out.
  std::vector<double> differences{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &EqualCell::name}, Field{"inference_s", &EqualCell::inference_s},
                 Field{"process_s", &EqualCell::process_s}, Field{"differences", &EqualCell::differences});
  }
};

// Returns the cell with its times; its `differences` are empty if no round has both sides.
EqualCell equal_cell(const store::CellData& one, const store::CellData& other);

// What was measured on a device with one number of threads and of turns (work::Protocol::turns).
struct CalibratedThreads {
  int threads = 1;
  int turns = 1;
  std::int64_t measured_unix_ns = 0;
  std::string compiler{};  // "onnxruntime 1.31.1"
  std::vector<EqualCell> cells{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"threads", &CalibratedThreads::threads}, Field{"turns", &CalibratedThreads::turns},
                 Field{"measured_unix_ns", &CalibratedThreads::measured_unix_ns},
                 Field{"compiler", &CalibratedThreads::compiler}, Field{"cells", &CalibratedThreads::cells});
  }
};

// What was measured in one environment, ordered by the number of threads, then by the number of turns (peaks: by the
// compute device).
struct DeviceCalibration {
  std::string environment_hash{};
  std::vector<CalibratedThreads> threads{};
  std::vector<Peak> peaks{};

  // Returns null if nothing was measured with these numbers.
  [[nodiscard]] const CalibratedThreads* find(int thread_count, int turn_count) const;
};

struct Calibration {
  std::size_t cells = 0;         // that have at least statistics::kLeastRounds rounds: the numbers below are theirs
  std::size_t unusable = 0;      // the others
  std::size_t least_rounds = 0;  // of a cell; 0 without cells
  std::size_t most_rounds = 0;
  // Standard deviation of a round's log ratio, over the cells: median, the deviation that 80 % of the cells stay below,
  // and lower quartile (statistics::VerdictRules::quiet_deviation).
  double median_deviation = 0;
  double high_deviation = 0;
  double quiet_deviation = 0;
  double round_s = 0;              // mean over the cells, of both processes of a round
  std::size_t false_verdicts = 0;  // cells called faster or slower under the rules of `ngb compare`
  std::optional<double> lag_1{};   // autocorrelation of a cell's consecutive rounds; empty if nothing varies
};

// Computes all numbers for cells that were measured with the same number of threads.
Calibration calibrate(std::span<const EqualCell> cells);

// Returns the mean over the cells of the autocorrelation at lag 1, plus 1/n because that of n independent numbers is
// -1/n on average. Cells of fewer than three rounds or without variation do not count.
std::optional<double> lag_1_of(std::span<const EqualCell> cells);

// Returns the smallest difference of two speeds (0.02: one is 1.02 times the other) that a paired comparison of this
// many rounds (at least 2) finds with kCalibratedPower, if a round's log ratio has this standard deviation (at least
// 0). Source: noncentral t (Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 2, chapter 31).
double smallest_difference(double deviation, int rounds);

// Returns the fewest rounds (at least statistics::kLeastRounds) in which a difference of this size is found with that
// power; empty if statistics::kMostRoundsForeseen are not enough.
std::optional<int> rounds_to_tell(double deviation, double difference_ratio);

}  // namespace ngb::metrics
