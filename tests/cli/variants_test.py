# SPDX-License-Identifier: Apache-2.0
"""Variants of models: how they agree with their exact models, and what becomes of those that do not."""

import json
import os
import shutil
import struct
import subprocess
import unittest

from ngb_program import BIN, TOOLCHAINS, NgbTest, toolchain, without_toolchains

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


MODELS = """
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
for name, seed in (("a", 1), ("b", 2)):
    weights = numpy.random.default_rng(seed).normal(size=(64, 10)).astype("f4")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 10])],
                              [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name + ".onnx")
"""
# Files as PyTorch's exporters write them, quantised in each way; prints how well each agrees with its exact file.
EXPORTED = """
import itertools, json, os, sys, warnings
import numpy, onnx, onnxruntime, torch
from ngraphbench import quantise
warnings.simplefilter("ignore")
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                          torch.nn.Linear(8 * 36, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).eval()
for dynamo, opset in ((False, 18), (False, 20), (True, 18), (True, 23)):
    name = f"{'dynamo' if dynamo else 'tracing'}-{opset}"
    torch.onnx.export(net, (torch.zeros(2, 3, 8, 8),), name + "-apart.onnx", opset_version=opset, dynamo=dynamo,
                      input_names=["x"], verbose=False, **({"external_data": True} if dynamo else {}))
    whole = onnx.load(name + "-apart.onnx")
    onnx.save(whole, name + "-whole.onnx")
    if not dynamo:
        onnx.save(whole, name + "-apart.onnx", save_as_external_data=True, size_threshold=0, location=name + ".data")
    for form, is_static in itertools.product(("apart", "whole"), (False, True)):
        made = os.path.abspath(f"{name}-{form}-{is_static}.int8")
        quantise._quantise({"exact": f"{name}-{form}.onnx", "output": made, "how": "static" if is_static else "dynamic", "per_channel": False,
                            "method": "minmax", "exclude": [], "calibration_inputs": 8, "judging_rows": 64, "seed": 1,
                            "batch": 2, "inputs": [{"name": "x", "type": "f32", "shape": [2, 3, 8, 8]}]})
        x = numpy.random.default_rng(3).uniform(-1, 1, (2, 3, 8, 8)).astype("f4")
        exact, int8 = (onnxruntime.InferenceSession(path).run(None, {"x": x})[0].ravel() for path in (f"{name}-{form}.onnx", made))
        print(f"{name}-{form}", is_static, exact @ int8 / numpy.linalg.norm(exact) / numpy.linalg.norm(int8))
"""
OF_A_FILE = """\
name: test
models:
  - {onnx: m.onnx, label: exact}
  - {quantise: dynamic, variant_of: exact, label: int8}
compilers: [onnxruntime]
reference: onnxruntime
processes: 1
repetitions: 3
warm_up: 1
disturbance: {max_wait_percent: 100}
"""


class VariantsTest(NgbTest):
    def run_study(self, text, *arguments, code=0):
        self.write("study.yaml", text)
        ended = self.ngb("run", "study.yaml", "--no-report", *arguments)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def cells(self, results="results/test"):
        return {(cell["model"], cell["batch"]): cell for cell in self.show(results)["cells"]}


