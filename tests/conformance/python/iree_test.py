# SPDX-License-Identifier: Apache-2.0
"""iree's adaptor in this process, against numpy's reading of the same ONNX file (onnx.reference). NGB_ALL_CASES=1: each
family of models, which takes minutes."""
import os
import sys
import tempfile
import unittest

from toolchain import LIB, SMALL, toolchain_or_skip, write_recipe

FOLDER = os.path.join(LIB, "compilers", "iree")
_, SITE = toolchain_or_skip("iree", "iree")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402


class Iree(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "model.onnx")

    def compile(self, inputs, **options):
        """inputs: {name: array}"""
        session = Host(FOLDER).open(SITE, "cpu", "f32", 1, options)
        self.addCleanup(session.close)
        model = (self.path, "", [(name, "f32", value.shape) for name, value in inputs.items()],
                 os.path.join(self._folder.name, "program"))
        session.compile(*model)
        session.load(*model)
        return session

    def assert_right(self, shape, **options):
        x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)
        session = self.compile({"input": x}, **options)
        session.bind([("input", "f32", x.shape, memoryview(x).cast("B").toreadonly())])
        session.runner()()
        ((_, dtype, found, data),) = session.read()
        (expected,) = ReferenceEvaluator(self.path).run(None, {"input": x})
        self.assertEqual((dtype, found), ("f32", expected.shape))
        numpy.testing.assert_allclose(numpy.frombuffer(data, "f4").reshape(found), expected, rtol=1e-3, atol=1e-4)

    def write(self, *nodes):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)

    def test_a_file_of_an_opset_that_iree_does_not_know_is_converted(self):
        """Softmax had another meaning up to opset 12, BatchNormalization another form up to 14."""
        x = numpy.random.default_rng(1).uniform(-1, 1, (2, 3)).astype(numpy.float32)
        weights = [numpy_helper.from_array(numpy.float32(value), name) for name, value in
                   {"scale": [1, 2, 3], "shift": [0, 1, 0], "mean": [0.1, 0.2, 0.3], "variance": [1, 4, 9]}.items()]
        for opset, node, expected in (
                (11, helper.make_node("Softmax", ["x"], ["y"]), numpy.exp(x) / numpy.exp(x).sum(1, keepdims=True)),
                (9, helper.make_node("BatchNormalization", ["x", *(each.name for each in weights)], ["y"], epsilon=0.0),
                 (x - [0.1, 0.2, 0.3]) / [1, 2, 3] * [1, 2, 3] + [0, 1, 0])):
            with self.subTest(node.op_type):
                graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])],
                                          weights if opset == 9 else [])
                onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=6),
                          self.path)
                session = self.compile({"x": x})
                session.bind([("x", "f32", x.shape, memoryview(x).cast("B").toreadonly())])
                session.runner()()
                ((_, _, _, data),) = session.read()
                numpy.testing.assert_allclose(numpy.frombuffer(data, "f4").reshape(2, 3), expected, 1e-4, 1e-5)
                self.assertIn(("opset", f"{opset}, converted to 17 by the onnx package"), session.inspect())

    def refusal(self):
        with self.assertRaises(CompilerError) as caught:
            self.compile({"x": numpy.zeros((2, 3), "f4")})
        return caught.exception

    def test_a_block_is_right(self):
        write_recipe(self.path, "mha_block", embed=16, heads=2)
        self.assert_right((1, 10, 16))

    def test_a_dynamic_batch_becomes_the_cells(self):
        write_recipe(self.path, "mlp", features=6, width=8, depth=1, classes=3)
        model = onnx.load(self.path)
        for slot in (*model.graph.input, *model.graph.output):
            slot.type.tensor_type.shape.dim[0].dim_param = "batch"
        onnx.save(model, self.path)
        self.assert_right((4, 6), data_tiling="true")

    def test_f64_and_u8_stay_what_the_model_says(self):
        for kind, dtype, values in ((TensorProto.DOUBLE, "f64", [1.0, 200.0]), (TensorProto.UINT8, "u8", [1, 200])):
            graph = helper.make_graph([helper.make_node("Cast", ["x"], ["y"], to=kind)], "g",
                                      [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
                                      [helper.make_tensor_value_info("y", kind, [2])])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)
            x = numpy.float32([1, 200])
            session = self.compile({"x": x})
            session.bind([("x", "f32", x.shape, memoryview(x).cast("B").toreadonly())])
            session.runner()()
            ((_, found, _, data),) = session.read()
            self.assertEqual((found, numpy.frombuffer(data, {"f64": "f8", "u8": "u1"}[dtype]).tolist()), (dtype, values))

    def test_an_operator_that_it_cannot_compile_is_named(self):
        self.write(helper.make_node("Add", ["x", "x"], ["z"]), helper.make_node("Nonesuch", ["z"], ["y"]))
        error = self.refusal()
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertIn("Nonesuch", error.message)

    def test_a_model_that_is_not_valid_is_no_fault_of_the_compilers(self):
        self.write(helper.make_node("Add", ["x"], ["y"]))
        self.assertEqual(self.refusal().kind, "invalid_model")

    def test_a_convolution_that_makes_one_point_of_a_part_of_its_input_is_refused(self):
        """3 × 3, of which a kernel of 2 × 2 with stride 2 fits once. When a new IREE takes it, the word on it in
        docs/compilers/iree.md and the other size of ConvNeXt below can go."""
        write_recipe(self.path, "convnext", depths=[1, 1, 1, 1], channels=[2, 2, 2, 2], classes=2, image_size=48)
        with self.assertRaises(CompilerError) as caught:
            self.compile({"input": numpy.zeros((1, 3, 48, 48), "f4")})
        self.assertEqual(caught.exception.kind, "unsupported_operator")
        self.assertIn("inferred input/output operand #1 has shape's dimension #2 to be 3, but found 2",
                      caught.exception.message)

    @unittest.skipUnless("NGB_ALL_CASES" in os.environ, "takes minutes: NGB_ALL_CASES=1 runs it")
    def test_each_family_of_models_is_right(self):
        instead = {"convnext": {"image_size": 64}}  # in the small one is the convolution above
        for name, parameters in SMALL:
            with self.subTest(name=name):
                write_recipe(self.path, name, batch=2, **{**parameters, **instead.get(name, {})})
                dims = onnx.load(self.path).graph.input[0].type.tensor_type.shape.dim
                self.assert_right(tuple(dim.dim_value for dim in dims))


if __name__ == "__main__":
    unittest.main()
