# SPDX-License-Identifier: Apache-2.0
"""Measured cells as programs that need nothing of ngb, and such programs held against ngb's own measurement."""

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest

from ngb_program import OWNER, TOOLCHAINS, MeasuredTest, NgbTest, toolchain

STUDY = """\
name: test
models:
  - zoo: {{conv_block: {{width: 192, image_size: 8}}}}  # of 1.3 MB, so that its weights are in a file beside it
compilers: [{compilers}]
batch_sizes: [1]
processes: {processes}
compile: once
repetitions: 10
disturbance: {{max_wait_percent: 100}}
"""


def installed(compiler):
    return (TOOLCHAINS / toolchain(OWNER.get(compiler, compiler))).exists()


def site(compiler):
    return str(TOOLCHAINS / toolchain(OWNER.get(compiler, compiler)) / "site")


def run_program(compiler, folder, *arguments, **variables):
    """Runs run.py with the library alone: neither variables (but the given ones) nor folders lead to ngb."""
    path = os.pathsep.join([site(compiler), site("identity")])  # the latter for NumPy and PyTorch
    return subprocess.run(["/usr/bin/python3", "run.py", *arguments], cwd=folder, capture_output=True, text=True, timeout=1500,
                          env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1",
                               **variables})


class ExportingTest(MeasuredTest):
    """Cells of those of COMPILERS that are installed."""

    COMPILERS = ()
    PROCESSES = 1
    THREADS = 1

    def measure(self):
        self.there = [each for each in self.COMPILERS if installed(each)]
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.write("study.yaml", STUDY.format(compilers=", ".join(self.there), processes=self.PROCESSES) +
                   f"threads: {self.THREADS}\n")
        run = self.ngb("run", "study.yaml", "--no-report", timeout=1500)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)

    def setUp(self):
        if "identity" not in self.measured.there:
            self.skipTest("no toolchain of identity, which makes the expected outputs, on this machine")
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def export(self, compiler, folder=None):
        exported = self.ngb("export", "results/test", "--compiler", compiler, "-o", folder or compiler)
        self.assertEqual(exported.returncode, 0, exported.stdout + exported.stderr)
        return self.folder / (folder or compiler)



