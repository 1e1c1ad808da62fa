# SPDX-License-Identifier: Apache-2.0
"""Which model is the best, given compilers: of made-up times, with sizes from which the right answer is counted by hand."""

import json

from ngb_program import MeasuredTest

# All models take 1 ms with the quick compiler and 4 ms with the slow one. They save 500, 900 and 890 bytes of a sample.
STUDY = """\
name: encoders
models:
  - {zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}, label: coarse, raw_bytes: 1000, encoded_bytes: 500}
  - {zoo: {conv_block: {width: 8, depth: 2, image_size: 16}}, label: fine, raw_bytes: 1000, encoded_bytes: 100}
  - {zoo: {conv_block: {width: 8, depth: 3, image_size: 16}}, label: nearly, raw_bytes: 1000, encoded_bytes: 110}
compilers:
  - "null": {label: slow, options: {made_up_ns: 4000000}}
  - "null": {label: quick, options: {made_up_ns: 1000000}}
reference: none
processes: 4
repetitions: 5
warm_up: 1
min_repetition_ms: 0
longer_look_s: 0
disturbance: {max_wait_percent: 100}
output: results
"""
TCR = ("--models", "--metric", "tcr_bits_per_s")


class BestModel(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def models(self, *words):
        told = self.ngb("show", "results", *words, "--json")
        self.assertEqual(told.returncode, 0, told.stderr)
        return {row["model"]: row for row in json.loads(told.stdout)["models"]}

    def test_is_the_one_that_saves_most_with_its_best_compiler(self):
        found = self.models(*TCR)
        self.assertEqual({name: row["verdict"] for name, row in found.items()},
                         {"coarse": "out", "fine": "best", "nearly": "out"})
        self.assertEqual({row["compiler"] for row in found.values()}, {"quick"})
        self.assertAlmostEqual(found["fine"]["value"]["value"] / 7.2e6, 1, delta=0.01)  # 900 bytes of 8 bits in 1 ms
        self.assertAlmostEqual(found["coarse"]["beside_the_best"]["value"], 5 / 9, delta=0.01)

    def test_keeps_what_is_asked_of_other_metrics(self):
        found = self.models(*TCR, "--at-most", "throughput_per_s=500", "--at-least", "tcr_bits_per_s=1.2e6")
        self.assertEqual(found["coarse"]["verdict"], "not allowed")
        self.assertRegex(found["coarse"]["why"], r"^tcr_bits_per_s is (1|9\.9\d\d|1\.00\d)e\+0[56], and at least 1\.2e\+06 is asked$")
        self.assertEqual({found[name]["compiler"] for name in ("fine", "nearly")}, {"slow"})

    def test_of_one_model_that_keeps_what_is_asked_stands_alone(self):
        found = self.models(*TCR, "--at-least", "tcr_bits_per_s=7.16e6")
        self.assertEqual(found["fine"]["verdict"], "alone")

    def test_by_the_speed_is_none_of_three_that_are_alike(self):
        self.assertEqual({row["verdict"] for row in self.models("--models").values()}, {"may be the best"})

    def test_of_wrong_words_is_refused_with_what_is_right(self):
        for words, said in (((*TCR, "--at-least", "speed=3"), 'there is no metric "speed"'),
                            ((*TCR, "--at-least", "throughput_per_s"), "expected a number behind ="),
                            ((*TCR, "--model", "fine"), "leave out the filters"),
                            (("--at-least", "throughput_per_s=3"), "requires --models")):
            with self.subTest(words):
                told = self.ngb("show", "results", *words)
                self.assertEqual(told.returncode, 2, told.stdout)
                self.assertIn(said, told.stderr)

    def test_is_named_first_in_a_table_for_people(self):
        told = self.ngb("show", "results", "--models", "--metric", "tcr_bits_per_s")
        self.assertTrue(told.stdout.startswith("fine is the best model at batch 1 on local by tcr_bits_per_s\n"), told.stdout)
