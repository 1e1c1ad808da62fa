// SPDX-License-Identifier: Apache-2.0
#include "metrics/queueing.h"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>

namespace ngb::metrics {

double utilisation(const Service& service, double requests_per_s) {
  return requests_per_s / service.batch * service.mean_s;
}

std::optional<double> answered_within_s(const Service& service, double inference_s, double requests_per_s,
                                        double probability) {
  const double busy = utilisation(service, requests_per_s);
  if (busy >= 1) return std::nullopt;
  const double batches_per_s = requests_per_s / service.batch;
  const double square_s2 = service.mean_s * service.mean_s + service.deviation_s * service.deviation_s;
  const double mean_wait_s = batches_per_s * square_s2 / (2 * (1 - busy));
  // P(wait > t) = busy · exp(-t · busy / mean_wait)
  const double wait_s = busy > 1 - probability ? mean_wait_s / busy * std::log(busy / (1 - probability)) : 0;
  double filling_s = 0;
  if (service.batch > 1) {
    const boost::math::gamma_distribution<double> until_full(service.batch - 1, 1 / requests_per_s);
    filling_s = boost::math::quantile(until_full, probability);
  }
  return filling_s + wait_s + inference_s;
}

}  // namespace ngb::metrics
