# SPDX-License-Identifier: Apache-2.0
"""Variants of models: how they agree with their exact models, and what becomes of those that do not."""

import json
import struct
import unittest

from ngb_program import NgbTest

# The compiler null hands its inputs on as outputs, so an mlp has the outputs [batch, features], which are classes.
STUDY = """\
name: test
models:
  - {zoo: {mlp: {depth: 2, width: 16}}, label: exact}
  - {zoo: {mlp: {depth: 1, width: 16}}, label: cheap, variant_of: exact}
compilers: %s
batch_sizes: [1, 8]
reference: "null"
processes: 2
disturbance: {max_wait_percent: 100}
warm_up: 1
repetitions: 3
min_repetition_ms: 0
"""
RIGHT = '["null"]'
WRONG = '[{"null": {options: {fault: wrong_output}}}]'


class Variants(NgbTest):
    def run_study(self, text, *arguments, code=0):
        self.write("study.yaml", text)
        ended = self.ngb("run", "study.yaml", "--no-report", *arguments)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def cells(self, results="results/test"):
        return {(cell["model"], cell["batch"]): cell for cell in self.show(results)["cells"]}

    def test_a_variant_that_computes_the_same_agrees_for_every_input(self):
        self.run_study(STUDY % RIGHT)
        cells = self.cells()
        for batch in (1, 8):
            cheap = cells["cheap", batch]
            self.assertEqual((cheap["variant_of"], cheap["exact_hash"]), ("exact", cells["exact", batch]["model_hash"]))
            metrics = cheap["metrics"]
            self.assertEqual(metrics["agreement_ratio"]["value"], 1)
            self.assertAlmostEqual(metrics["agreement_ratio"]["low"], 0.94337, places=5)  # Wilson's, of 64
            self.assertEqual(metrics["cosine_ratio"]["value"], 1)
            self.assertEqual(metrics["sqnr_db"]["reason"], "the outputs are equal for every input")
            self.assertEqual(metrics["agreement_input_count"]["value"], 64)
            self.assertEqual(cheap["reference"], "exact by null")
            self.assertGreater(metrics["speed_up_over_exact_ratio"]["value"], 0)
            self.assertEqual(cells["exact", batch]["metrics"]["agreement_ratio"]["reason"], "an exact model")
        # Only the first process of a cell compares all inputs.
        self.assertEqual(self.query("results/test", "SELECT process_index, count(*) FROM agreement JOIN process USING "
                                    "(process_key) GROUP BY process_index"), [(0, 128)])
        shown = self.ngb("show", "results/test", "--columns", "size,agreement,latency")
        self.assertRegex(shown.stdout, r"compiler +size +agreement \[95 %\] +p50")
        self.assertIn("cheap, batch 8, on local, variant of exact", shown.stdout)
        for columns, message in (("size,agrement", "no such column, did you mean agreement?"),
                                 ("latency,p50", "this column is named twice")):
            refused = self.ngb("show", "results/test", "--columns", columns)
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(message, refused.stderr)
        refused = self.ngb("show", "results/test", "--columns", "size", "--format", "csv")
        self.assertIn("csv and json have every column", refused.stderr)

    def test_a_variant_that_agrees_too_little_has_failed_and_has_its_agreement(self):
        self.run_study(STUDY % WRONG)
        wrong = self.cells()["cheap", 1]
        agreement = wrong["metrics"]["agreement_ratio"]["value"]
        self.assertLess(agreement, 1)
        self.assertIsNone(wrong["failure"])
        self.run_study(STUDY.replace("test", "least") % WRONG + "min_agreement: 1\n", code=4)
        failed = self.cells("results/least")["cheap", 1]
        self.assertEqual((failed["failure"]["kind"], failed["failure"]["phase"]), ("disagrees", "check"))
        self.assertIn("less than min_agreement: 1: compared with exact by null", failed["failure"]["message"])
        self.assertEqual(failed["metrics"]["agreement_ratio"]["value"], agreement)

    def test_a_variant_needs_the_inputs_of_its_exact_model(self):
        self.write("study.yaml", STUDY.replace("depth: 1, width: 16", "depth: 1, features: 32") % RIGHT)
        refused = self.ngb("plan", "study.yaml")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("a variant has the inputs of its exact model", refused.stderr)

    def test_choose_leaves_out_variants_that_agree_less_and_what_takes_more_disk(self):
        self.run_study(STUDY.replace("repetitions: 3", "repetitions: 40") % RIGHT)
        asked = ("choose", "results/test", "--latency", "p90=10s", "--load", "1/s", "--json")
        rows = json.loads(self.ngb(*asked, "--min-agreement", "1").stdout)
        self.assertEqual({row["fit"] for row in rows}, {"holds"})
        self.assertEqual({row["agreement_ratio"] for row in rows if row["model"] == "cheap"}, {1})
        self.assertEqual({row["agreement_ratio"] for row in rows if row["model"] == "exact"}, {None})
        small = json.loads(self.ngb(*asked, "--disk", "1B").stdout)
        self.assertEqual({(row["fit"], row["why"]) for row in small}, {("fails", "it takes more disk")})
        self.assertIn("expected a size", self.ngb(*asked, "--disk", "much").stderr)


def npy(path, code, shape, values):
    """Writes an array like numpy.save."""
    header = f"{{'descr': '<{code}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{ {'f4': 'f', 'i8': 'q'}[code]}", *values))


if __name__ == "__main__":
    unittest.main()
