// SPDX-License-Identifier: Apache-2.0
#include "samples/steady_rates.h"

namespace ngb::samples {

std::vector<double> steady_rates(std::span<const Repetition> repetitions, int batch) {
  std::vector<double> rates;
  for (const Repetition& repetition : repetitions) {
    if (repetition.is_warm_up || repetition.wall_ns <= 0) continue;
    const double wall_s = static_cast<double>(repetition.wall_ns) * 1e-9;
    rates.push_back(batch * static_cast<double>(repetition.inferences) / wall_s);
  }
  return rates;
}

}  // namespace ngb::samples