class Variants(VariantsTest):
    def test_a_variant_that_computes_the_same_agrees_for_every_input(self):
        self.run_study(STUDY % RIGHT)
        cells = self.cells()
        for batch in (1, 8):
            cheap = cells["cheap", batch]
            self.assertEqual((cheap["variant_of"], cheap["exact_hash"]), ("exact", cells["exact", batch]["model_hash"]))
            metrics = cheap["metrics"]
            self.assertEqual(metrics["agreement_ratio"]["value"], 1)
            self.assertAlmostEqual(metrics["agreement_ratio"]["low"], 0.943376, places=6)  # Wilson's, of 64
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
        for batch in (1, 8):  # a variant is listed below its exact model, at each batch size
            self.assertRegex(shown.stdout, rf"exact, batch {batch}, on local.*\n  null  .*\n  null, cheap  +31 B +1.00 \[")
        for columns, message in (("size,agrement", "no such column, did you mean agreement?"),
                                 ("latency,p50", "this column is named twice")):
            refused = self.ngb("show", "results/test", "--columns", columns)
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(message, refused.stderr)
        refused = self.ngb("show", "results/test", "--columns", "size", "--format", "csv")
        self.assertIn("csv and json have every column", refused.stderr)

    def test_a_variant_that_agrees_too_little_has_failed_and_has_its_agreement(self):
        # Images have no classes, so agreement is the cosine. Wrong outputs of the exact model are inaccurate.
        images = STUDY.replace("mlp: {", "conv_block: {image_size: 8, ") % WRONG
        self.run_study(images, code=1)
        cells = self.cells()
        self.assertEqual(cells["exact", 1]["failure"]["kind"], "inaccurate")
        wrong = cells["cheap", 1]
        self.assertIsNone(wrong["failure"])
        self.assertEqual(wrong["metrics"]["top1_agreement_ratio"]["reason"], "no output has classes")
        agreement = wrong["metrics"]["agreement_ratio"]["value"]
        self.assertLess(agreement, 0.9999)
        self.assertGreater(wrong["metrics"]["sqnr_db"]["value"], -20)
        self.run_study(images.replace("test", "least") + "min_agreement: 1\n", code=1)
        failed = self.cells("results/least")["cheap", 1]
        self.assertEqual((failed["failure"]["kind"], failed["failure"]["phase"]), ("disagrees", "check"))
        self.assertIn("less than min_agreement: 1", failed["failure"]["message"])
        self.assertIn("compared with exact by null", failed["failure"]["message"])
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
        self.assertLessEqual({row["fit"] for row in rows}, {"holds", "open"})  # open: its processes differ beside other work
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


