// SPDX-License-Identifier: Apache-2.0
#include "samples/steady_rates.h"

#include <algorithm>

namespace ngb::samples {
namespace {

bool counts(const Repetition& repetition) { return !repetition.is_warm_up && repetition.wall_ns > 0; }

double rate_of(const Repetition& repetition, int batch) {
  const double wall_s = static_cast<double>(repetition.wall_ns) * 1e-9;
  return batch * static_cast<double>(repetition.inferences) / wall_s;
}

}  // namespace

std::size_t instances_of(std::span<const Repetition> repetitions) {
  std::uint32_t last = 0;
  for (const Repetition& repetition : repetitions) last = std::max(last, repetition.instance);
  return std::size_t{last} + 1;
}

std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch) {
  std::vector<double> rates;
  const std::size_t instances = instances_of(repetitions);
  if (instances == 1) {
    for (const Repetition& repetition : repetitions) {
      if (counts(repetition)) rates.push_back(rate_of(repetition, batch));
    }
    return rates;
  }
  std::vector<std::vector<double>> of_each(instances);
  for (const Repetition& repetition : repetitions) {
    if (counts(repetition)) of_each[repetition.instance].push_back(rate_of(repetition, batch));
  }
  rates.resize(std::min_element(of_each.begin(), of_each.end(), [](const auto& a, const auto& b) {
                 return a.size() < b.size();
               })->size());
  for (const std::vector<double>& of_instance : of_each) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::size_t begin = i * of_instance.size() / rates.size();
      const std::size_t end = (i + 1) * of_instance.size() / rates.size();
      double sum = 0;
      for (std::size_t each = begin; each < end; ++each) sum += of_instance[each];
      rates[i] += sum / static_cast<double>(end - begin);
    }
  }
  return rates;
}

}  // namespace ngb::samples
