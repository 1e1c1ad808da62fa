// SPDX-License-Identifier: Apache-2.0
#include "metrics/calibration.h"

#include <algorithm>
#include <cmath>

#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "statistics/distributions.h"
#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

constexpr double kCalibratedErrorRate = 0.05;
constexpr double kQuietQuantile = 0.25;
constexpr double kHighQuantile = 0.8;

// Returns the probability that t exceeds the critical value, if the true difference is `distance` standard errors.
double power_at(double distance, double degrees) {
  const std::optional<double> critical = statistics::students_t_quantile(degrees, 1 - kCalibratedErrorRate / 2);
  return statistics::non_central_t_exceeds(degrees, distance, critical.value()).value_or(1);
}

// Returns how many standard errors a difference must have to be found with kCalibratedPower.
double distance_to_be_found(int rounds) {
  const double degrees = rounds - 1;
  double too_near = 0;
  double enough = 1;
  while (power_at(enough, degrees) < kCalibratedPower) enough *= 2;
  constexpr int kBisections = 60;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (too_near + enough) / 2;
    (power_at(middle, degrees) < kCalibratedPower ? too_near : enough) = middle;
  }
  return enough;
}

// Returns the autocorrelation at lag 1; empty if nothing varies.
std::optional<double> autocorrelation(const std::vector<double>& values) {
  const double average = statistics::mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - average) * (values[i] - average);
    if (i > 0) products += (values[i] - average) * (values[i - 1] - average);
  }
  if (squares <= 0) return std::nullopt;
  return products / squares;
}

std::size_t count_false_verdicts(std::span<const EqualCell> cells) {
  std::vector<statistics::Question> questions;
  for (const EqualCell& cell : cells) questions.push_back({statistics::Part{cell.differences, 1}});
  const std::vector<statistics::Judgement> judgements = statistics::judge(questions, {});
  return static_cast<std::size_t>(
      std::count_if(judgements.begin(), judgements.end(), [](const statistics::Judgement& each) {
        return each.verdict == statistics::Verdict::faster || each.verdict == statistics::Verdict::slower;
      }));
}

}  // namespace

const CalibratedThreads* DeviceCalibration::find(int thread_count, int turn_count) const {
  const auto found = std::find_if(threads.begin(), threads.end(), [&](const CalibratedThreads& each) {
    return each.threads == thread_count && each.turns == turn_count;
  });
  return found == threads.end() ? nullptr : &*found;
}

EqualCell equal_cell(const store::CellData& one, const store::CellData& other) {
  const Steady left = steady(one);
  const Steady right = steady(other);
  EqualCell made{.name = one.of.model.label + ", batch " + std::to_string(one.of.model.key.batch),
                 .differences = log_ratios_of_rounds(left.throughput_by_process, right.throughput_by_process)};
  for (const auto* const options : {&one.of.compiler.options, &one.of.compiler.settings}) {
    if (!options->empty()) made.name += ", " + work::text_of(*options);
  }
  double sum_of_logs = 0;
  double sum_ns = 0;
  for (const Steady* const side : {&left, &right}) {
    for (const OfRound& process : side->throughput_by_process)
      sum_of_logs += std::log(process.value / one.of.model.key.batch);
  }
  for (const store::CellData* const side : {&one, &other}) {
    for (const store::RecordedProcess& process : side->processes) sum_ns += static_cast<double>(process.wall_ns);
  }
  const std::size_t speeds = left.throughput_by_process.size() + right.throughput_by_process.size();
  const std::size_t processes = one.processes.size() + other.processes.size();
  if (speeds > 0) made.inference_s = std::exp(-sum_of_logs / static_cast<double>(speeds));
  if (processes > 0) made.process_s = sum_ns * 1e-9 / static_cast<double>(processes);
  return made;
}

Calibration calibrate(std::span<const EqualCell> cells) {
  std::vector<EqualCell> usable;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(usable),
               [](const EqualCell& cell) { return cell.differences.size() >= statistics::kLeastRounds; });
  Calibration made{.cells = usable.size(), .unusable = cells.size() - usable.size()};
  if (usable.empty()) return made;
  std::vector<double> deviations;
  made.least_rounds = usable.front().differences.size();
  for (const EqualCell& cell : usable) {
    deviations.push_back(statistics::standard_deviation(cell.differences).value_or(0));
    made.least_rounds = std::min(made.least_rounds, cell.differences.size());
    made.most_rounds = std::max(made.most_rounds, cell.differences.size());
    made.round_s += 2 * cell.process_s.value_or(0) / static_cast<double>(usable.size());
  }
  std::sort(deviations.begin(), deviations.end());
  made.median_deviation = statistics::quantile_of_sorted(deviations, 0.5);
  made.high_deviation = statistics::quantile_of_sorted(deviations, kHighQuantile);
  made.quiet_deviation = statistics::quantile_of_sorted(deviations, kQuietQuantile);
  made.false_verdicts = count_false_verdicts(usable);
  made.lag_1 = lag_1_of(usable);
  return made;
}

std::optional<double> lag_1_of(std::span<const EqualCell> cells) {
  double sum = 0;
  std::size_t count = 0;
  for (const EqualCell& cell : cells) {
    if (cell.differences.size() < statistics::kLeastRounds) continue;
    const std::optional<double> of_cell = autocorrelation(cell.differences);
    if (!of_cell) continue;
    sum += *of_cell + 1 / static_cast<double>(cell.differences.size());
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

double smallest_difference(double deviation, int rounds) {
  return std::expm1(distance_to_be_found(rounds) * deviation / std::sqrt(rounds));
}

std::optional<int> rounds_to_tell(double deviation, double difference_ratio) {
  const double distance = std::log1p(difference_ratio);
  const auto would_do = [&](int rounds) {
    return deviation <= 0 || power_at(distance / (deviation / std::sqrt(rounds)), rounds - 1) >= kCalibratedPower;
  };
  int too_few = static_cast<int>(statistics::kLeastRounds) - 1;
  int enough = statistics::kMostRoundsForeseen;
  if (!would_do(enough)) return std::nullopt;
  while (enough - too_few > 1) {  // power grows with the number of rounds
    const int middle = (too_few + enough) / 2;
    (would_do(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace ngb::metrics
