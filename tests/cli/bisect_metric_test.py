# SPDX-License-Identifier: Apache-2.0
"""ngb bisect by another metric than the speed, over made-up wheels with a known culprit."""

import shutil
import unittest

from bisected_wheels import BisectedWheels


class BisectByAMetric(BisectedWheels):
    def test_finds_the_version_that_began_to_leak_wherever_it_is(self):
        """Ten times: each version from the second to the eleventh is the culprit once. It keeps 1 kB of each inference."""
        versions = [f"1.{i}" for i in range(11)]
        for culprit in range(1, 11):
            with self.subTest(versions[culprit]):
                shutil.rmtree(self.folder / "toolchains", ignore_errors=True)
                shutil.rmtree(self.folder / "results", ignore_errors=True)
                self.make(versions[:culprit])
                self.make(versions[culprit:], keeps=1024)
                answer = self.answer("1.0", "1.10", "--metric", "memory_growth_bytes_per_inference:500B")
                self.assertEqual((answer["first_bad"], answer["last_good"]), (versions[culprit], versions[culprit - 1]))
                bad = next(each for each in answer["tried"] if each["version"] == versions[culprit])
                self.assertGreater(bad["difference"]["low"], 0)
                self.assertLess(bad["difference"]["high"], 2000)
        self.assertEqual(answer["summary"], "onnxruntime 1.10 is the first version that is worse than 1.0 by more than 500 B in "
                                            "memory_growth_bytes_per_inference")
        self.assertEqual(answer["metric"], "memory_growth_bytes_per_inference")

    def test_finds_the_version_that_compiles_longer(self):
        self.make(["1.0", "1.1"], waits=0.02)
        self.make(["1.2", "1.3"], waits=0.4)
        answer = self.answer("1.0", "1.3", "--metric", "compile_s:100%")
        self.assertEqual(answer["first_bad"], "1.2")
        self.assertEqual(self.verdicts(answer), {"1.1": "not worse", "1.2": "worse", "1.3": "worse"})

    def test_refuses_a_metric_beside_another_search_or_without_a_verdict(self):
        self.make(["1.0", "1.1"])
        for arguments, reason in ((("--metric", "timed_peak_bytes:5%", "--fails"), "excludes"),
                                  (("--metric", "speed_up_ratio"), "no verdict can be made of speed_up_ratio"),
                                  (("--metric", "timed_peak_bytes:5"), "has no unit")):
            told = self.bisect("1.0", "1.1", *arguments)
            self.assertEqual(told.returncode, 2, told.stderr)
            self.assertIn(reason, told.stderr)


if __name__ == "__main__":
    unittest.main()