class Exporting(ExportingTest):
    COMPILERS = ("identity", "onnxruntime")
    PROCESSES = 2

    def measure(self):
        """Exports the identity's cell too, into the folder "exported"."""
        super().measure()
        if "identity" in self.there:
            self.export("identity", "exported")

    def test_a_folder_has_the_measured_file_and_the_number(self):
        if "onnxruntime" not in self.measured.there:
            self.skipTest("no toolchain of onnxruntime on this machine")
        folder = self.export("onnxruntime")
        cell = json.loads((folder / "cell.json").read_text())
        row, = [each for each in self.show("results/test")["cells"] if each["compiler"] == "onnxruntime"]
        self.assertEqual(cell["cell"], row["cell_id"])
        self.assertAlmostEqual(cell["number"]["samples_per_s"], row["metrics"]["throughput_per_s"]["value"])
        self.assertEqual(cell["number"]["low"], row["metrics"]["throughput_per_s"]["low"])
        model, = folder.glob("*.onnx")
        both = cell["files"][model.name] + cell["files"][model.name + ".data"]
        self.assertEqual(self.query("results/test", "SELECT DISTINCT model_sha256 FROM made_with"),
                         [(hashlib.sha256(both.encode()).hexdigest(),)])

    def test_a_folder_names_the_packages_and_has_no_file_that_its_program_does_not_read(self):
        folder = self.folder / "exported"
        cell = json.loads((folder / "cell.json").read_text())
        self.assertEqual(sorted(cell["files"]), ["README.md", "expected_0.npy", "input_0.npy", "module.pt2", "requirements.txt", "run.py"])
        requirements = (folder / "requirements.txt").read_text()
        self.assertRegex(requirements, r"torch==[\d.]+(\+\w+)? --hash=sha256:[0-9a-f]{64}\n")
        self.assertIn("numpy==", requirements)
        self.assertLessEqual(len((folder / "README.md").read_text().splitlines()), 25)
        self.assertEqual(cell["facts"]["version"].split("+")[0], toolchain("identity").name)

    def test_a_dockerfile_installs_the_requirements_and_runs_the_program(self):
        exported = self.ngb("export", "results/test", "--compiler", "identity", "--docker", "-o", "docker")
        self.assertIn("Or: docker build -t program docker && docker run --rm program\n", exported.stdout)
        python = ".".join(map(str, sys.version_info[:2]))  # of the python3 with which toolchains are installed
        lines = (self.folder / "docker/Dockerfile").read_text().splitlines()
        self.assertEqual(lines[1:], ["# docker build -t program . && docker run --rm program", f"FROM python:{python}-slim",
                                     "WORKDIR /program", "COPY requirements.txt .",
                                     "RUN pip install --no-cache-dir --no-deps -r requirements.txt", "COPY . .",
                                     'CMD ["python", "run.py", "--again"]'])
        refused = self.ngb("export", "results/test", "--compiler", "identity", "--docker", "--form", "cpp", "-o", "new")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--docker: it is written for run.py only", refused.stderr)

    def test_a_run_ends_with_the_line_that_exports_its_fastest(self):
        again = self.ngb("run", "study.yaml", "--no-report")
        line, = [each for each in again.stdout.splitlines() if "ngb export" in each]
        self.assertRegex(line, r"^To get this number in a program of your own \(conv_block .*, f32\): ngb export results/test --fastest -o program$")
        typed = self.ngb(*line.partition(": ngb ")[2].split())
        self.assertEqual(typed.returncode, 0, typed.stderr)
        self.assertTrue((self.folder / "program/run.py").exists())

    def test_wrong_outputs_are_noticed_before_anything_is_measured(self):
        folder = self.folder / "exported"
        expected = (folder / "expected_0.npy").read_bytes()
        (folder / "expected_0.npy").write_bytes(expected[:-64] + b"\x7e" * 64)  # f32 of 8e37
        ran = run_program("identity", folder)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn("AssertionError: output 0 is not expected_0.npy in 16 of ", ran.stderr)
        self.assertNotIn("samples/s", ran.stdout)

    def test_a_folder_is_verified_in_turns_and_a_changed_option_is_named(self):
        compiler = "onnxruntime" if "onnxruntime" in self.measured.there else "identity"
        folder = self.export(compiler, "program")
        verified = self.ngb("export", "--verify", "program", "--processes", "3", timeout=1500)
        self.assertIn(verified.returncode, (0, 4, 5), verified.stderr)  # how fast it is depends on what else runs here
        self.assertRegex(verified.stdout, r"^(as fast \(within 3 %\)|differs: .*|not decided: .*); program / ngb: [\d.]+ \[")
        self.assertEqual(len(re.findall(r"turn \d of 3: ngb \S+, the program \S+ samples/s", verified.stderr)), 3)
        stored = json.loads((folder / "cell.json").read_text())["verified"]
        self.assertTrue(verified.stdout.startswith(stored["words"]))
        self.assertEqual([len(stored["ngb"]), len(stored["program"])], [3, 3])
        again = run_program(compiler, folder, "--again")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stdout, r"p50 \S+ ms, p90 \S+ ms, \S+ samples/s; \d+ page faults an inference")
        self.assertRegex(again.stdout, r"\nngb: [\d.e+]+ samples/s \[[\d.e+]+, [\d.e+]+\]\n")
        self.assertEqual(again.stdout.splitlines()[-1], "verified: " + stored["words"])

        program = (folder / "run.py").read_text()
        (folder / "run.py").write_text(re.sub(r"^options\.graph_opt.*$|^torch.set_flush.*$", "pass  # changed", program, count=1,
                                              flags=re.MULTILINE))
        changed = self.ngb("export", "--verify", "program", "--processes", "3", timeout=1500)
        self.assertRegex(changed.stdout, r"\n  run\.py was changed, line \d+: pass  # changed\n")

    def test_a_snippet_is_the_session_and_its_call(self):
        for compiler in {"identity", "onnxruntime"} & set(self.measured.there):
            printed = self.ngb("export", "results/test", "--compiler", compiler, "--form", "snippet")
            self.assertEqual(printed.returncode, 0, printed.stderr)
            compile(printed.stdout, "snippet", "exec")
            self.assertIn("def infer(*given):", printed.stdout)
            self.assertNotIn("percentile", printed.stdout)

    def test_what_cannot_be_exported_says_why(self):
        for arguments, code, message in (
                (("results/test", "--compiler", "identity", "-o", "exported"), 2, "exported: it exists already"),
                (("results/test", "--compiler", "identity"), 2, "no folder is named; give -o a new name"),
                (("results/test", "--compiler", "identty", "-o", "new"), 2, "did you mean identity?"),
                (("results/test", "ffffffffffffffff", "-o", "new"), 2, "no cell has an id that begins so"),
                (("results/test", "-o", "new"), 2, "cells are meant, and one can be exported at a time; name one by its id"),
                (("nowhere", "-o", "new"), 2, "nowhere"),
                (("--verify", "results/test"), 3, "it has no cell.json; name a folder that ngb export has written")):
            refused = self.ngb("export", *arguments)
            self.assertEqual(refused.returncode, code, refused.stdout + refused.stderr)
            self.assertIn(message, refused.stderr)
            self.assertFalse((self.folder / "new").exists())
        cell = self.folder / "exported/cell.json"
        cell.write_text(re.sub(r'"cpu_model": "[^"]*"', '"cpu_model": "Another"', cell.read_text()))
        elsewhere = self.ngb("export", "--verify", "exported")
        self.assertEqual(elsewhere.returncode, 3)
        self.assertIn("it was measured on another machine (Another; this is ", elsewhere.stderr)
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        gone = self.ngb("export", "results/test", "--compiler", "identity", "-o", "new")
        self.assertEqual(gone.returncode, 3)
        self.assertIn("the toolchain is not installed any more; run: ngb toolchain install identity@", gone.stderr)

    def test_outputs_that_this_machine_no_longer_keeps_are_made_again(self):
        kept = self.folder / "exported"
        for each in [*self.folder.glob("home/.cache/**/*.ref"), *self.folder.glob("results/**/*.ref")]:
            each.unlink()
        # Hardly any process would count beside other programs: outputs need no quiet machine.
        with sqlite3.connect(self.folder / "results/test/results.db") as database:
            database.execute("UPDATE run SET study_json = json_set(study_json, '$.disturbance.max_wait_percent', 0.1)")
        made = self.export("identity", "made")
        self.assertEqual((made / "expected_0.npy").read_bytes(), (kept / "expected_0.npy").read_bytes())


