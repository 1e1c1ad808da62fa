# SPDX-License-Identifier: Apache-2.0
"""What ngb says of simulated studies whose truth is known. figures.py simulates more of the same, and prints it.

The seeds are fixed, so that each case gives the same numbers each time. A bound is one that a right program misses with a
chance of at most one in ten thousand under another seed (limits of the binomial distribution)."""

import math
import unittest

import judged
import memory
import serving
import studies

CHANCE = 1e-4


def fewest(of, share):
    """Fewer than this many of so many, each of which is true with this chance, come with a chance below CHANCE."""
    total = 0.0
    for count in range(of + 1):
        total += math.comb(of, count) * share**count * (1 - share) ** (of - count)
        if total > CHANCE:
            return count
    return of


class Simulations(unittest.TestCase):
    def expect_at_least(self, counted, share, what=""):
        self.assertGreaterEqual(counted.hits, fewest(counted.all, share), f"{what} {counted}: must be {100 * share} %")

    def expect_at_most(self, counted, share, what=""):
        counted.hits = counted.all - counted.hits
        self.expect_at_least(counted, 1 - share, what)

    def test_an_interval_holds_the_ratio_of_inferences_in_a_time(self):
        for name, noise in studies.BY_REPETITION.items():
            with self.subTest(name):
                holds, _ = studies.coverage(noise, 7, 2, 60)
                self.expect_at_least(holds, 0.95)

    def test_a_percentile_is_held_also_where_processes_differ(self):
        for name, noise in studies.BY_PROCESS.items():
            with self.subTest(name):
                self.expect_at_least(studies.percentiles(noise, 90, 7, 100), 0.9)

    def test_modes_of_one_side_are_held_or_undecided(self):
        for rounds in (3, 5):
            with self.subTest(rounds):
                _, is_safe = studies.coverage(studies.MODES, rounds, 8, 12)
                self.expect_at_least(is_safe, 0.9)

    def test_a_difference_that_a_plan_calls_large_enough_is_found(self):
        self.expect_at_least(studies.calibrated(5, 0.02, 30), 0.95)

    def test_a_gate_of_equal_sides_seldom_fails(self):
        passes = studies.gate(0, 0.02, 7, 12, 8)
        self.expect_at_least(passes, 0.95)

    def test_a_gate_stops_what_is_slower(self):
        self.expect_at_most(studies.gate(0.08, 0.02, 15, 6, 8), 0.01)

    def test_a_gate_that_measures_uses_the_rounds_that_its_verdict_needs(self):
        for slower in (0.05, 0.08):
            with self.subTest(slower):
                passes, left, _ = studies.measuring_gate(slower, 0.02, 12, 8)
                self.assertEqual(left.hits, 0, "it passes although there are rounds left")
                self.expect_at_most(passes, 0.05)

    def test_the_programs_that_gate_use_the_rounds_that_their_verdict_needs(self):
        passes, left, rounds = studies.gate_that_measures(0.08, 0.02, 4)
        self.assertEqual((passes.hits, left.hits), (0, 0), f"{rounds} rounds")

    def test_the_answer_names_the_fastest(self):
        for compilers, faster in ((2, 0), (6, 0), (14, 0.01)):
            with self.subTest(compilers):
                contains, _ = studies.race(compilers, faster, 7, 16)
                self.expect_at_least(contains, 0.95)

    def test_a_claim_about_equal_blocks_seldom_holds(self):
        misses, held = studies.blocks_of_equal_compilers(16)
        self.expect_at_most(misses, 0.05)
        self.expect_at_most(held, 0.025)

    def test_a_claim_about_the_highest_of_many_seldom_holds_by_chance(self):
        self.expect_at_most(studies.highest_of_many(30, 4.9, 8), 0.025)

    def test_a_leak_of_a_kilobyte_is_found_beside_an_arena_and_noise(self):
        for kind in memory.LEAKS:
            with self.subTest(kind.__name__):
                self.assertEqual(memory.leaks_told(kind, 20).hits, 20)

    def test_what_fills_or_comes_and_goes_is_no_leak(self):
        for kind in memory.NO_LEAKS:
            with self.subTest(kind.__name__):
                self.assertLessEqual(memory.leaks_told(kind, 100).hits, 5)

    def test_verdicts_by_any_metric_are_seldom_false_and_find_a_tenth(self):
        for metric, (false, found) in judged.verdicts(40, 5).items():
            with self.subTest(metric):
                self.expect_at_most(false, 0.05)
                self.expect_at_least(found, 0.8)

    def test_a_server_at_which_requests_pile_up_never_holds(self):
        for server, load, percent, is_said in serving.choices_beyond_the_limit((1.05, 1.3), (50, 90)):
            with self.subTest(f"{server}, {load}, p{percent}"):
                self.assertFalse(is_said)

    def test_a_server_holds_no_limit_far_below_its_simulated_percentile(self):
        for server, load, percent, is_said in serving.choices_beyond_the_limit((0.5, 0.8), (90, 95), requests=40_000,
                                                                               beyond=1.3):
            with self.subTest(f"{server}, {load}, p{percent}"):
                self.assertFalse(is_said)

    def test_a_confirmed_percentile_is_held_or_open(self):
        _, is_safe, wrongly_held = serving.confirmations(90, 0.7, 20)
        self.expect_at_least(is_safe, 0.9)
        self.expect_at_most(wrongly_held, 0.025)


if __name__ == "__main__":
    unittest.main()
