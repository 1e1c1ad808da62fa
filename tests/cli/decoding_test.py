# SPDX-License-Identifier: Apache-2.0
"""Models that generate tokens: a repetition is a pass of steps, each of which feeds its outputs back."""

import json
import unittest

from ngb_program import TOOLCHAINS, NgbTest, without_toolchains

STUDY = """\
name: test
models:
  - zoo: {decoder: {width: 32, depth: 2, heads: 4, key_heads: 2, inner: 48, vocabulary: 50, positions: 256}}
    label: tiny
    phase: [prefill, decode]
    context: 20
    cache: %s
    new_tokens: 6
compilers: %s
batch_sizes: [2]
reference: %s
processes: 1
repetitions: 25
turns: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
"""
BLOCKS, KEY_HEADS, HEAD_WIDTH, BATCH, FLOAT = 2, 2, 8, 2, 4
ROW_BYTES = 2 * BLOCKS * BATCH * KEY_HEADS * HEAD_WIDTH * FLOAT  # of keys and values


COMPARED = """select model.label, compiler, compared_elements from output_check join process using (process_key)
join cell using (cell_key) join model using (model_key)"""


class DecodingTest(NgbTest):
    def cells(self, cache, compilers, reference, code=0):
        """The cells of a study by model and compiler. Its run ends with this exit code."""
        self.write("study.yaml", STUDY % (cache, compilers, reference))
        ended = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return {(cell["model"], cell["compiler_label"]): cell for cell in self.show("results/test")["cells"]}


class Decoding(DecodingTest):
    def test_what_a_first_visit_costs_is_in_the_first_pass_and_not_in_the_time_of_a_token(self):
        made_up = '["null": {options: {made_up_ns: 1000000, made_up_first_ns: 5000000}}]'
        cells = self.cells("delta", made_up, "none")
        told = {name: each["value"] for name, each in cells["tiny phase=decode", "null"]["metrics"].items()}
        self.assertAlmostEqual(told["first_pass_ratio"], 6, delta=0.06)  # half a percent of either
        self.assertAlmostEqual(told["time_per_token_s"], 0.001, delta=1e-5)
        self.assertAlmostEqual(told["time_per_token_p90_s"], 0.001, delta=1e-5)
        self.assertAlmostEqual(told["decode_tokens_per_s"], 2000, delta=20)
        self.assertEqual(told["cache_bytes"], 64 * ROW_BYTES)
        prompt = {name: each["value"] for name, each in cells["tiny phase=prefill", "null"]["metrics"].items()}
        self.assertAlmostEqual(prompt["prefill_tokens_per_s"], 2 * 20 / 0.001, delta=400)
        self.assertIsNone(prompt["time_per_token_s"])

    def test_what_a_cache_has_no_room_for_is_refused_before_anything_runs(self):
        self.write("study.yaml", (STUDY % ("static", '["null"]', "none")).replace("context: 20", "context: 20\n    capacity: 25"))
        ended = self.ngb("plan", "study.yaml")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("a cache of 25 rows has no room for a context of 20 and 6 new tokens", ended.stderr)


@unittest.skipIf(without_toolchains("identity", "onnxruntime", "openvino"),
                 without_toolchains("identity", "onnxruntime", "openvino"))
class DecodingForReal(DecodingTest):
    """Every step's logits, and the rows that a pass adds to the cache, are compared with the identity's."""

    def test_compilers_generate_what_the_identity_generates_whoever_feeds_back(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        cells = self.cells("[delta, static, scatter, growing]", "[identity, onnxruntime, openvino, onnx]", "identity", code=1)
        compared = {(label, compiler): count for label, compiler, count in self.query("results/test", COMPARED)}
        logits, rows = 6 * BATCH * 50, 6 * ROW_BYTES // FLOAT
        for form, compiler in ((form, compiler) for form in ("delta", "static", "scatter", "growing")
                               for compiler in ("identity", "onnxruntime", "openvino", "onnx")):
            with self.subTest(form=form, compiler=compiler):
                key = (f"tiny phase=decode cache={form}", compiler)
                cell = cells[key]
                if (form, compiler) == ("scatter", "openvino"):
                    self.assertEqual(cell["failure"]["kind"], "unsupported_operator")
                    continue
                self.assertIsNone(cell["failure"], cell["failure"])
                self.assertEqual(compared[key], logits + rows)
                metrics = {name: each["value"] for name, each in cell["metrics"].items()}
                copied = 0 if form != "delta" else ROW_BYTES
                if compiler == "onnx":  # the worker copies a whole cache; after the last step it has 26 rows
                    copied = {"delta": 1, "growing": 26}.get(form, 64) * ROW_BYTES
                self.assertEqual(metrics["copied_bytes_per_token"], copied)
                self.assertLess(metrics["max_absolute_error"], 1e-4)


if __name__ == "__main__":
    unittest.main()
