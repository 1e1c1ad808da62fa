# SPDX-License-Identifier: Apache-2.0
"""What `ngb choose` says of servers whose truth is known: requests arrive at random in a queue that is simulated event by
event (servers.py). How often `--confirm` is right of such servers is counted in simulations_test."""

import math
import random
import unittest

import made_up_results as made_up
import serving
import studies
from servers import open_latencies, percentile

SLOW_NOW_AND_THEN = [8.0] * 7 + [40.0]  # 83.3 a second by the clock; the mean of the rates is 112.5


def simulated_percentile(times_ms, percent, per_s, draw):
    """Of the latencies of a server with these service times, at which requests arrive at random."""
    return percentile(open_latencies(lambda: draw.choice(times_ms) / 1000, per_s, 100_000, draw), percent)


class Arrivals(unittest.TestCase):
    def test_a_server_that_requests_overload_does_not_hold(self):
        with studies.Folder() as folder:
            made_up.study(folder, ["fast"], ["m"], 7, lambda *_: SLOW_NOW_AND_THEN * 2, baseline="fast")
            row = serving.choice(folder, 50, 0.2, 95)["fast"]
        self.assertGreater(simulated_percentile(SLOW_NOW_AND_THEN, 50, 95, random.Random(1)), 10)  # seconds: they pile up
        self.assertEqual(row["fit"], "fails")
        self.assertAlmostEqual(row["utilisation_ratio"], 95 * 0.012, places=9)

    def test_what_holds_answers_in_time_and_what_answers_twice_as_fast_as_asked_holds(self):
        draw = random.Random(1)
        times_ms = [10 * max(0.1, draw.gauss(1, 0.1)) for _ in range(4000)]
        with studies.Folder() as folder:
            made_up.study(folder, ["fast"], ["m"], 7, lambda *_: draw.sample(times_ms, 200), baseline="fast")
            for load in (0.3, 0.5, 0.7, 0.9):
                truth_s = simulated_percentile(times_ms, 99, 100 * load, draw)
                for factor, fits in ((0.5, {"fails"}), (0.8, {"fails", "open"}), (2, {"holds"})):
                    with self.subTest(load=load, factor=factor):
                        row = serving.choice(folder, 99, factor * truth_s, 100 * load)["fast"]
                        self.assertIn(row["fit"], fits, row)

    def test_of_ten_that_are_just_too_slow_hardly_one_holds(self):
        """Log-normal times with σ .3 whose 99th percentile is 2 % above the limit."""
        draw = random.Random(1)
        limit_s = 0.01 * math.exp(0.3 * 2.3263478740) / 1.02
        names = [f"c{i}" for i in range(10)]
        any_holds = 0
        for _ in range(10):
            with studies.Folder() as folder:
                made_up.study(folder, names, ["m"], 7, lambda *_: [10 * math.exp(draw.gauss(0, 0.3)) for _ in range(120)],
                              baseline="c0")
                rows = serving.choice(folder, 99, limit_s, 0.01)
                any_holds += any(row["fit"] == "holds" for row in rows.values())
        self.assertLessEqual(any_holds, 4)  # of 10, each with a chance of at most 5 %: once in ten thousand

    def test_processes_that_differ_are_counted_instead_of_their_repetitions(self):
        def times(compiler, model, number):
            return [(20.0 if number == 3 else 10.0) + 0.01 * i for i in range(16)]

        with studies.Folder() as folder:
            made_up.study(folder, ["fast"], ["m"], 4, times, baseline="fast")
            row = serving.choice(folder, 90, 1.0, 1)["fast"]
        self.assertEqual(row["fit"], "open")
        self.assertIn("its 64 latencies in 4 processes, which differ, are worth", row["why"])


if __name__ == "__main__":
    unittest.main()
