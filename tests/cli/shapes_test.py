# SPDX-License-Identifier: Apache-2.0
"""Models that meet several shapes: in one session by turns, compiled for any, or padded (docs/shapes.md)."""

import pathlib
import shutil
import unittest

from ngb_program import TOOLCHAINS, NgbTest, without_toolchains

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"
KEYS = """compilers: %s
batch_sizes: [2]
reference: %s
processes: 3
repetitions: 20
turns: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
"""


def field(number, content):
    """A field of a protobuf message: a number, or bytes with their length."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    content = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2, len(content)]) + content


def value_info(name):
    extents = b"".join(field(1, each) for each in (field(2, "batch"), field(2, "sequence"), field(1, 4)))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, extents)))


# An ONNX file whose output is its input, of [batch, sequence, 4].
FILE = field(1, 8) + field(7, field(1, field(1, "x") + field(2, "y") + field(4, "Identity")) + field(2, "copy") +
                           field(11, value_info("x")) + field(12, value_info("y"))) + field(8, field(2, 17))


class ShapesTest(NgbTest):
    def write_study(self, models, compilers='["null"]', reference="none"):
        (pathlib.Path(self.folder) / "net.onnx").write_bytes(FILE)
        return self.write("study.yaml", "name: test\nmodels:\n" + models + KEYS % (compilers, reference))

    def run_study(self, *study, code=0, processes=3):
        path = self.write_study(*study)
        path.write_text(path.read_text().replace("processes: 3", f"processes: {processes}"))
        ended = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)

    def series(self, name):
        """The values of a series by subject and compiler."""
        return {(each["subject"], each["compiler"].partition(" ")[0]): each["value"]
                for each in self.show("results/test")["series"]["values"] if each["series"] == name}

    def refusal(self, models):
        self.write_study(models)
        ended = self.ngb("plan", "study.yaml")
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        return ended.stderr


class Shapes(ShapesTest):
    def test_what_a_first_visit_costs_is_in_the_first_visit_and_not_in_later_ones(self):
        self.run_study("  - {onnx: net.onnx, dynamic: [sequence], shapes_in_one_session: [{sequence: 16}, {sequence: 128}]}\n",
                       '["null": {options: {made_up_ns: 1000000, made_up_first_ns: 5000000}}]')
        for length in (16, 128):
            subject = f"net in one session dynamic, sequence={length}", "null"
            self.assertAlmostEqual(self.series("shape_first_visit_s")[subject], 0.006, delta=6e-5)
            self.assertAlmostEqual(self.series("shape_second_visit_s")[subject], 0.001, delta=1e-5)
            self.assertAlmostEqual(self.series("shape_later_visits_s")[subject], 0.001, delta=1e-5)
        facts = dict(self.query("results/test", "select name, value from fact join process using (process_key)"))
        self.assertEqual(facts["sessions_of_shapes"], "1")

    def test_a_mix_is_visited_in_its_shares_by_a_session_for_each_shape_that_is_compiled(self):
        self.run_study("  - {onnx: net.onnx, shapes_in_one_session: [{sequence: 16}, {sequence: 128}], mix: [0.75, 0.25]}\n",
                       '["null": {options: {run_ns: 100000}}]')
        visits = self.query("results/test", "select distinct quantity, value from reading where moment = 'shape' and unit = '1'")
        self.assertEqual(sorted(visits), [("sequence=128", 1), ("sequence=16", 3)])
        facts = dict(self.query("results/test", "select name, value from fact join process using (process_key)"))
        self.assertEqual(facts["sessions_of_shapes"], "2")
        [cell] = self.show("results/test")["cells"]
        self.assertLess(cell["metrics"]["throughput_per_s"]["value"], 2 / 100e-6)  # a batch of 2 takes 100 us or more

    def test_lengths_as_traffic_has_them_count_for_the_smallest_shape_that_holds_them(self):
        self.write("lengths.txt", "3\n16\n17\n90\n")
        self.run_study("  - {onnx: net.onnx, pad_to: 64, mix: lengths.txt, shapes_in_one_session: "
                       "[{sequence: 16}, {sequence: 64}, {sequence: 100}]}\n")
        visits = self.query("results/test", "select distinct quantity, value from reading where moment = 'shape' and unit = '1'")
        self.assertEqual(sorted(visits), [("sequence=100", 1), ("sequence=16", 2), ("sequence=64", 1)])
        facts = dict(self.query("results/test", "select name, value from fact join process using (process_key)"))
        self.assertEqual(facts["sessions_of_shapes"], "2")  # of 64 and of 128

    def test_wrong_shapes_are_refused_with_the_nearest_word(self):
        session = "  - {onnx: net.onnx, shapes_in_one_session: [{%s: 16}, {%s: 128}]%s}\n"
        self.assertIn("no such open dimension, did you mean sequence?", self.refusal(session % ("sequnce", "sequnce", "")))
        self.assertIn("the shares add up to 0.9, expected 1", self.refusal(session % ("sequence", "sequence", ", mix: [0.5, 0.4]")))
        self.assertIn("each shape has the dimensions of the first: sequence", self.refusal(session % ("sequence", "rows", "")))
        self.assertIn("shapes_in_one_session gives sequence; remove it here",
                      self.refusal(session % ("sequence", "sequence", ", dimensions: {sequence: 8}")))
        self.assertIn("what is compiled for any size needs no padding",
                      self.refusal(session % ("sequence", "sequence", ", dynamic: [sequence], pad_to: 64")))
        self.assertIn("sequnce: unknown dimension, did you mean sequence?",
                      self.refusal("  - {onnx: net.onnx, dimensions: {sequence: 16}, dynamic: [sequnce]}\n"))
        self.write("lengths.txt", "3\n200\n")
        self.assertIn("lengths.txt: line 2: no shape holds a length of 200",
                      self.refusal(session % ("sequence", "sequence", ", mix: lengths.txt")))


WHY_NOT = without_toolchains("identity", "onnxruntime", "openvino")
ENTRY = """  - pytorch: text_encoder.py:encoder
    label: encoder
    parameters: {vocabulary: 50, width: 32, layers: 1, heads: 2, positions: 64}
    shapes: {input_ids: [batch, sequence], attention_mask: [batch, sequence]}
    inputs: {input_ids: {type: i64, range: [0, 49]}, attention_mask: {type: i64, range: [1, 1]}}
