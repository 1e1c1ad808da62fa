#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates the nominal error rates of src/statistics/sequential.cpp. Needs numpy and scipy.

boundaries.py [PATHS] [SEED]: simulates that many comparisons of equal sides (8e6 for the table in the source). Prints a
row for each largest number of rounds: the rate of each look with which all looks err at the rate above the column.
"""

import sys

import numpy
from scipy import stats

FIRST_LOOK, MOST_ROUNDS = 3, 30
TOTALS = [0.1, 0.05, 0.025, 0.01, 0.005, 0.001, 0.0005, 0.0001]
AT_A_TIME = 500_000
KEPT_BELOW = 0.12  # larger rates are in no column


def least_p_values(paths: int, random: numpy.random.Generator) -> dict[int, numpy.ndarray]:
    """By the largest number of rounds: the least p value of all looks, of each path where it is small."""
    kept: dict[int, list] = {rounds: [] for rounds in range(FIRST_LOOK, MOST_ROUNDS + 1)}
    for begin in range(0, paths, AT_A_TIME):
        values = random.standard_normal((min(AT_A_TIME, paths - begin), MOST_ROUNDS))
        sums, squares = numpy.cumsum(values, axis=1), numpy.cumsum(values * values, axis=1)
        least = numpy.ones(len(values))
        for rounds, lists in kept.items():
            mean = sums[:, rounds - 1] / rounds
            variance = (squares[:, rounds - 1] - rounds * mean * mean) / (rounds - 1)
            p = 2 * stats.t.sf(numpy.abs(mean) / numpy.sqrt(variance / rounds), rounds - 1)
            least = numpy.minimum(least, p)
            lists.append(least[least < KEPT_BELOW])
    return {rounds: numpy.sort(numpy.concatenate(lists)) for rounds, lists in kept.items()}


def main() -> None:
    paths = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20261124
    print("rounds", *TOTALS)
    for rounds, values in least_p_values(paths, numpy.random.default_rng(seed)).items():
        print(rounds, *[f"{values[int(total * paths) - 1]:.3g}" for total in TOTALS])


if __name__ == "__main__":
    main()
