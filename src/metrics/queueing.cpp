// SPDX-License-Identifier: Apache-2.0
#include "metrics/queueing.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// Returns the probability that a request's batch is not full after a time in which `expected` requests arrive on
// average. A request at place p of its batch waits for `batch` - p more; every place is equally likely.
double still_filling(int batch, double expected) {
  double at_most_k = 0;
  double sum = 0;
  for (int k = 0; k + 1 < batch; ++k) {
    at_most_k += std::exp(k * std::log(expected) - expected - std::lgamma(k + 1.0));
    sum += at_most_k;
  }
  return sum / batch;
}

// Returns the time after which a request's batch is full with this probability.
double filling_time_s(int batch, double requests_per_s, double probability) {
  if (still_filling(batch, 1e-9) <= 1 - probability) return 0;
  // The first request of a batch waits longest.
  double low = 0;
  double high = statistics::gamma_quantile(batch - 1, 1 / requests_per_s, probability)
                    .value_or(std::numeric_limits<double>::infinity());
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (still_filling(batch, middle * requests_per_s) > 1 - probability ? low : high) = middle;
  }
  return high;
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
    filling_s = filling_time_s(service.batch, requests_per_s, probability);
  }
  return filling_s + wait_s + inference_s;
}

}  // namespace ngb::metrics