@unittest.skipIf(without_toolchains("identity", "onnxruntime"), without_toolchains("identity", "onnxruntime"))
class MadeFiles(VariantsTest):
    """Files that are made before the plan, with the packages of toolchains."""

    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def test_a_model_is_quantised_once_and_compared_with_itself(self):
        study = """\
models:
  - {zoo: {mlp: {features: 16, width: 32, depth: 1, classes: 10}}, label: exact}
  - {quantise: dynamic, variant_of: exact}
  - {quantise: {static: {inputs: 8, per_channel: true}}, variant_of: exact}
compilers: [onnxruntime]
name: test
processes: 1
repetitions: 3
warm_up: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
"""
        ended = self.run_study(study)
        self.assertIn("making exact int8 dynamic, exact int8 static per channel with onnxruntime", ended.stderr)
        cells = self.cells()
        for label in ("exact int8 dynamic", "exact int8 static per channel"):
            metrics = cells[label, 1]["metrics"]
            self.assertGreater(metrics["sqnr_db"]["value"], 20)
            self.assertLess(metrics["sqnr_db"]["value"], 70)
            self.assertGreater(metrics["cosine_ratio"]["value"], 0.99)
            self.assertRegex(cells[label, 1]["reference"], "^exact by identity ")
        # The second plan finds the files, and the study that was kept with the results is the same one.
        again = self.ngb("run", "results/test/study.json", "--no-report")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("making", again.stderr)
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM cell"), [(3,)])

    def python(self, program):
        """Returns what a program prints that imports the packages of identity and onnxruntime, and ours."""
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        paths = [TOOLCHAINS / toolchain(name) / "site" for name in ("identity", "onnxruntime")]
        return subprocess.run([manifest["python"], "-c", program], cwd=self.folder, check=True, timeout=1500, capture_output=True,
                              text=True, env={"PYTHONPATH": ":".join(map(str, [*paths, BIN.parent / "lib/ngraphbench/python"])),
                                              "HOME": str(self.folder)}).stdout

    def test_files_of_both_exporters_are_quantised_with_their_data_beside_them_or_within(self):
        told = [line.split() for line in self.python(EXPORTED).splitlines() if line.startswith(("tracing", "dynamo"))]
        self.assertEqual(len(told), 16)
        self.assertEqual([line for line in told if float(line[2]) < 0.99], [])

    def test_nodes_stay_as_they_are_if_they_are_excluded_and_unknown_ones_are_named(self):
        self.ngb("models", "write", "mlp", "--batch", "dynamic", "-o", "m.onnx")
        names = self.python("import onnx\nfor node in onnx.load('m.onnx').graph.node: print(node.op_type, node.name)")
        first = next(line.split()[1] for line in names.splitlines() if line.startswith(("Gemm", "MatMul")))
        self.write("study.yaml", OF_A_FILE.replace("dynamic,", "{dynamic: {exclude: [%s]}}," % first))
        kept, _ = self.prepared()
        self.write("study.yaml", OF_A_FILE)
        whole, _ = self.prepared(but=kept)
        self.assertGreater(kept.stat().st_size, whole.stat().st_size, "its weights are f32")
        self.write("study.yaml", OF_A_FILE.replace("dynamic,", "{dynamic: {exclude: [%sx]}}," % first))
        refused = self.ngb("plan", "study.yaml")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn(f"exclude: no node {first}x, did you mean {first}?", refused.stderr)

    def test_rows_that_judge_do_not_calibrate_if_there_are_others(self):
        # All rows that judge are 0; those behind them reach 6, of which int8 makes steps of 6 / 255.
        self.write_models()
        npy(self.folder / "few.npy", "f4", "(64, 64)", [0.0] * 64 * 64)
        npy(self.folder / "more.npy", "f4", "(72, 64)", [0.0] * 64 * 64 + [float(i % 7) for i in range(8 * 64)])
        said = {}
        for name in ("few", "more"):
            self.write("study.yaml", OF_A_FILE.replace("label: exact", f"label: exact, inputs: {{x: {name}.npy}}")
                       .replace("dynamic,", "static,"))
            planned = self.ngb("plan", "study.yaml")
            self.assertEqual(planned.returncode, 0, planned.stderr)
            said[name] = planned.stderr
        self.assertIn("int8 is calibrated with the rows that judge it", said["few"])
        self.assertNotIn("that judge it", said["more"])
        steps = self.python("import glob, onnx, onnx.numpy_helper\nfor path in glob.glob('home/.cache/ngraphbench/prepared/*/static.onnx'):\n"
                            " for each in onnx.load(path).graph.initializer:\n"
                            "  if each.name == 'x_scale': print(onnx.numpy_helper.to_array(each))").split()
        self.assertIn(f"{6 / 255:.6f}", [f"{float(step):.6f}" for step in steps])

    def write_models(self):
        """Writes the files a.onnx and b.onnx: two networks that differ in their weights alone."""
        self.python(MODELS)
        shutil.copy(self.folder / "a.onnx", self.folder / "m.onnx")
        self.write("study.yaml", OF_A_FILE)

    def prepared(self, but=None):
        """Returns the int8 file of the study, made if there is none, and whether it was; `but` is another study's."""
        planned = self.ngb("plan", "study.yaml")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        made, = set(self.folder.glob("home/.cache/ngraphbench/prepared/*/dynamic.onnx")) - {but}
        return made, "making" in planned.stderr

    def test_what_was_prepared_is_made_anew_if_it_is_not_what_was_kept(self):
        self.write_models()
        path, is_made = self.prepared()
        self.assertTrue(is_made)
        right = path.read_bytes()
        for damage in (lambda: path.write_bytes(b""), lambda: path.write_bytes((self.folder / "b.onnx").read_bytes()),
                       lambda: path.write_bytes(right[:-1]), path.unlink):
            damage()
            path, is_made = self.prepared()
            self.assertEqual((is_made, path.read_bytes()), (True, right))
        self.assertFalse(self.prepared()[1])

    def test_a_file_that_is_replaced_while_it_is_quantised_is_quantised_as_it_was_hashed(self):
        self.write_models()
        python = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())["python"]
        self.write("swap", f"#!/bin/sh\ncase \"$*\" in *quantise*) cp b.onnx m.onnx;; esac\nexec {python} \"$@\"\n").chmod(0o755)
        own = self.folder / "own"
        for name in ("identity", "onnxruntime"):
            there, here = TOOLCHAINS / toolchain(name), own / toolchain(name)
            here.mkdir(parents=True)
            (here / "site").symlink_to(there / "site")
            manifest = json.loads((there / "manifest.json").read_text())
            (here / "manifest.json").write_text(json.dumps({**manifest, "python": str(self.folder / "swap")}))
        self.environment["NGB_TOOLCHAINS"] = str(own)
        swapped = self.prepared()[0].read_bytes()
        self.assertEqual((self.folder / "m.onnx").read_bytes(), (self.folder / "b.onnx").read_bytes(), "it was replaced")
        shutil.rmtree(self.folder / "home/.cache")
        shutil.copy(self.folder / "a.onnx", self.folder / "m.onnx")
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.assertEqual(self.prepared()[0].read_bytes(), swapped)

    def test_variants_are_measured_where_cache_and_toolchains_are_named_by_relative_paths(self):
        self.write_models()
        self.environment |= {"NGB_CACHE": "own", "NGB_TOOLCHAINS": os.path.relpath(TOOLCHAINS, self.folder)}
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        self.assertTrue(list(self.folder.glob("own/prepared/*/dynamic.onnx")))

    def test_accuracy_is_that_of_the_labels(self):
        # The compiler null hands its inputs on, so the class of a sample is where its largest number is.
        samples = [1.0 if place == sample else 0.0 for sample in range(4) for place in range(4)]
        npy(self.folder / "x.npy", "f4", "(4, 4)", samples)
        (self.folder / "y.txt").write_text("0\n1\n2\n2\n")
        study = STUDY.replace("width: 16}}, label: exact", "features: 4}}, label: exact, data: {arrays: x.npy, labels: y.txt}")
        study = study.replace("width: 16}}, label: cheap", "features: 4}}, label: cheap").replace("[1, 8]", "[1, 2]") % RIGHT
        self.run_study(study)
        for cell in self.cells().values():
            self.assertEqual(cell["metrics"]["top1_accuracy_ratio"]["value"], 0.75, cell["model"])
            self.assertEqual(cell["metrics"]["top5_accuracy_ratio"]["value"], 1)
        self.assertEqual(self.cells()["cheap", 2]["metrics"]["agreement_input_count"]["value"], 4)

    def test_labels_that_do_not_fit(self):
        npy(self.folder / "x.npy", "f4", "(4, 4)", [0.0] * 16)
        model = "models: [{zoo: {mlp: {features: 4}}, data: {%s, labels: y.txt}}]\ncompilers: ['null']\nreference: none\n"
        (self.folder / "pictures").mkdir()
        (self.folder / "pictures/a.png").write_text("no image")
        for labels, data, message in (("0 1 2", "arrays: x.npy", "3 labels for 4 samples"),
                                      ("0 1 2 cat", "arrays: x.npy", "cat is no class; classes are numbers from 0 on"),
                                      ("0", "images: pictures", "images are [batch, 3, height, width]"),
                                      ("0", "arrays: pictures", "there is no .npy file in this folder")):
            (self.folder / "y.txt").write_text(labels)
            self.write("study.yaml", model % data)
            refused = self.ngb("plan", "study.yaml")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(message, refused.stderr)
        (self.folder / "y.txt").write_text("0 1 2 9")
        self.write("study.yaml", model % "arrays: x.npy" + "processes: 1\nrepetitions: 3\nwarm_up: 1\nname: test\n")
        self.ngb("run", "study.yaml", "--no-report")
        failure = self.show("results/test")["cells"][0]["failure"]
        self.assertEqual(failure["kind"], "invalid_model")
        self.assertIn('label 9 is none of the 4 classes of output "input"', failure["message"])


if __name__ == "__main__":
    unittest.main()