# A file whose weights are in another one, as exporters write large ones.
WEIGHTS_BESIDE = """
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
weight = numpy_helper.from_array(numpy.linspace(-1, 1, 64 * 64, dtype=numpy.float32).reshape(64, 64), "weight")
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 64]) for name in "xy")
graph = helper.make_graph([helper.make_node("MatMul", ["x", "weight"], ["y"])], "net", [x], [y], [weight])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
onnx.save_model(model, "net.onnx", save_as_external_data=True, location="net.bin", size_threshold=0)
"""


class UsersFile(NgbTest):
    @unittest.skipUnless(installed("onnxruntime") and installed("identity"), "no toolchains of onnxruntime and identity here")
    def test_weights_beside_the_file_come_along_and_a_cell_beside_a_load_is_refused(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        subprocess.run(["/usr/bin/python3", "-c", WEIGHTS_BESIDE], cwd=self.folder, check=True,
                       env={"PATH": os.environ["PATH"], "PYTHONPATH": site("identity"), "HOME": str(self.folder)})
        self.write("study.yaml", "models: [{onnx: net.onnx}]\ncompilers: [onnxruntime]\nprocesses: 1\nrepetitions: 6\n"
                                 "loads: [none, {cpu: 1}]\ndisturbance: {max_wait_percent: 100}\noutput: results\n")
        run = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        exported = self.ngb("export", "results", "--load", "none", "-o", "program")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        self.assertEqual((self.folder / "program/net.bin").read_bytes(), (self.folder / "net.bin").read_bytes())
        ran = run_program("onnxruntime", self.folder / "program")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        loaded = self.ngb("export", "results", "--load", "cpu: 1", "-o", "other")
        self.assertEqual(loaded.returncode, 3, loaded.stdout + loaded.stderr)
        self.assertIn("it was measured beside a load (cpu: 1), which a program cannot bring along; "
                      "choose its cell without a load: --load none", loaded.stderr)
        os.truncate(self.folder / "net.bin", 64 * 64 * 4 - 4)
        cut = self.ngb("export", "results", "--load", "none", "-o", "other")
        self.assertNotEqual(cut.returncode, 0, cut.stdout)
        self.assertIn("net.bin", cut.stderr)

    @unittest.skipUnless(installed("onnxruntime") and installed("identity"), "no toolchains of onnxruntime and identity here")
    def test_a_users_file_is_copied_and_a_changed_one_is_refused(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.ngb("models", "write", "mlp", "--batch", "1", "-o", "mine.onnx")
        self.write("study.yaml", "models: [{onnx: mine.onnx}]\ncompilers: [onnxruntime]\nprocesses: 3\nrepetitions: 6\n"
                                 "disturbance: {max_wait_percent: 100}\noutput: results\n")
        run = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        exported = self.ngb("export", "results", "--fastest", "-o", "program")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        self.assertEqual((self.folder / "program/mine.onnx").read_bytes(), (self.folder / "mine.onnx").read_bytes())
        self.assertNotIn(str(self.folder), (self.folder / "program/cell.json").read_text())
        (self.folder / "mine.onnx").unlink()
        self.ngb("models", "write", "mlp", "--batch", "1", "--seed", "2", "-o", "mine.onnx")
        refused = self.ngb("export", "results", "--fastest", "-o", "other")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("mine.onnx: the model has changed since it was measured", refused.stderr)


NET = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(32, 16)

    def forward(self, x, *, scale):
        return {"sum": self.layer(x) * scale, "x": x + 1}

def make():
    return Net()

def example_inputs(batch):
    return {"x": torch.zeros(batch, 32), "scale": torch.zeros(batch, 16)}
"""


class UsersModule(NgbTest):
    @unittest.skipUnless(installed("identity"), "no toolchain of identity here")
    def test_a_module_is_exported_with_its_file_beside_it(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.write("net.py", NET)
        compilers = ["identity", "torchscript"]
        self.write("study.yaml", "name: test\nmodels:\n  - {label: net, pytorch: net.py:make}\n" + STUDY[STUDY.index("compilers:"):].format(
            compilers=", ".join(compilers), processes=1))
        run = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for compiler in compilers:
            exported = self.ngb("export", "results/test", "--compiler", compiler, "-o", compiler)
            self.assertEqual(exported.returncode, 0, exported.stderr)
            folder = self.folder / compiler
            self.assertEqual((folder / "net.py").read_text(), NET)
            self.assertNotIn(str(self.folder), (folder / "cell.json").read_text())
            ran = run_program(compiler, folder, "--json")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(len([*folder.glob("expected_*.npy")]), 2)


if __name__ == "__main__":
    unittest.main()
