// SPDX-License-Identifier: Apache-2.0
// The distributions of Boost.Math that intervals, verdicts and queues use, so that only one source compiles them.
// Preconditions: degrees of freedom, shapes and scales are positive; probabilities are in (0, 1).
#pragma once

namespace ngb::statistics {

// Returns t with P(T <= t) = probability, for Student's t.
double students_t_quantile(double degrees, double probability);
// Returns P(T > t).
double students_t_exceeds(double degrees, double t);
// Returns z with P(Z <= z) = probability, for the standard normal distribution.
double normal_quantile(double probability);
// Returns P(T > t) for the non-central t with this centre, in standard errors.
double non_central_t_exceeds(double degrees, double centre, double t);

// Returns x with P(X <= x) = probability, for the sum of `shape` waits that are exponential with mean `scale`.
double gamma_quantile(double shape, double scale, double probability);

// Of `trials` independent trials, each of which succeeds with `probability`: returns P(successes <= count) and
// P(successes > count).
double binomial_at_most(double trials, double probability, double count);
double binomial_exceeds(double trials, double probability, double count);

}  // namespace ngb::statistics
