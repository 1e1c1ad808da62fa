// SPDX-License-Identifier: Apache-2.0
#include "metrics/queueing.h"

#include <algorithm>
#include <cmath>

#include "statistics/distributions.h"

namespace ngb::metrics {

namespace {

// Erlang's C formula: the probability that all servers are busy when a batch arrives. `busy` is their utilisation,
// below
// 1. Computed from Erlang's B formula, whose recursion over servers does not overflow.
double waiting_probability(int servers, double busy) {
  const double offered = busy * servers;
  double blocked = 1;
  for (int i = 1; i <= servers; ++i) blocked = offered * blocked / (i + offered * blocked);
  return blocked / (1 - busy * (1 - blocked));
}

}  // namespace

double utilisation(const Service& service, double requests_per_s) {
  return requests_per_s / service.batch * service.mean_s / service.servers;
}

std::optional<double> answered_within_s(const Service& service, double inference_s, double requests_per_s,
                                        double probability) {
  const double busy = utilisation(service, requests_per_s);
  if (busy >= 1) return std::nullopt;
  const double waiting = waiting_probability(service.servers, busy);  // = busy, of one server
  const double variation = service.deviation_s / service.mean_s;
  // The mean of the waits that are not 0.
  const double wait_if_any_s = service.mean_s / (service.servers * (1 - busy)) * (1 + variation * variation) / 2;
  // P(wait > t) = waiting · exp(-t / wait_if_any)
  const double wait_s = waiting > 1 - probability ? wait_if_any_s * std::log(waiting / (1 - probability)) : 0;
  double filling_s = 0;
  if (service.batch > 1) {
    filling_s = statistics::gamma_quantile(service.batch - 1, 1 / requests_per_s, probability);
  }
  return filling_s + wait_s + inference_s;
}

}  // namespace ngb::metrics
