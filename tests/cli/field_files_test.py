# SPDX-License-Identifier: Apache-2.0
"""Files that users bring: as exporters, optimisers and toolkits write them, they are planned with advice that can be
pasted, tried, and measured."""
import json
import pathlib
import re
import subprocess
import unittest

from ngb_program import TOOLCHAINS, MeasuredTest, toolchain, without_toolchains

MAKER = pathlib.Path(__file__).resolve().with_name("field_files.py")
FAST = "disturbance: {max_wait_percent: 100}\nprocesses: 1\nwarm_up: 1\nrepetitions: 3\nmin_repetition_ms: 0\n"
OUTCOMES = ("SELECT label, compiler_label, batch, kind, reference FROM cell JOIN model USING (model_key) "
            "LEFT JOIN process USING (cell_key) LEFT JOIN failure USING (process_key) "
            "LEFT JOIN output_check USING (process_key)")

WHY_NOT = without_toolchains("identity", "onnxruntime")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class FieldTest(MeasuredTest):
    """Each test has the files, which are made once for a class."""
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def measure(self):
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        site = TOOLCHAINS / toolchain("identity") / manifest["site"]
        subprocess.run([manifest["python"], "-B", MAKER], cwd=self.folder, check=True, timeout=1500,
                       env={"PYTHONPATH": str(site), "HOME": str(self.folder)})

    def study(self, entries, compilers, **keys):
        keys = {"batch_sizes": "[1, 2]", **keys}
        return self.write("study.yaml", "models:\n" + "".join(f"  - {entry}\n" for entry in entries) +
                          f"compilers: [{', '.join(compilers)}]\n{FAST}" +
                          "".join(f"{key}: {value}\n" for key, value in keys.items()))


class Measuring(FieldTest):
    def outcomes(self, *arguments, **keys):
        """Return {(file, compiler, batch): (kind of failure, reference)}."""
        done = self.ngb("run", self.study(*arguments, **keys), "-o", "results", timeout=1800)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {(row[0], row[1].split()[0], row[2]): row[3:] for row in self.query("results", OUTCOMES)}

    def test_files_that_plain_onnxruntime_runs_have_numbers_here(self):
        """A value that only a branch uses; a wrong rank and a wrong extent of an output; what ONNX Runtime's optimiser
        and its quantiser write; a row padded by reflection; a split into one; a pool of a value of unknown rank."""
        files = ("constant_of_a_branch", "declared_rank", "declared_extent", "fused", "quantized", "pad_of_a_row",
                 "split_into_one", "pool_after_loop")
        found = self.outcomes([f"onnx: {name}.onnx" for name in files], ["identity", "onnxruntime"])
        self.assertEqual({key: kind for key, (kind, _) in found.items() if kind}, {})
        self.assertEqual(len(found), len(files) * 2 * 2)
        self.assertTrue(all(reference.startswith("identity ") for _, reference in found.values()))

    def test_a_map_is_left_out_and_the_other_outputs_are_compared(self):
        found = self.outcomes(["onnx: map_output.onnx"], ["onnxruntime"], reference="onnxruntime")
        self.assertEqual({kind for kind, _ in found.values()}, {None})
        self.assertEqual(self.query("results", "SELECT DISTINCT value FROM fact WHERE name = 'outputs_not_compared'"),
                         [("probabilities",)])
        counts = self.query("results", "SELECT batch, compared_elements FROM output_check JOIN process USING (process_key) "
                                       "JOIN cell USING (cell_key) JOIN model USING (model_key) ORDER BY batch")
        self.assertEqual(counts, [(1, 1), (2, 2)])  # the labels

    @unittest.skipIf(without_toolchains("openvino"), without_toolchains("openvino"))
    def test_a_failure_of_a_library_begins_with_the_node_and_what_is_wrong_with_it(self):
        self.outcomes(["onnx: batch_baked_in.onnx", "onnx: map_output.onnx", "onnx: mixed_types.onnx"], ["onnxruntime", "openvino"],
                      batch_sizes="[2]", reference="none")
        failures = self.query("results", "SELECT label, compiler, kind, message FROM failure JOIN process USING (process_key) "
                                         "JOIN cell USING (cell_key) JOIN model USING (model_key) ORDER BY label, compiler")
        self.assertEqual([row[:3] for row in failures], [("batch_baked_in", "onnxruntime", "compiler_failed"),
                                                         ("map_output", "openvino", "unsupported_operator"),
                                                         ("mixed_types", "onnxruntime", "invalid_model"),
                                                         ("mixed_types", "openvino", "unsupported_operator")])
        first = [row[3].splitlines()[0] for row in failures]
        self.assertRegex(first[0], r"^onnxruntime cannot run the model: MatMul node 'classifier': ")
        self.assertRegex(first[1], r"^openvino cannot read the model: Unsupported value_info type: probabilities")
        self.assertRegex(first[2], r"^onnxruntime cannot compile the model: Type Error: .*node \(sum\)")

    @unittest.skipIf(without_toolchains("iree", "tvm", "xla"), without_toolchains("iree", "tvm", "xla"))
    def test_other_front_ends_get_what_a_branch_uses_and_an_opset_that_they_know(self):
        files = ("constant_of_a_branch", "softmax_11", "softmax_13")
        found = self.outcomes([f"onnx: {name}.onnx" for name in files], ["identity", "iree", "tvm", "xla"], batch_sizes="[2]")
        self.assertEqual({kind for kind, _ in found.values()}, {None})
        self.assertEqual(len(found), len(files) * 4)


