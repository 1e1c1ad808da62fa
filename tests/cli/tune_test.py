# SPDX-License-Identifier: Apache-2.0
"""The search over a study's settings, whose times are made up."""

import json
import shutil

from ngb_program import NgbTest

# The first is today's; 1 is the fastest.
TIMES_MS = (2, 3, 2.5, 4, 1.5, 2.1, 2.2, 5, 3.5, 1, 2.3, 2.4, 4.5, 2.6, 2.7, 6, 7, 8, 9, 1.9)
STUDY = """\
name: tuned
models:
  - zoo: {conv_block: {width: 8, depth: DEPTHS, image_size: 16}}
compilers:
  - "null": {threads: THREADS, options: OPTIONS}
reference: none
repetitions: 5
warm_up: 1
min_repetition_ms: 0
longer_look_s: 0
disturbance: {max_wait_percent: 100}
output: results
"""


class Tune(NgbTest):
    def tune(self, options, *words, depths="1", threads="1", code=0):
        self.write("study.yaml", STUDY.replace("OPTIONS", json.dumps(options)).replace("DEPTHS", depths).replace("THREADS", threads))
        told = self.ngb("tune", "study.yaml", *words)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told

    def tuned(self, options, *words, **axes):
        return json.loads(self.tune(options, *words, "--json", **axes).stdout)["tuned"]

    def times(self):
        return {"made_up_ns": [int(1e6 * each) for each in TIMES_MS]}

    def test_finds_the_fastest_of_twenty_for_each_model_and_confirms_what_it_promises(self):
        found = self.tuned(self.times(), depths="[1, 2]")
        self.assertEqual(len(found), 2)
        for one in found:
            self.assertEqual(one["winner"], "null made_up_ns=1000000")
            self.assertEqual(one["usual"], "null made_up_ns=2000000")
            self.assertAlmostEqual(one["promised"], 2, delta=0.01)
            self.assertAlmostEqual(one["confirmed"]["value"], 2, delta=0.01)
            self.assertEqual(one["verdict"], "faster")
            self.assertEqual((one["measured"], one["settings"]), (20, 20))
            self.assertEqual(one["entry"]["null"]["options"], {"made_up_ns": 1000000})

    def test_confirms_settings_with_another_number_of_threads(self):
        one, = self.tuned({"made_up_ns": [2_000_000, 1_000_000]}, threads="[1, 2]")
        self.assertIn(one["winner"], ("null threads=1 made_up_ns=1000000", "null threads=2 made_up_ns=1000000"))
        self.assertEqual((one["usual"], one["verdict"]), ("null threads=1 made_up_ns=2000000", "faster"))

    def test_goes_on_where_it_was_and_measures_nothing_twice(self):
        times = {"made_up_ns": [2_000_000, 3_000_000, 1_000_000]}
        self.tune(times)
        again = self.tune(times)
        self.assertNotIn("samples/s", again.stderr)  # of no process
        shutil.rmtree(self.folder / "results-tune/confirm")
        third = self.tune(times)
        self.assertIn("2.00", third.stdout)

    def test_promises_nothing_where_all_settings_are_alike(self):
        one, = self.tuned({"made_up_ns": 2_000_000, "memory_bytes": list(range(12))})
        self.assertIn(one["verdict"], ("as today", "no gain"))
        self.assertAlmostEqual(one["promised"], 1, delta=0.01)

    def test_leaves_out_settings_that_fail_and_counts_them(self):
        one, = self.tuned({"made_up_ns": [2_000_000, 1_000_000], "fault": ["none", "error"]})
        self.assertEqual((one["measured"], one["settings"]), (2, 4))
        self.assertEqual(one["winner"], "null fault=none made_up_ns=1000000")

    def test_says_what_was_not_tried_in_its_time(self):
        one, = self.tuned({"made_up_ns": [2_000_000, 1_000_000], "compile_ns": [1_500_000_000 + i for i in range(8)]},
                          "--budget", "10s")
        self.assertLess(one["measured"], one["settings"])
        self.assertEqual(one["settings"], 16)

    def test_of_one_setting_is_refused_with_what_to_write(self):
        told = self.tune({"made_up_ns": 2_000_000}, code=2)
        self.assertIn("the study has one setting of each compiler", told.stderr)
        self.assertIn("threads: [1, 2]", told.stderr)

    def test_of_wrong_words_is_refused(self):
        self.assertIn("--budget", self.tune(self.times(), "--budget", "soon", code=2).stderr)
        self.assertIn("--margin", self.tune(self.times(), "--margin", "x", code=2).stderr)
