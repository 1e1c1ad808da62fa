# SPDX-License-Identifier: Apache-2.0
"""What tvm's tuning remembers of its trials, with a clock of the test's own."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["NGB_LIB"], "compilers", "tvm", "python"))

from tuning_log import Log, thinned  # noqa: E402


class TuningLog(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "trials.jsonl")
        self.now = 0.0

    def log(self, weights=(1, 3), max_trials=100, early_stop=20):
        return Log(self.path, list(weights), max_trials, early_stop, clock=lambda: self.now)

    def test_the_estimate_is_the_sum_over_tasks_of_weight_times_the_fastest_run(self):
        with self.log() as log:
            log.add(0, 4, 0.010)
            self.assertIsNone(log.best_s)
            log.add(1, 4, 0.002)
            self.assertAlmostEqual(log.best_s, 0.016)
            log.add(1, 4, 0.005)
            log.add(0, 4, 0.004)
        self.assertEqual(json.loads(log.facts()["tuning_curve"]), {"trials": [8, 16], "best_ms": [16.0, 10.0]})

    def test_a_task_counts_as_untuned_until_it_is_measured_and_as_measured_then(self):
        with self.log() as log:
            log.add_untuned([0.1, 0.2])
            log.add(1, 4, 0.1)
            log.add(0, 4, 0.15)
        self.assertEqual(json.loads(log.facts()["tuning_curve"]), {"trials": [0, 4], "best_ms": [700.0, 400.0]})
        with self.log() as log:
            self.assertTrue(log.knows_untuned())

    def test_a_round_that_would_be_too_many_trials_has_no_room(self):
        with self.log(max_trials=10) as log:
            log.add(0, 8, 0.1)
            self.assertEqual((log.has_room_for(2), log.has_room_for(3)), (True, False))

    def test_it_is_over_when_the_best_has_not_improved_for_early_stop_trials(self):
        with self.log(weights=[1]) as log:
            log.add(0, 5, 0.010)
            log.add(0, 19, 0.011)
            self.assertFalse(log.is_over())
            log.add(0, 1, 0.012)
            self.assertTrue(log.is_over())

    def test_early_stopping_waits_until_every_task_has_had_a_turn(self):
        with self.log(weights=[1, 1]) as log:
            log.add_untuned([0.1, 5.0])
            log.add(0, 30, 0.2)
            self.assertFalse(log.is_over())
            log.add(1, 30, 6.0)
            self.assertFalse(log.is_over())
            log.add(1, 20, 6.0)
            self.assertTrue(log.is_over())

    def test_a_best_that_improves_late_puts_the_end_off(self):
        with self.log(weights=[1]) as log:
            log.add(0, 5, 0.010)
            log.add(0, 15, 0.009)
            log.add(0, 15, 0.010)
            self.assertFalse(log.is_over())

    def test_without_early_stop_only_the_number_of_trials_ends_it(self):
        with self.log(weights=[1], max_trials=50, early_stop=0) as log:
            log.add(0, 49, 0.010)
            self.assertFalse(log.is_over())
            log.add(0, 1, None, ["no such instruction"])
            self.assertTrue(log.is_over())
        self.assertEqual((log.facts()["trials"], log.facts()["failed_trials"]), ("50", "1"))

    def test_a_killed_one_goes_on_with_its_trials_its_best_and_its_time(self):
        with self.log(weights=[1]) as log:
            self.now = 60
            log.add(0, 10, 0.010)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write('{"task": 0, "tri')  # what it was writing when it was killed
        self.now = 1000
        with self.log(weights=[1]) as log:
            self.assertEqual((log.trials, log.best_s, log.sessions), (10, 0.010, 2))
            self.now = 1030
            log.add(0, 10, 0.008)
            log.finish()
        self.assertEqual((log.facts()["trials"], log.facts()["tuning_seconds"]), ("20", "90.0"))
        self.assertEqual(log.facts()["tuning_seconds_here"], "30.0")

    def test_a_finished_one_is_over_for_whoever_comes_later(self):
        with self.log() as log:
            log.finish()
        with self.log() as log:
            self.assertTrue(log.is_over())
            self.assertEqual(log.sessions, 1)

    def test_it_says_how_far_it_is_and_how_long_it_will_take(self):
        with self.log(weights=[1]) as log:
            self.assertEqual(log.describe(), "tuning 0 of 100")
            self.now = 60
            log.add(0, 10, 0.0123)
            self.assertEqual(log.describe(), "tuning 10 of 100, best 12.3 ms, 9 min left")

    def test_tasks_that_were_tried_least_come_first(self):
        with self.log(weights=[1, 1, 1]) as log:
            log.add(0, 4, 0.010)
            log.add(2, 2, None)
            self.assertEqual(log.least_tried_first(), [1, 2, 0])

    def test_a_long_curve_keeps_its_ends(self):
        curve = thinned([(i, 1 / (i + 1)) for i in range(1000)])
        self.assertEqual((len(curve), curve[0][0], curve[-1][0]), (200, 0, 999))


if __name__ == "__main__":
    unittest.main()
