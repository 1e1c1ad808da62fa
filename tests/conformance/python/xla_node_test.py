# SPDX-License-Identifier: Apache-2.0
"""xla's translation on the onnx package's node tests, with shapes and axes as constants: one of each operator, all if
NGB_ALL_CASES is set. What it cannot do is listed with the reason; a listed case that is right is an error."""
import os
import subprocess
import sys
import unittest
import warnings

from toolchain import LIB, node_tests, toolchain_or_skip


def enter_toolchain():
    """The toolchain's Python runs this file."""
    python, site = toolchain_or_skip("xla", "jax")
    paths = [site, os.path.join(LIB, "python"), os.path.join(LIB, "compilers", "xla", "python")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "IN_TOOLCHAIN": "1", "JAX_PLATFORMS": "cpu"}
    sys.exit(subprocess.run([python, "-B", os.path.abspath(__file__), *sys.argv[1:]], env=environment).returncode)


if "IN_TOOLCHAIN" not in os.environ:
    enter_toolchain()

import compile as compiler  # noqa: E402
import jax  # noqa: E402
import numpy as np  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from onnx_graph import Graph  # noqa: E402

warnings.simplefilter("ignore")
cases = node_tests()
compiler.import_packages()

_SIZE = "the size of the result is data"
LISTED = {
    "BlackmanWindow": _SIZE, "Compress": _SIZE, "ConstantOfShape": _SIZE, "HammingWindow": _SIZE, "HannWindow": _SIZE,
    "MelWeightMatrix": _SIZE, "NonMaxSuppression": _SIZE, "NonZero": _SIZE, "Range": _SIZE, "Unique": _SIZE,
    "OptionalGetElement": "optional values", "OptionalHasElement": "optional values",
    "TfIdfVectorizer": "n-grams", "ai.onnx.ml.ArrayFeatureExtractor": "classical learning",
    "ai.onnx.ml.Binarizer": "classical learning", "ai.onnx.ml.TreeEnsemble": "classical learning",
    "test_roialign_mode_max": "the mean only", "test_training_dropout": "random",
    "test_training_dropout_default": "random", "test_training_dropout_default_mask": "random",
    "test_training_dropout_mask": "random",
}


class NodeTests(unittest.TestCase):
    def test_each_case_is_right_or_listed(self):
        chosen = cases.collect(every=bool(os.environ.get("NGB_ALL_CASES")), at_most=1)
        self.assertGreater(len(chosen), 150)
        for case in chosen:
            listed = LISTED.get(case.name) or LISTED.get(cases.operator_of(case))
            name, form, model, inputs = cases.forms_of(case)[0]
            with self.subTest(name, form=form, listed=listed):
                if listed is None:
                    self.assert_right(case, model, inputs)
                    continue
                with self.assertRaises(CompilerError) as caught:
                    jax.jit(Graph(model)).lower(*inputs.values())
                self.assertEqual(caught.exception.kind, "unsupported_operator")

    def assert_right(self, case, model, inputs):
        found, expected = jax.jit(Graph(model))(*inputs.values()), cases.values_of(case)[1]
        self.assertEqual([(y.dtype, y.shape) for y in found], [(y.dtype, y.shape) for y in expected])
        absolute, relative = cases.tolerances(case)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(np.asarray(ours, "f8"), theirs.astype("f8"), relative, absolute)


if __name__ == "__main__":
    unittest.main()
