// SPDX-License-Identifier: Apache-2.0
#include "statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace ngb::statistics {

namespace bm = boost::math;

double students_t_quantile(double degrees, double probability) {
  return bm::quantile(bm::students_t_distribution<double>(degrees), probability);
}

double students_t_exceeds(double degrees, double t) {
  return bm::cdf(bm::complement(bm::students_t_distribution<double>(degrees), t));
}

double normal_quantile(double probability) { return bm::quantile(bm::normal_distribution<double>(), probability); }

double non_central_t_exceeds(double degrees, double centre, double t) {
  return bm::cdf(bm::complement(bm::non_central_t_distribution<double>(degrees, centre), t));
}

double gamma_quantile(double shape, double scale, double probability) {
  return bm::quantile(bm::gamma_distribution<double>(shape, scale), probability);
}

double binomial_at_most(double trials, double probability, double count) {
  return bm::cdf(bm::binomial_distribution<double>(trials, probability), count);
}

double binomial_exceeds(double trials, double probability, double count) {
  return bm::cdf(bm::complement(bm::binomial_distribution<double>(trials, probability), count));
}

}  // namespace ngb::statistics