"""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class ShapesForReal(ShapesTest):
    """The outputs of each shape are compared with the identity's for that shape."""

    COMPARED = """select compiler, compared_elements, max_absolute_error from output_check join process using (process_key)
join cell using (cell_key) where process_index = 0"""

    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        shutil.copy(STUDIES / "text_encoder.py", self.folder)

    def test_one_session_or_one_for_each_shape_computes_what_the_identity_does(self):
        for dynamic, compilers in (("", "[identity, onnxruntime, openvino, torchscript]"),
                                   ("    dynamic: [sequence]\n", "[identity, onnxruntime, openvino]")):
            with self.subTest(dynamic):
                self.run_study(ENTRY + dynamic + "    shapes_in_one_session: [{sequence: 8}, {sequence: 24}]\n", compilers, "identity", processes=1)
                found = {compiler: (count, error) for compiler, count, error in self.query("results/test", self.COMPARED)}
                self.assertEqual(len(found), 3 if dynamic else 4)
                for compiler, (count, error) in found.items():
                    self.assertEqual(count, 2 * 2 * 32, compiler)  # two shapes, a batch of 2, 32 features
                    self.assertLess(error, 1e-4, compiler)
                shutil.rmtree(pathlib.Path(self.folder) / "results")

    def test_any_and_padded_stand_beside_the_shape_s_own_and_what_cannot_is_a_result(self):
        at = "    dimensions: {sequence: 24}\n"
        self.run_study(ENTRY + at + ENTRY + at + "    dynamic: [sequence]\n" + ENTRY + at + "    pad_to: 32\n",
                       "[onnxruntime, torchscript]", "identity", code=1, processes=1)
        cells = {(cell["model"], cell["compiler_label"]): cell for cell in self.show("results/test")["cells"]}
        failed = cells["encoder dynamic", "torchscript"]["failure"]
        self.assertEqual(failed["kind"], "invalid_option")
        self.assertIn("torchscript compiles for one shape; it has no dynamic shapes", failed["message"])
        self.assertEqual({label for (label, _), cell in cells.items() if cell["failure"] is None},
                         {"encoder", "encoder dynamic", "encoder pad_to=32"})
        self.assertEqual({subject for subject, _ in self.series("compiled_shapes_ratio")},
                         {"encoder dynamic", "encoder pad_to=32"})


if __name__ == "__main__":
    unittest.main()