class Planning(FieldTest):
    """What fits after all is measured in one study of the class."""
    advised = ("question_marks", "time_first", "decoder_with_past")

    def measure(self):
        super().measure()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        entries = [self.entry(name, self.advice(name)[0]) for name in self.advised] + ["onnx: subnormal.onnx"]
        as_0 = "onnxruntime: {label: as_0, settings: {session.set_denormal_as_zero: 1}}"
        self.done = self.ngb("run", self.study(entries, ["identity", "onnxruntime", as_0]), "-o", "results", timeout=1500)

    def entry(self, name, keys):
        return f"onnx: {name}.onnx\n" + "".join(f"    {key}\n" for key in keys)

    def advice(self, name):
        """Return the keys that `ngb plan` advises for a file, after it has refused it."""
        planned = self.ngb("plan", self.study([f"onnx: {name}.onnx"], ["onnxruntime"]))
        self.assertEqual(planned.returncode, 2, planned.stdout + planned.stderr)
        self.assertEqual(planned.stderr.count("dimensions are open"), 1)  # not once for each batch size
        return re.findall(r"^    (\w+: \{.*\})$", planned.stderr, re.M), planned.stderr

    def assert_fits(self, name, keys):
        planned = self.ngb("plan", self.study([self.entry(name, keys)], ["onnxruntime"]))
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertNotIn("Note:", planned.stdout)
        self.assert_measured(name, "onnxruntime")

    def assert_measured(self, name, compiler):
        """Batches 1 and 2 by the identity and by the compiler with this label, without a failure."""
        done = self.measured.done
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        outcomes = [(row[1].split()[0], *row[2:4]) for row in self.query("results", OUTCOMES) if row[0] == name]
        self.assertEqual(sorted((label, batch, kind) for label, batch, kind in outcomes if label in ("identity", compiler)),
                         sorted((label, batch, None) for label in ("identity", compiler) for batch in (1, 2)))

    def test_height_and_width_without_names_may_differ(self):
        keys, _ = self.advice("question_marks")
        self.assertEqual(keys, ["shapes: {x: [batch, 3, 224, 320]}"])
        self.assert_fits("question_marks", keys)

    def test_a_dimension_that_is_named_batch_is_the_batch_wherever_it_is(self):
        keys, _ = self.advice("time_first")
        self.assertEqual(keys, ["dimensions: {time: 128}"])
        self.assert_fits("time_first", keys)
        self.assertEqual(self.query("results", "SELECT batch, shape_json FROM model_input JOIN model USING (model_key) "
                                               "WHERE label = 'time_first' ORDER BY batch"), [(1, "[128,1,8]"), (2, "[128,2,8]")])

    def test_all_open_dimensions_get_sizes_that_belong_together_and_tokens_the_range_of_their_table(self):
        keys, said = self.advice("decoder_with_past")
        self.assertEqual(keys, ["dimensions: {past_sequence: 16, sequence: 8, total_sequence: 24}",
                                "inputs: {attention_mask: {range: [1, 1]}, input_ids: {range: [0, 49]}}"])
        self.assertIn("shape inference accepts these sizes; ranges of attention_mask are guessed by name", said)
        self.assert_fits("decoder_with_past", keys)

    def test_a_batch_that_the_exporter_wrote_into_the_graph_is_found_with_its_node(self):
        planned = self.ngb("plan", self.study(["onnx: batch_baked_in.onnx"], ["onnxruntime"]))
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("the file leaves its batch open, but its graph fits batch size 1 and not 2: (op_type:MatMul, node "
                      "name: classifier): Incompatible dimensions for matrix multiplication", planned.stdout)

    def test_an_output_that_is_a_map_is_named_with_what_to_do(self):
        planned = self.ngb("plan", self.study(["onnx: map_output.onnx"], ["onnxruntime"]))
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn('"probabilities" (a sequence of maps); for a tensor instead, export with options={\'zipmap\': False}',
                      planned.stdout)

    def test_tokens_without_a_range_are_noted(self):
        entry = ("onnx: decoder_with_past.onnx\n    dimensions: {past_sequence: 16, sequence: 8, total_sequence: 24}")
        planned = self.ngb("plan", self.study([entry], ["onnxruntime"]))
        self.assertIn("\n    inputs: {input_ids: {range: [0, 49]}}", planned.stdout)

    def test_a_table_is_read_within_its_rows(self):
        keys, _ = self.advice("positions")
        self.assertEqual(keys, ["dimensions: {sequence: 32}", "inputs: {ids: {range: [0, 49]}}"])
        for given, said in (
                ("dimensions: {sequence: 40}\n    inputs: {ids: {range: [0, 50]}}",
                 'input "ids" goes to 50, its table has rows 0 to 49; give smaller dimensions or other ranges in the '
                 "model's entry, where these fit:\n    inputs: {ids: {range: [0, 49]}}"),
                ("dimensions: {sequence: 41}\n    inputs: {ids: {range: [0, 49]}}",
                 'Gather "pos" reads row 40 of a table with rows 0 to 39 at ids [1, 41]')):
            for command in (["plan"], ["run", "-o", "beyond"]):
                refused = self.ngb(*command, self.study([f"onnx: positions.onnx\n    {given}"], ["onnxruntime"]))
                self.assertEqual(refused.returncode, 2, refused.stdout + refused.stderr)
                self.assertIn(said, refused.stderr)
        self.assert_planned("onnx: positions.onnx\n    dimensions: {sequence: 40}\n    inputs: {ids: {range: [0, 49]}}")

    def assert_planned(self, entry, **keys):
        planned = self.ngb("plan", self.study([entry], ["onnxruntime"], **keys))
        self.assertEqual(planned.returncode, 0, planned.stderr)

    def test_what_is_counted_behind_a_batch_of_one_is_no_batch(self):
        keys, _ = self.advice("boxes")
        self.assertEqual(keys, ['dimensions: {"N": 16}'])
        self.assert_planned('onnx: boxes.onnx\n    dimensions: {"N": 16}', batch_sizes="[1]")

    def test_subnormal_weights_are_counted_and_may_be_taken_as_0(self):
        planned = self.ngb("plan", self.study(["onnx: subnormal.onnx"], ["onnxruntime"]))
        self.assertIn("1024 of 4096 weights are subnormal", planned.stdout)
        planned = self.ngb("plan", self.study(["onnx: subnormal_beside.onnx"], ["onnxruntime"]))
        self.assertIn("1024 of 4096 weights are subnormal", planned.stdout)
        self.assert_measured("subnormal", "as_0")


