# SPDX-License-Identifier: Apache-2.0
"""Weights of four bits in both forms in which files have them: the compilers compute with them in f32, so that the
outputs are numpy's, unless a study's settings allow activations of eight bits."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

from toolchain import LIB, toolchain_of, toolchain_or_skip

_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "operators"))

import cases  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import running  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ROWS, COLUMNS, BLOCK = 64, 8, 32
RANDOM = numpy.random.default_rng(7)
QUANTISED = RANDOM.integers(0, 16, (ROWS, COLUMNS))  # 8 stands for 0
SCALES = RANDOM.uniform(0.01, 0.05, (ROWS // BLOCK, COLUMNS)).astype("f4")
X = RANDOM.normal(size=(3, ROWS)).astype("f4")
EXPECTED = (X.astype("f8") @ ((QUANTISED - 8) * numpy.repeat(SCALES.astype("f8"), BLOCK, axis=0))).astype("f4")

# The setting of each compiler that allows activations of eight bits.
ALLOWED = {"onnxruntime": [["session.qdq_matmulnbits_accuracy_level", '"4"']],
           "openvino": [["DYNAMIC_QUANTIZATION_GROUP_SIZE", '"32"']]}


def as_one_node():
    """MatMulNBits holds two numbers in a byte, the first one in its lower half, column by column."""
    pairs = QUANTISED.T.reshape(COLUMNS, ROWS // BLOCK, BLOCK // 2, 2)
    weights = {"w": (pairs[..., 0] | pairs[..., 1] << 4).astype("u1"), "s": SCALES.T.reshape(-1)}
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=ROWS, N=COLUMNS, bits=4,
                            block_size=BLOCK)
    return [node], [numpy_helper.from_array(value, name) for name, value in weights.items()]


def as_two_nodes():
    whole = helper.make_tensor("w", TensorProto.INT4, QUANTISED.shape, (QUANTISED - 8).reshape(-1).tolist())
    return [helper.make_node("DequantizeLinear", ["w", "s"], ["real"], axis=0, block_size=BLOCK),
            helper.make_node("MatMul", ["x", "real"], ["y"])], [whole, numpy_helper.from_array(SCALES, "s")]


FORMS = {"MatMulNBits": as_one_node, "DequantizeLinear": as_two_nodes}


class Runner(running.Runner):
    settings = ()

    def request(self, case, folder):
        wanted = super().request(case, folder)
        wanted["compiler"]["settings"] = list(self.settings)
        return wanted


class QuantisedWeights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def case_of(self, form):
        """The file, the inputs and numpy's outputs."""
        home = self.folder / form
        (home / "inputs").mkdir(parents=True)
        nodes, weights = FORMS[form]()
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, EXPECTED.shape)], weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), home / "model.onnx")
        numpy.save(home / "inputs" / "0.npy", X)
        cases.write_reference(home / "expected", ["y"], [EXPECTED])
        return {"name": form, "inputs": [{"name": "x", "type": "f32", "shape": list(X.shape)}], "absolute": 1e-5,
                "relative": 1e-5}

    def endings(self, name, settings=()):
        if not toolchain_of(name):
            self.skipTest(f"no toolchain of {name}")
        versions = json.loads(pathlib.Path(os.environ["NGB_VERSIONS"]).read_text())
        toolchains = pathlib.Path(toolchain_of(name)).parents[1]
        compiler = next(each for each in running.installed(pathlib.Path(LIB), toolchains, versions) if each.name == name)
        worker = pathlib.Path(os.environ["NGB_BUILD_DIR"]) / "bin" / "ngb-worker"
        with Runner(compiler, pathlib.Path(LIB), worker, self.folder) as runner:
            runner.settings = settings
            return {form: runner.run(self.case_of(form), self.folder) for form in FORMS}

    def test_onnxruntime_computes_with_them_in_f32(self):
        self.assertEqual(self.endings("onnxruntime"), dict.fromkeys(FORMS, ("right", "")))

    def test_openvino_computes_with_them_in_f32(self):
        self.assertEqual(self.endings("openvino"), dict.fromkeys(FORMS, ("right", "")))

    def test_onnxruntime_rounds_activations_if_a_study_allows_it(self):
        kinds = {form: kind for form, (kind, _) in self.endings("onnxruntime", ALLOWED["onnxruntime"]).items()}
        self.assertEqual(kinds, {"MatMulNBits": "right", "DequantizeLinear": "inaccurate"})  # the file says it of the other

    def test_openvino_rounds_activations_if_a_study_allows_it(self):
        endings = self.endings("openvino", ALLOWED["openvino"])
        self.assertIn("inaccurate", [kind for kind, _ in endings.values()])


if __name__ == "__main__":
    unittest.main()
