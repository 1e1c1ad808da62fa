// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ngb::statistics {
namespace {

constexpr std::size_t kRates = 8;
// Error rates of all looks together, and for each largest number of rounds (3 … 30) the nominal rates that give them:
// 8 million simulated comparisons, rounded down. Below the last one, the rate is divided by the number of looks, which
// holds for any data (Bonferroni).
constexpr std::array<double, kRates> kTotals{0.1, 0.05, 0.025, 0.01, 0.005, 0.001, 0.0005, 0.0001};
constexpr std::array<std::array<double, kRates>, kMostLookedAt - kFirstLook + 1> kNominals{{
    {0.1, 0.05, 0.025, 0.01, 0.005, 0.001, 0.0005, 0.0001},                       // 3
    {0.0644, 0.0305, 0.0146, 0.00562, 0.00275, 0.000532, 0.000262, 5.25e-05},     // 4
    {0.0494, 0.0228, 0.0108, 0.00404, 0.00195, 0.000372, 0.000182, 3.53e-05},     // 5
    {0.041, 0.0187, 0.00876, 0.00325, 0.00155, 0.000292, 0.000142, 2.79e-05},     // 6
    {0.0357, 0.0162, 0.00749, 0.00276, 0.00131, 0.000244, 0.000119, 2.3e-05},     // 7
    {0.0319, 0.0144, 0.00662, 0.00242, 0.00115, 0.00021, 0.000103, 2.01e-05},     // 8
    {0.0291, 0.013, 0.00599, 0.00218, 0.00103, 0.000189, 9.22e-05, 1.76e-05},     // 9
    {0.027, 0.012, 0.00551, 0.002, 0.000945, 0.000171, 8.32e-05, 1.6e-05},        // 10
    {0.0252, 0.0112, 0.00513, 0.00185, 0.000874, 0.000157, 7.63e-05, 1.45e-05},   // 11
    {0.0238, 0.0105, 0.00481, 0.00173, 0.000817, 0.000146, 7.11e-05, 1.36e-05},   // 12
    {0.0226, 0.01, 0.00455, 0.00163, 0.000769, 0.000137, 6.68e-05, 1.25e-05},     // 13
    {0.0216, 0.00956, 0.00432, 0.00155, 0.000727, 0.00013, 6.32e-05, 1.18e-05},   // 14
    {0.0207, 0.00916, 0.00413, 0.00148, 0.000693, 0.000123, 5.98e-05, 1.11e-05},  // 15
    {0.0199, 0.0088, 0.00396, 0.00142, 0.000663, 0.000118, 5.68e-05, 1.06e-05},   // 16
    {0.0192, 0.00849, 0.00382, 0.00136, 0.000637, 0.000113, 5.44e-05, 1.01e-05},  // 17
    {0.0186, 0.00821, 0.00369, 0.00132, 0.000614, 0.000109, 5.25e-05, 9.72e-06},  // 18
    {0.0181, 0.00796, 0.00357, 0.00127, 0.000594, 0.000105, 5.07e-05, 9.11e-06},  // 19
    {0.0176, 0.00773, 0.00347, 0.00124, 0.000575, 0.000102, 4.91e-05, 8.89e-06},  // 20
    {0.0172, 0.00753, 0.00337, 0.0012, 0.000559, 9.97e-05, 4.78e-05, 8.73e-06},   // 21
    {0.0167, 0.00734, 0.00329, 0.00117, 0.000544, 9.72e-05, 4.6e-05, 8.34e-06},   // 22
    {0.0164, 0.00717, 0.00321, 0.00114, 0.00053, 9.43e-05, 4.51e-05, 8.09e-06},   // 23
    {0.016, 0.00701, 0.00314, 0.00111, 0.000518, 9.19e-05, 4.41e-05, 7.77e-06},   // 24
    {0.0157, 0.00687, 0.00307, 0.00109, 0.000508, 8.99e-05, 4.31e-05, 7.55e-06},  // 25
    {0.0154, 0.00674, 0.00301, 0.00107, 0.000497, 8.78e-05, 4.21e-05, 7.28e-06},  // 26
    {0.0151, 0.00661, 0.00295, 0.00104, 0.000487, 8.59e-05, 4.13e-05, 7.12e-06},  // 27
    {0.0149, 0.00649, 0.0029, 0.00102, 0.000477, 8.42e-05, 4.04e-05, 7.02e-06},   // 28
    {0.0146, 0.00639, 0.00285, 0.00101, 0.000468, 8.23e-05, 3.96e-05, 6.89e-06},  // 29
    {0.0144, 0.00628, 0.00281, 0.000993, 0.00046, 8.08e-05, 3.87e-05, 6.75e-06},  // 30
}};

const std::array<double, kRates>& nominals_of(int max_rounds) {
  return kNominals.at(static_cast<std::size_t>(std::clamp(max_rounds, kFirstLook, kMostLookedAt) - kFirstLook));
}

double looks_until(int max_rounds) { return max_rounds - kFirstLook + 1; }

// Returns y at x on the line through two points, all of it on logarithmic axes.
double between(double x, double x1, double y1, double x2, double y2) {
  return std::exp(std::lerp(std::log(y1), std::log(y2), std::log(x / x1) / std::log(x2 / x1)));
}

}  // namespace

double nominal_error_rate(int max_rounds, double total) {
  const auto& nominals = nominals_of(max_rounds);
  for (std::size_t i = 0; i + 1 < kRates; ++i) {
    if (total < kTotals[i + 1]) continue;
    return between(std::min(total, kTotals[0]), kTotals[i], nominals[i], kTotals[i + 1], nominals[i + 1]);
  }
  return total / looks_until(max_rounds);
}

double p_of_all_looks(double least_p, int max_rounds) {
  const auto& nominals = nominals_of(max_rounds);
  if (least_p >= nominals[0]) {
    return least_p >= 1 ? 1 : between(least_p, nominals[0], kTotals[0], 1, 1);
  }
  for (std::size_t i = 0; i + 1 < kRates; ++i) {
    if (least_p < nominals[i + 1]) continue;
    return between(least_p, nominals[i], kTotals[i], nominals[i + 1], kTotals[i + 1]);
  }
  return std::min(least_p * looks_until(max_rounds), kTotals.back());
}

}  // namespace ngb::statistics
