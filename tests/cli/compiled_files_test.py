# SPDX-License-Identifier: Apache-2.0
"""Compiled files as models: OpenVINO's .xml, ONNX Runtime's .ort and LiteRT's .tflite, as the libraries' own tools write
them."""

import json
import os
import shutil
import subprocess
import unittest

from export_test import installed, site
from ngb_program import TOOLCHAINS, MeasuredTest

# y = x @ weight for x of [1, 64], in the form of each library.
NET = """
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
weight = numpy_helper.from_array(numpy.random.default_rng(1).standard_normal((64, 64), numpy.float32), "weight")
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64]) for name in "xy")
graph = helper.make_graph([helper.make_node("MatMul", ["x", "weight"], ["y"])], "net", [x], [y], [weight])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "net.onnx")
"""
OPENVINO = "import openvino as ov; ov.save_model(ov.convert_model('net.onnx'), 'net.xml', compress_to_fp16=False)"
ORT = """
import onnxruntime as ort
options = ort.SessionOptions()
options.optimized_model_filepath = "net.ort"
options.add_session_config_entry("session.save_model_format", "ORT")
ort.InferenceSession("net.onnx", options, providers=["CPUExecutionProvider"])
"""
# The same file with an operator of one's own.
CUSTOM = """
from ai_edge_quantizer.utils import tfl_flatbuffer_utils
model = tfl_flatbuffer_utils.read_model("net.tflite")
operator = model.operatorCodes[0]
operator.builtinCode = operator.deprecatedBuiltinCode = 32  # CUSTOM
operator.customCode = b"Mine"
tfl_flatbuffer_utils.write_model(model, "custom.tflite")
"""
NEEDED = ("identity", "onnxruntime", "openvino")
STUDY = """\
models:
  - {onnx: net.onnx, label: source}
  - {file: net.xml, variant_of: source}
  - {file: net.ort}
compilers: [identity, onnxruntime, openvino]
processes: 1
repetitions: 6
disturbance: {max_wait_percent: 100}
output: results
"""


def run_python(compiler, program, folder, **variables):
    subprocess.run(["/usr/bin/python3", "-c", program], cwd=folder, check=True, capture_output=True,
                   env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([site(compiler), site("identity")]),
                        "HOME": str(folder), **variables})


class MeasuredFiles(MeasuredTest):
    """A test of files that its class measured into the folder `results`."""

    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def cells(self, results="results"):
        shown = json.loads(self.ngb("show", results, "--json").stdout)
        return {(cell["model"], cell["compiler"]): cell for cell in shown["cells"]}


