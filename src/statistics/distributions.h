// SPDX-License-Identifier: Apache-2.0
// The distributions of Boost.Math that intervals, verdicts and queues use, so that only one source compiles them.
// Each function returns nothing where its distribution does not exist or the result is not a finite number: degrees of
// freedom, shapes and scales must be finite and positive, probabilities in (0, 1). None of them throws.
#pragma once

#include <optional>

namespace ngb::statistics {

// Returns t with P(T <= t) = probability, for Student's t.
std::optional<double> students_t_quantile(double degrees, double probability);
// Returns P(T > t).
std::optional<double> students_t_exceeds(double degrees, double t);
// Returns z with P(Z <= z) = probability, for the standard normal distribution.
std::optional<double> normal_quantile(double probability);
// Returns P(T > t) for the non-central t with this centre, in standard errors.
std::optional<double> non_central_t_exceeds(double degrees, double centre, double t);

// Returns P(F > f), for Fisher's F of these degrees of freedom above and below the line.
std::optional<double> f_exceeds(double degrees_above, double degrees_below, double f);

// Returns x with P(X <= x) = probability, for the sum of `shape` waits that are exponential with mean `scale`.
std::optional<double> gamma_quantile(double shape, double scale, double probability);

// Of `trials` independent trials, each of which succeeds with `probability`: returns P(successes <= count) and
// P(successes > count). Between integers, both are continued by the incomplete beta function.
std::optional<double> binomial_at_most(double trials, double probability, double count);
std::optional<double> binomial_exceeds(double trials, double probability, double count);

}  // namespace ngb::statistics