class Trying(FieldTest):
    def test_an_onnx_file_is_tried_with_the_usual_compilers(self):
        tried = self.ngb("plan", "--try", "fused.onnx", timeout=1500)
        self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)
        self.assertRegex(tried.stdout, r"fused, batch 1\n  identity +runs; outputs agree with those of identity ")
        self.assertRegex(tried.stdout, r"\n  onnxruntime +runs; outputs agree with those of identity ")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_dir() and "result" in path.name], [])

    def test_what_fails_says_why_and_what_must_be_given_is_advised(self):
        def tried_at(batch):
            return self.ngb("plan", "--try", self.study(["onnx: batch_baked_in.onnx"], ["onnxruntime"], batch_sizes=f"[{batch}]",
                                                        reference="none"), timeout=1500)

        tried = tried_at(1)
        self.assertEqual(tried.returncode, 0, tried.stderr)
        tried = tried_at(2)
        self.assertEqual(tried.returncode, 1, tried.stderr)
        self.assertRegex(tried.stdout, r"batch_baked_in, batch 2\n  onnxruntime  fails \(\w+\): onnxruntime cannot run the "
                                       r"model: .*classifier")
        self.assertIn("its graph fits batch size 1 and not 2", tried.stdout)
        tried = self.ngb("plan", "--try", "time_first.onnx")
        self.assertEqual(tried.returncode, 2)
        self.assertIn("\n    dimensions: {time: 128}", tried.stderr)


if __name__ == "__main__":
    unittest.main()
