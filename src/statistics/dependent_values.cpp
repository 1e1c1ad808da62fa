// SPDX-License-Identifier: Apache-2.0
#include "statistics/dependent_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "statistics/distributions.h"

namespace ngb::statistics {

namespace {

// How much more the share of values at a limit and beyond varies than that of as many independent values.
struct DesignEffect {
  double ratio = 0;         // 0: all values are beyond the limit
  double parts_beyond = 0;  // that have a value beyond it
};

// Precondition: there are at least two parts.
DesignEffect design_effect(std::span<const double> values, const std::vector<std::size_t>& parts, double limit) {
  const auto beyond_in = [limit](std::span<const double> some) {
    return static_cast<double>(std::count_if(some.begin(), some.end(), [&](double each) { return each >= limit; }));
  };
  const auto n = static_cast<double>(values.size());
  const double share = beyond_in(values) / n;
  if (share == 0 || share == 1) return {};
  double squares = 0;
  DesignEffect found;
  for (const std::size_t length : parts) {
    const double beyond = beyond_in(values.first(length));
    const double residual = beyond - share * static_cast<double>(length);
    squares += residual * residual;
    if (beyond > 0) ++found.parts_beyond;
    values = values.subspan(length);
  }
  const auto count = static_cast<double>(parts.size());
  found.ratio = count / (count - 1) * squares / (n * share * (1 - share));
  return found;
}

// Returns the factor by which an estimated variance costs values.
double kept_ratio(double degrees, double error_rate) {
  const double reached = 1 - error_rate / 2;
  const std::optional<double> t = students_t_quantile(degrees, reached);
  return t ? std::pow(normal_quantile(reached).value_or(0) / *t, 2) : 0;
}

}  // namespace

Worth worth_of(std::span<const double> values, const Dependence& dependence, double q, double error_rate) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double limit = quantile_of_sorted(sorted, q);
  const auto n = static_cast<double>(values.size());
  double effect = std::max(1.0, dependence.least_design_effect);
  double degrees = n;
  Worth worth{.independent = n / effect};
  if (!dependence.periods.empty()) {
    const std::vector<std::size_t>& periods = dependence.periods;
    const DesignEffect within = periods.size() > 1 ? design_effect(values, periods, limit) : DesignEffect{};
    if (within.parts_beyond < 2) return {};
    effect = std::max(effect, within.ratio);
    degrees = within.parts_beyond - 1;
    worth.independent = n / effect * kept_ratio(degrees, error_rate);
  }
  if (dependence.processes.size() < 2) return worth;
  const double between = design_effect(values, dependence.processes, limit).ratio;
  const auto others = static_cast<double>(dependence.processes.size() - 1);
  worth.do_processes_differ = between > effect && f_exceeds(others, degrees, between / effect).value_or(1) < kErrorRate;
  if (worth.do_processes_differ) {
    worth.independent = std::min(worth.independent, n / between * kept_ratio(others, error_rate));
  }
  return worth;
}

}  // namespace ngb::statistics
