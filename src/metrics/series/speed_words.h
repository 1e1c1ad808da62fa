// SPDX-License-Identifier: Apache-2.0
// Says in words how fast cells are, or what they have of another metric, and by how much they are at least better than
// others.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/judging.h"

namespace ngb::metrics::series {

using CellPair = std::pair<std::size_t, std::size_t>;  // indices of an Analysis

// Returns a number with three significant digits and no exponent: "0.0512", "1.90", "104", "1030".
std::string three_digits(double value);

// Returns the time of an inference, batch size / T; nothing of a cell that computes several inferences at a time, or
// that has no speed.
std::optional<double> seconds_of_inference(const Analysis& analysis, std::size_t cell);

// Returns "3.91 ms an inference, 256 samples/s", of several cells with ranges: "3.91 to 25.1 ms an inference, …". Cells
// that compute several inferences at a time have no milliseconds. Precondition: each cell has a speed.
std::string absolute_speeds(const Analysis& analysis, const std::vector<std::size_t>& cells);

// Says how much faster the first cells of the pairs are than the second ones, which are called `other`, by the least
// lower end of their intervals: "at least 1.46 times as fast as the identity", "at least 1.2 % faster than the
// identity" or, within the margin of VerdictRules, "the same as the identity within 3 % (0.5 % faster)". Pairs of which
// a side has fewer than kLeastRounds processes or a flag that forbids factors count in no number; the words say so.
// Returns "" if the difference of a pair is not told, or if there are no pairs.
std::string gain(const Analysis& analysis, const std::vector<CellPair>& pairs, const std::string& other);

// Returns "83.2 MB" of another metric: what its cells have, of several with a range.
// Precondition: each cell has values of it (Steady::judged).
std::string absolute_values(const Analysis& analysis, const std::vector<std::size_t>& cells, const Judged& by);

// Says, likewise by the least lower end, how much better the first cells of the pairs are by another metric: "at least
// 12 % less than b", "at least 1.1 kB/inference less than b". Returns "" if that is not told of a pair.
std::string gain_by(const Analysis& analysis, const std::vector<CellPair>& pairs, const std::string& other,
                    const Judged& by);

}  // namespace ngb::metrics::series
