# SPDX-License-Identifier: Apache-2.0
"""Changes of histories against a plain implementation of the paper's definition in numpy: Matteson and James, A nonparametric
approach for multiple change point analysis of multivariate data (2014), equations 2 to 5 and section 3.1, with alpha = 1. Each
statistic is computed from its two lists of values alone, so that a history takes the third power of its length and more."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

try:
    import numpy
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs it")
    sys.exit(77)

PROGRAM = pathlib.Path(os.environ["NGB_BIN"]).parent / "bench/change_points"
LEAST = 3  # values on either side of a change
LEVEL = 0.05
PERMUTATIONS = 499


def q_hat(x, y):
    """Equations 4 and 5: the scaled sample measure of divergence."""
    n, m = len(x), len(y)
    between = numpy.abs(x[:, None] - y[None, :]).sum() * 2 / (n * m)
    within_x = numpy.abs(x[:, None] - x[None, :])[numpy.triu_indices(n, 1)].sum() / (n * (n - 1) / 2)
    within_y = numpy.abs(y[:, None] - y[None, :])[numpy.triu_indices(m, 1)].sum() / (m * (m - 1) / 2)
    return n * m / (n + m) * (between - within_x - within_y)


def best_split(values):
    """Equation 5: (statistic, at, end) of the largest, or None."""
    found = [(q_hat(values[:at], values[at:end]), at, end)
             for at in range(LEAST, len(values) - LEAST + 1) for end in range(at + LEAST, len(values) + 1)]
    return max(found, key=lambda each: each[0]) if found else None


def changes_of(values, random):
    """Section 3.1: divides the segment with the largest statistic while it is significant. Returns {at: p value}."""
    begins, found = [0, len(values)], {}
    while True:
        segments = list(zip(begins, begins[1:]))
        splits = [(*split[:1], begin + split[1]) for begin, end in segments if (split := best_split(values[begin:end]))]
        if not splits:
            return found
        largest, at = max(splits)
        as_large = 1
        for _ in range(PERMUTATIONS):
            of_order = [split[0] for begin, end in segments
                        if (split := best_split(random.permutation(values[begin:end])))]
            as_large += max(of_order) >= largest * (1 - 1e-9)
        if as_large / (PERMUTATIONS + 1) >= LEVEL:
            return found
        found[at] = as_large / (PERMUTATIONS + 1)
        begins = sorted([*begins, at])


def by_ngb(histories):
    done = subprocess.run([PROGRAM, "--read"], input=json.dumps({"histories": [list(map(float, each)) for each in histories]}),
                          capture_output=True, text=True, check=True, timeout=1500)
    return json.loads(done.stdout)


class ChangePoints(unittest.TestCase):
    def test_split_values_where_the_definition_does(self):
        random = numpy.random.default_rng(1)
        histories = [random.normal(size=size) * random.choice([1e-6, 1, 1e6]) + random.normal()
                     for size in (6, 7, 8, 9, 12, 16, 20, 25, 30) for _ in range(5)]
        histories += [numpy.round(random.normal(size=15)) for _ in range(5)]  # with ties
        for values, split in zip(histories, by_ngb(histories)["splits"]):
            statistic, at, end = best_split(values)
            if split is None:
                self.assertLessEqual(statistic, 0)
                continue
            self.assertAlmostEqual(split["statistic"] / statistic, 1, places=9)
            self.assertAlmostEqual(q_hat(values[:split["at"]], values[split["at"]:split["end"]]) / statistic, 1, places=9)
            if len(set(values)) == len(values):
                self.assertEqual((split["at"], split["end"]), (at, end))

    def test_are_those_of_the_definition_with_other_permutations(self):
        random = numpy.random.default_rng(2)
        noise = [random.normal(size=size) for size in (12, 14)]
        histories = [noise[0] + numpy.repeat([0, 6], 6), noise[1] + numpy.repeat([0, 9], 7), noise[0] * 0.1,
                     numpy.concatenate([random.normal(size=8), 20 + random.normal(size=8), random.normal(size=8)])]
        for values, found in zip(histories, by_ngb(histories)["histories"]):
            expected = changes_of(values, random)
            self.assertEqual([each["at"] for each in found], sorted(expected))
            for each in found:
                self.assertAlmostEqual(each["p_value"], expected[each["at"]], delta=0.03)


if __name__ == "__main__":
    unittest.main()
