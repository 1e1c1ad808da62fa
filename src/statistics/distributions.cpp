// SPDX-License-Identifier: Apache-2.0
#include "statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ngb::statistics {
namespace {

namespace bm = boost::math;
namespace policies = boost::math::policies;

// Boost returns a value that is not finite instead of throwing.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::rounding_error<policies::ignore_error>>;
using StudentsT = bm::students_t_distribution<double, Quiet>;
using NonCentralT = bm::non_central_t_distribution<double, Quiet>;
using Normal = bm::normal_distribution<double, Quiet>;
using FisherF = bm::fisher_f_distribution<double, Quiet>;
using Gamma = bm::gamma_distribution<double, Quiet>;
// In long double, as Boost computes by default, it would take six times as long.
using InDouble = policies::normalise<Quiet, policies::promote_double<false>>::type;
using Binomial = bm::binomial_distribution<double, InDouble>;

// Boost takes infinite degrees of freedom for the normal distribution.
template <class Distribution, class Compute>
std::optional<double> finite(double parameter, const Distribution& distribution, Compute compute) {
  if (!(parameter > 0) || !std::isfinite(parameter)) return std::nullopt;
  const double result = compute(distribution);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

auto quantile_at(double probability) {
  return [probability](const auto& of) { return bm::quantile(of, probability); };
}
auto share_until(double x) {
  return [x](const auto& of) { return bm::cdf(of, x); };
}
auto share_above(double x) {
  return [x](const auto& of) { return bm::cdf(bm::complement(of, x)); };
}

}  // namespace

std::optional<double> students_t_quantile(double degrees, double probability) {
  return finite(degrees, StudentsT(degrees), quantile_at(probability));
}

std::optional<double> students_t_exceeds(double degrees, double t) {
  return finite(degrees, StudentsT(degrees), share_above(t));
}

std::optional<double> normal_quantile(double probability) { return finite(1, Normal(), quantile_at(probability)); }

std::optional<double> non_central_t_exceeds(double degrees, double centre, double t) {
  return finite(degrees, NonCentralT(degrees, centre), share_above(t));
}

std::optional<double> f_exceeds(double degrees_above, double degrees_below, double f) {
  return finite(degrees_below, FisherF(degrees_above, degrees_below), share_above(f));
}

std::optional<double> gamma_quantile(double shape, double scale, double probability) {
  return finite(shape, Gamma(shape, scale), quantile_at(probability));
}

std::optional<double> binomial_at_most(double trials, double probability, double count) {
  return finite(trials, Binomial(trials, probability), share_until(count));
}

std::optional<double> binomial_exceeds(double trials, double probability, double count) {
  return finite(trials, Binomial(trials, probability), share_above(count));
}

}  // namespace ngb::statistics
