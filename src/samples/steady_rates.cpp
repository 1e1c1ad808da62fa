// SPDX-License-Identifier: Apache-2.0
#include "samples/steady_rates.h"

#include <algorithm>

namespace ngb::samples {
namespace {

// A steady repetition.
struct Timed {
  double samples = 0;
  double wall_s = 0;
};

bool counts(const Repetition& repetition) { return !repetition.is_warm_up && repetition.wall_ns > 0; }

// Returns the steady repetitions of each instance, in the order run.
std::vector<std::vector<Timed>> by_instance(std::span<const Repetition> repetitions, int batch) {
  std::vector<std::vector<Timed>> of_each(instances_of(repetitions));
  for (const Repetition& repetition : repetitions) {
    if (!counts(repetition)) continue;
    of_each[repetition.instance].push_back(
        {batch * static_cast<double>(repetition.inferences), static_cast<double>(repetition.wall_ns) * 1e-9});
  }
  return of_each;
}

std::size_t fewest(const std::vector<std::vector<Timed>>& of_each) {
  return std::min_element(of_each.begin(), of_each.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); })
      ->size();
}

// Returns the part `index` of `count` equal parts of the repetitions.
std::span<const Timed> part(const std::vector<Timed>& of_instance, std::size_t index, std::size_t count) {
  const std::size_t begin = index * of_instance.size() / count;
  const std::size_t end = (index + 1) * of_instance.size() / count;
  return std::span(of_instance).subspan(begin, end - begin);
}

}  // namespace

std::size_t instances_of(std::span<const Repetition> repetitions) {
  std::uint32_t last = 0;
  for (const Repetition& repetition : repetitions) last = std::max(last, repetition.instance);
  return std::size_t{last} + 1;
}

std::vector<double> speeds_by_time(std::span<const Repetition> repetitions, int batch) {
  const std::vector<std::vector<Timed>> of_each = by_instance(repetitions, batch);
  std::vector<double> speeds(fewest(of_each));
  for (const std::vector<Timed>& of_instance : of_each) {
    Timed so_far;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      for (const Timed& each : part(of_instance, i, speeds.size())) {
        so_far.samples += each.samples;
        so_far.wall_s += each.wall_s;
      }
      speeds[i] += so_far.samples / so_far.wall_s;
    }
  }
  return speeds;
}

std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch) {
  const std::vector<std::vector<Timed>> of_each = by_instance(repetitions, batch);
  std::vector<double> rates(fewest(of_each));
  for (const std::vector<Timed>& of_instance : of_each) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::span<const Timed> together = part(of_instance, i, rates.size());
      double sum = 0;
      for (const Timed& each : together) sum += each.samples / each.wall_s;
      rates[i] += sum / static_cast<double>(together.size());
    }
  }
  return rates;
}

}  // namespace ngb::samples