@unittest.skipUnless(all(map(installed, NEEDED)), "no toolchains of identity, onnxruntime and openvino on this machine")
class CompiledFiles(MeasuredFiles):
    def measure(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        run_python("identity", NET, self.folder)
        run_python("openvino", OPENVINO, self.folder)
        run_python("onnxruntime", ORT, self.folder)
        self.write("study.yaml", STUDY)
        run = self.ngb("run", "study.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_file_is_measured_by_the_compiler_that_it_is_for_and_by_no_other(self):
        cells = self.cells()
        self.assertEqual(sorted(key for key in cells if key[0] != "source"), [("net.ort", "onnxruntime"), ("net.xml", "openvino")])
        for key, cell in cells.items():
            self.assertGreater(cell["metrics"]["throughput_per_s"]["value"], 0, key)

    def test_a_variant_has_agreement_with_its_source_and_another_file_is_not_checked(self):
        cells = self.cells()
        self.assertGreater(cells["net.xml", "openvino"]["metrics"]["sqnr_db"]["value"], 80)
        reasons = [reason for reason, in self.query("results", """\
            SELECT DISTINCT reference_reason FROM output_check JOIN process USING (process_key) JOIN cell USING (cell_key)
            JOIN model USING (model_key) WHERE label = 'net.ort'""")]
        self.assertEqual(reasons, ["it is a compiled file, which nothing else can run; the key variant_of names what it was made of"])

    def test_the_model_size_is_that_of_its_files(self):
        size = (self.folder / "net.xml").stat().st_size + (self.folder / "net.bin").stat().st_size
        self.assertEqual(self.cells()["net.xml", "openvino"]["metrics"]["model_size_bytes"]["value"], size)

    def test_the_version_that_made_an_xml_file_is_a_fact(self):
        facts = dict(self.query("results", "SELECT name, value FROM fact JOIN process USING (process_key) JOIN cell USING (cell_key) "
                                           "JOIN model USING (model_key) WHERE label = 'net.xml'"))
        # "2026.4.1-21500-…" wrote "2026.4.1-21500-…", as its own version is.
        self.assertEqual(facts["made_by_version"].split("-")[0], facts["version"].split("-")[0])

    def test_a_file_that_changes_while_it_is_measured_is_noticed(self):
        for ending in ("xml", "bin"):
            shutil.copy(self.folder / f"net.{ending}", self.folder / f"other.{ending}")
        weights = self.folder / "other.bin"
        self.write("changes.yaml", "models: [{file: other.xml}]\ncompilers: [openvino]\nprocesses: 2\nrepetitions: 6\n"
                                   f"loads: [{{command: 'printf x >> {weights}; exec sleep 600'}}]\n"
                                   "disturbance: {max_wait_percent: 100}\noutput: changed\n")
        run = self.ngb("run", "changes.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("other.bin has changed wh", run.stdout)  # cut at the width of a pipe

    def test_one_line_measures_a_file(self):
        run = self.ngb("run", "net.ort", "--no-report", timeout=1500)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)  # other programs may disturb it
        self.assertRegex(run.stdout, r"1 cell: (1 measured|0 measured, 1 disturbed)")
        self.assertIn('- file: "../net.ort"\n', (self.folder / "results/net.yaml").read_text())

    def test_wrong_files_are_refused_by_name(self):
        plan = "models: [{{file: {0}}}]\ncompilers: [{1}]\n"
        shutil.copy(self.folder / "net.onnx", self.folder / "renamed.ort")
        (self.folder / "cut.ort").write_bytes((self.folder / "net.ort").read_bytes()[:2000])
        shutil.copy(self.folder / "net.xml", self.folder / "alone.xml")
        for file, compiler, what in (("cut.ort", "onnxruntime", "cut.ort: it cannot be read: "),
                                     ("alone.xml", "openvino", "alone.bin: no such file, which has the weights of alone.xml"),
                                     ("net.xml", "onnxruntime", "none of its compilers runs .xml files; add openvino"),
                                     ("net.onnx", "onnxruntime", "no compiler runs files that end so; known are "
                                      ".engine, .mnn, .ort, .param, .plan, .pt, .pt2, .pte, .tflite, .vmfb, .xml"),
                                     ("absent.xml", "openvino", "absent.xml: no such file")):
            with self.subTest(file):
                self.write("wrong.yaml", plan.format(file, compiler))
                refused = self.ngb("plan", "wrong.yaml")
                self.assertEqual(refused.returncode, 2, refused.stdout)
                self.assertIn(what, refused.stderr)

    def test_another_batch_size_than_the_files_is_refused(self):
        run_python("identity", NET.replace("[1, 64]", "[4, 64]").replace("net.onnx", "four.onnx"), self.folder)
        run_python("openvino", OPENVINO.replace("net.", "four."), self.folder)
        for name, batch in (("net", 8), ("four", 1)):
            self.write("wrong.yaml", f"models: [{{file: {name}.xml}}]\ncompilers: [openvino]\nbatch_sizes: [{batch}]\n")
            refused = self.ngb("plan", "wrong.yaml")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(f"{name}.xml: it was compiled for another batch size than {batch}", refused.stderr)

    def test_no_program_is_exported_of_it(self):
        refused = self.ngb("export", "results", "--model", "net.ort", "-o", "program")
        self.assertEqual(refused.returncode, 3, refused.stdout + refused.stderr)
        self.assertIn("it is a compiled file, for which programs are not written yet", refused.stderr)

    @unittest.skipUnless(installed("litert"), "no toolchain of litert on this machine")
    def test_a_tflite_file_runs_in_litert(self):
        self.write("made.yaml", "models: [{onnx: net.onnx}]\ncompilers: [litert]\nprocesses: 1\nrepetitions: 6\n"
                                "disturbance: {max_wait_percent: 100}\noutput: made\n")
        run = self.ngb("run", "made.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        exported = self.ngb("export", "made", "-o", "program", timeout=1500)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        shutil.copy(self.folder / "program/model.tflite", self.folder / "net.tflite")
        self.write("tflite.yaml", "models: [{onnx: net.onnx, label: source}, {file: net.tflite, variant_of: source}]\n"
                                  "compilers: [litert]\nprocesses: 1\nrepetitions: 6\nthreads: 1\n"
                                  "disturbance: {max_wait_percent: 100}\noutput: tflite\n")
        run = self.ngb("run", "tflite.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        cells = self.cells("tflite")
        self.assertGreater(cells["net.tflite", "litert"]["metrics"]["throughput_per_s"]["value"], 0)
        run_python("litert", CUSTOM, self.folder)
        self.write("tflite.yaml", "models: [{file: custom.tflite}]\ncompilers: [litert]\n")
        self.assertIn("custom.tflite: it cannot be read: Encountered unresolved custom op: Mine.",
                      self.ngb("plan", "tflite.yaml").stderr)


if __name__ == "__main__":
    unittest.main()
