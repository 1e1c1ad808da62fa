// SPDX-License-Identifier: Apache-2.0
// How long requests that arrive at random wait for one server, or for one of several: M/G/1 and M/G/k.
#pragma once

#include <optional>

namespace ngb::metrics {

// Something that answers requests in batches: one batch after the other, by each of its servers.
struct Service {
  int batch = 1;           // requests that one inference answers
  int servers = 1;         // inferences at a time: a batch goes to the server that is free first
  double mean_s = 0;       // time of an inference
  double deviation_s = 0;  // its standard deviation
};

// Returns the share of the time in which its servers are busy; at 1 and above, requests pile up.
double utilisation(const Service& service, double requests_per_s);

// Returns the time within which a request is answered with this probability (between 0 and 1), or nothing if the
// utilisation is 1 or higher. It is the sum of three quantiles: of the time until its batch is full (each place in the
// batch is as likely, and the last one does not wait: a mixture of Erlang's distributions), of the wait for the
// inferences before, and of the inference itself, `inference_s`, which the caller has measured. A sum of quantiles is
// at least about the quantile of the sum, so this errs to the careful side. The mean wait is by Pollaczek (1930) and
// Khinchine (1932), for batches that arrive at random, which is longer than theirs that fill up one after the other;
// its distribution is taken as exponential where there is a wait, which is exact for exponential times and for high
// loads (Kingman 1961). With several servers, the mean wait is that of exponential times (Erlang's C formula, 1917)
// times (1 + variation²) / 2, the approximation of Allen and Cunneen (Allen, Probability, Statistics, and Queueing
// Theory, 2nd edition, 1990), which is the former one's for one server; and a request waits with the probability of
// Erlang's C formula, which is then taken as independent of the distribution of times.
std::optional<double> answered_within_s(const Service& service, double inference_s, double requests_per_s,
                                        double probability);

}  // namespace ngb::metrics
