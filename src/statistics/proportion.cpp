// SPDX-License-Identifier: Apache-2.0
#include "statistics/proportion.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace ngb::statistics {

Interval wilson_interval(std::size_t successes, std::size_t cases, double error_rate) {
  const auto n = static_cast<double>(cases);
  const double share = static_cast<double>(successes) / n;
  const double z = normal_quantile(1 - error_rate / 2);
  const double centre = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half_width = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  // At the ends rounding would leave them by less than an epsilon.
  return {successes == 0 ? 0 : std::max(0.0, centre - half_width),
          successes == cases ? 1 : std::min(1.0, centre + half_width)};
}

}  // namespace ngb::statistics
