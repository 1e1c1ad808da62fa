# SPDX-License-Identifier: Apache-2.0
"""A gate over two results, each of a network and an int8 file of it that a user has made. The second file is spoiled."""

import json
import subprocess
import unittest

from ngb_program import TOOLCHAINS, NgbTest, toolchain, without_toolchains

STUDY = """\
name: %s
models:
  - {onnx: exact.onnx}
  - {onnx: %s.onnx, label: int8, variant_of: exact}
compilers: [onnxruntime]
processes: 3
warm_up: 1
repetitions: 3
longer_look_s: 0
min_repetition_ms: 0
disturbance: {max_wait_percent: 100}
"""
# A network of two layers with weights of [-1, 1]; its weights in int8 with one scale; and with two of their four bits.
MODELS = """\
import numpy, onnx
from onnx import helper, numpy_helper
random = numpy.random.default_rng(1)
weights = [random.uniform(-1, 1, size).astype("f4") for size in ((64, 128), (128, 16))]
def write(name, levels):
    nodes, constants, given = [], [], "x"
    for layer, weight in enumerate(weights):
        if levels:
            scale = numpy.abs(weight).max() / levels
            constants += [numpy_helper.from_array(numpy.round(weight / scale).astype("i1"), f"q{layer}"),
                          numpy_helper.from_array(numpy.float32(scale), f"s{layer}")]
            nodes.append(helper.make_node("DequantizeLinear", [f"q{layer}", f"s{layer}"], [f"w{layer}"]))
        else:
            constants.append(numpy_helper.from_array(weight, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [given, f"w{layer}"], [f"m{layer}"]))
        if layer == 0:
            nodes.append(helper.make_node("Relu", ["m0"], ["r0"]))
        given = "r0"
    tensors = [helper.make_tensor_value_info(name, 1, [1, size]) for name, size in (("x", 64), ("m1", 16))]
    graph = helper.make_graph(nodes, name, tensors[:1], tensors[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), name + ".onnx")
write("exact", 0)
write("good", 127)
write("spoiled", 1)
"""


@unittest.skipIf(without_toolchains("identity", "onnxruntime"), without_toolchains("identity", "onnxruntime"))
class AgreementGate(NgbTest):
    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        site = TOOLCHAINS / toolchain("identity") / manifest["site"]
        subprocess.run([manifest["python"], "-c", MODELS], cwd=self.folder, check=True,
                       env={**self.environment, "PYTHONPATH": str(site)})
        for name in ("good", "spoiled"):
            self.write(f"{name}.yaml", STUDY % (name, name))
            ran = self.ngb("run", f"{name}.yaml", "--no-report")
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def agreement(self, name):
        return next(cell["metrics"]["agreement_ratio"]["value"] for cell in self.show(f"results/{name}")["cells"]
                    if cell["model"] == "int8")

    def test_fails_with_4_because_agreement_fell(self):
        self.assertGreater(self.agreement("good"), 0.95)
        self.assertLess(self.agreement("spoiled"), 0.8)
        # However slow this machine is just now, speed decides nothing here.
        failed = self.ngb("gate", "results/good", "results/spoiled", "--fail-if-slower", "1000%")
        self.assertEqual(failed.returncode, 4, failed.stdout + failed.stderr)
        self.assertIn("1 agreement fell", failed.stdout.splitlines()[0])
        self.assertIn("Gate failed: 1 with less agreement", failed.stdout)
        pairs = json.loads(self.ngb("gate", "results/good", "results/spoiled", "--fail-if-slower", "1000%",
                                    "--json").stdout)["pairs"]
        self.assertEqual({pair["model"]: pair["status"] for pair in pairs}["int8"], "agreement_fell")
        # By a margin of its own, it is judged input by input; within the margin it is no regression.
        by_input = self.ngb("gate", "results/good", "results/spoiled", "--metric", "agreement_ratio:5%")
        self.assertEqual(by_input.returncode, 4, by_input.stdout + by_input.stderr)
        self.assertRegex(by_input.stdout, r"agreement_ratio\s+worse +-0\.\d+ \[-0\.\d+, -0\.\d+\]")
        tolerated = self.ngb("gate", "results/good", "results/spoiled", "--metric", "agreement_ratio:90%")
        self.assertEqual(tolerated.returncode, 0, tolerated.stdout + tolerated.stderr)
        passed = self.ngb("gate", "results/good", "results/good", "--fail-if-slower", "1000%")
        self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
        # min_agreement of a later study makes a failed cell of it, which is the same to the gate.
        self.write("least.yaml", STUDY % ("least", "spoiled") + "min_agreement: 0.9\n")
        self.assertEqual(self.ngb("run", "least.yaml", "--no-report").returncode, 1)
        fails = self.ngb("gate", "results/good", "results/least", "--fail-if-slower", "1000%", "--across-protocols")
        self.assertEqual(fails.returncode, 4, fails.stdout + fails.stderr)
        self.assertIn("1 agreement fell", fails.stdout.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
