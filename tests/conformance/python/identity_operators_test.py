# SPDX-License-Identifier: Apache-2.0
"""The identity on the onnx package's node tests: at most two of each operator, all if NGB_ALL_CASES is set. What it
cannot do is listed with the reason; a listed case that is right is an error."""
import os
import sys
import tempfile
import unittest
import warnings

from toolchain import LIB, node_tests, toolchain_or_skip

_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402

warnings.simplefilter("ignore")
cases = node_tests()

LISTED = {
    "OptionalGetElement": "optional values", "OptionalHasElement": "optional values",
    "TfIdfVectorizer": "n-grams", "ai.onnx.ml.ArrayFeatureExtractor": "classical learning",
    "ai.onnx.ml.Binarizer": "classical learning", "ai.onnx.ml.TreeEnsemble": "classical learning",
    "test_col2im_5d": "PyTorch folds two axes", "test_roialign_mode_max": "torchvision's has the mean only",
    "test_training_dropout": "random", "test_training_dropout_default": "random",
    "test_training_dropout_default_mask": "random", "test_training_dropout_mask": "random",
}


class OperatorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def run_file(self, inputs):
        """Return (outputs, module)."""
        session = Host(os.path.join(LIB, "compilers", "identity")).open(SITE, "cpu", "f32", 1, {})
        try:
            rows = [(name, cases.TYPES[value.dtype.name], value.shape) for name, value in inputs.items()]
            session.compile(self.path, "", rows, "")
            session.bind([(*row, memoryview(value.tobytes())) for row, value in zip(rows, inputs.values())])
            session.runner()()
            types = {ours: theirs for theirs, ours in cases.TYPES.items()}
            outputs = [numpy.frombuffer(data, types[dtype]).reshape(shape) for _, dtype, shape, data in session.read()]
            return outputs, session._adaptor._module
        finally:
            session.close()

    def assert_near(self, found, expected, absolute=1e-4, relative=1e-3):
        self.assertEqual([(y.dtype, y.shape) for y in found], [(y.dtype, y.shape) for y in expected])
        for ours, theirs in zip(found, expected):
            numpy.testing.assert_allclose(ours.astype("f8"), theirs.astype("f8"), relative, absolute)


class NodeTests(OperatorTest):
    def test_each_case_is_right_or_listed(self):
        chosen = cases.collect(every=bool(os.environ.get("NGB_ALL_CASES")))
        self.assertGreater(len(chosen), 300)
        for case in chosen:
            listed = LISTED.get(case.name) or LISTED.get(cases.operator_of(case))
            with self.subTest(case.name, listed=listed):
                for _, _, model, inputs in cases.forms_of(case):
                    onnx.save(model, self.path)
                    if listed is None:
                        self.assert_near(self.run_file(inputs)[0], cases.values_of(case)[1], *cases.tolerances(case))
                        continue
                    with self.assertRaises(CompilerError) as caught:
                        self.run_file(inputs)
                    self.assertEqual(caught.exception.kind, "unsupported_operator")


class Forms(OperatorTest):
    """Forms of operators that onnx2torch's modules lack or compute otherwise, against NumPy."""

    def save(self, nodes, shape, weights=()):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_empty_tensor_value_info("y")],
                                  [numpy_helper.from_array(value, name) for name, value in dict(weights).items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), self.path)
        return numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)

    def test_any_axis_of_a_tensor_of_any_rank_is_padded_in_every_mode(self):
        for rank, axes in ((1, [0]), (2, [1]), (2, [0, 1]), (3, [2]), (4, [1, 3]), (5, [2, 4]), (6, [0, 5])):
            shape = (5, 6, 4, 3, 5, 6)[:rank]
            widths = [(2, 1) if axis in axes else (0, 0) for axis in range(rank)]
            pads = numpy.array([begin for begin, _ in widths] + [end for _, end in widths], numpy.int64)
            for mode in ("constant", "reflect", "edge", "wrap"):
                with self.subTest(mode, rank=rank, axes=axes):
                    x = self.save([helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode)], shape, {"pads": pads})
                    self.assert_near(self.run_file({"x": x})[0], [numpy.pad(x, widths, mode)])

    def test_a_split_into_one_part_is_a_tensor(self):
        axes = {"sizes": numpy.array([1], numpy.int64), "axes": numpy.array([1], numpy.int64)}
        x = self.save([helper.make_node("Split", ["x", "sizes"], ["part"], axis=1),
                       helper.make_node("Squeeze", ["part", "axes"], ["y"])], (2, 1, 8), axes)
        self.assert_near(self.run_file({"x": x})[0], [x[:, 0]])

    def test_a_value_of_unknown_rank_is_pooled_over_its_spatial_axes(self):
        slot = helper.make_tensor_value_info
        body = helper.make_graph(
            [helper.make_node("Relu", ["state"], ["next"]), helper.make_node("Identity", ["go"], ["on"])], "body",
            [slot("i", TensorProto.INT64, ()), slot("go", TensorProto.BOOL, ()), slot("state", TensorProto.FLOAT, None)],
            [slot("on", TensorProto.BOOL, ()), slot("next", TensorProto.FLOAT, None)])
        x = self.save([helper.make_node("Loop", ["steps", "", "x"], ["looped"], body=body),
                       helper.make_node("GlobalAveragePool", ["looped"], ["y"])], (2, 6, 5, 5),
                      {"steps": numpy.array(2, numpy.int64)})
        self.assert_near(self.run_file({"x": x})[0], [numpy.maximum(x, 0).mean((2, 3), keepdims=True)])


class Recurrent(OperatorTest):
    def model(self, kind, gates, states, **attributes):
        random = numpy.random.default_rng(1)
        directions = 2 if attributes.get("direction") == "bidirectional" else 1
        shapes = {"w": (directions, gates * 5, 3), "r": (directions, gates * 5, 5), "b": (directions, 2 * gates * 5)}
        weights = [numpy_helper.from_array(random.uniform(-1, 1, shape).astype(numpy.float32), name)
                   for name, shape in shapes.items()]
        outputs = ["y", "y_h", "y_c"][:1 + states]
        node = helper.make_node(kind, ["x", "w", "r", "b"], outputs, hidden_size=5, **attributes)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 2, 3))],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
                                  weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def test_layers_of_the_usual_form_are_pytorchs_modules(self):
        from onnx.reference import ReferenceEvaluator

        x = numpy.random.default_rng(2).uniform(-1, 1, (4, 2, 3)).astype(numpy.float32)
        for kind, gates, states, own, more in (("LSTM", 4, 2, torch.nn.LSTM, {}), ("RNN", 1, 1, torch.nn.RNN, {}),
                                               ("GRU", 3, 1, torch.nn.GRU, {"linear_before_reset": 1})):
            for direction in ("forward", "bidirectional"):
                with self.subTest(kind, direction=direction):
                    model = self.model(kind, gates, states, direction=direction, **more)
                    onnx.save(model, self.path)
                    found, module = self.run_file({"x": x})
                    self.assertTrue(any(isinstance(each, own) for each in module.modules()))
                    expected = ReferenceEvaluator(model).run(None, {"x": x})
                    if kind != "GRU" or direction == "forward":  # the reference has no linear_before_reset backwards
                        self.assert_near(found, [numpy.asarray(each) for each in expected], 1e-5)

    def test_steps_of_our_own_are_those_of_pytorchs_module(self):
        """A clip that never clips makes the layer run step by step."""
        x = numpy.random.default_rng(2).uniform(-1, 1, (4, 2, 3)).astype(numpy.float32)
        for kind, gates, states, more in (("LSTM", 4, 2, {}), ("RNN", 1, 1, {}),
                                          ("GRU", 3, 1, {"linear_before_reset": 1})):
            with self.subTest(kind):
                outputs = []
                for clip in ({}, {"clip": 1e6}):
                    onnx.save(self.model(kind, gates, states, direction="bidirectional", **more, **clip), self.path)
                    outputs.append(self.run_file({"x": x})[0])
                self.assert_near(outputs[1], outputs[0], 1e-5)


class WholeGraphs(OperatorTest):
    def save(self, nodes, outputs, initializers=(), functions=(), more_opsets=()):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 3))],
                                  [helper.make_empty_tensor_value_info(name) for name in outputs], list(initializers))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), *more_opsets], ir_version=9,
                                    functions=list(functions)), self.path)

    X = numpy.float32([[1, 2, 3], [4, 5, 6]])

    def test_outputs_of_one_node_and_of_several_come_in_the_files_order(self):
        self.save([helper.make_node("Split", ["x"], ["a", "b"], axis=0, num_outputs=2),
                   helper.make_node("Neg", ["x"], ["c"])], ["c", "b", "x", "a"])
        found, _ = self.run_file({"x": self.X})
        self.assert_near(found, [-self.X, self.X[1:], self.X, self.X[:1]])

    def test_one_constant_index_of_a_gather_is_a_number_which_exporters_can_see(self):
        graph = helper.make_graph(
            [helper.make_node("Gather", ["x", "last"], ["y"], axis=1)], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])], [numpy_helper.from_array(numpy.array(-1), "last")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)
        x = numpy.float32([[1, 2, 3], [4, 5, 6]])
        (found,), module = self.run_file({"x": x})
        self.assertEqual(found.tolist(), [3, 6])
        (call,) = [node for node in module.graph.nodes if node.op == "call_function"]
        self.assertEqual(call.args[1:], (1, -1))
        self.assertEqual(torch.export.export(module, (torch.from_numpy(x),)).module()(torch.from_numpy(x)).tolist(), [3, 6])

    def test_a_body_uses_values_from_around_it(self):
        """x doubled three times, by a loop whose factor is a value of the graph around it."""
        slot = helper.make_tensor_value_info
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Mul", ["state", "factor"], ["next"])],
            "body", [slot("i", TensorProto.INT64, ()), slot("go", TensorProto.BOOL, ()),
                     slot("state", TensorProto.FLOAT, (2, 3))],
            [slot("on", TensorProto.BOOL, ()), slot("next", TensorProto.FLOAT, (2, 3))])
        two, three = numpy_helper.from_array(numpy.float32(2), "factor"), numpy_helper.from_array(numpy.int64(3), "n")
        self.save([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], ["y"], [two, three])
        found, _ = self.run_file({"x": self.X})
        self.assert_near(found, [8 * self.X])

    def test_a_function_of_the_models_own_is_its_body(self):
        function = helper.make_function("own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
                                        [helper.make_opsetid("", 20)])
        self.save([helper.make_node("Twice", ["x"], ["y"], domain="own")], ["y"], (), [function],
                  [helper.make_opsetid("own", 1)])
        self.assert_near(self.run_file({"x": self.X})[0], [2 * self.X])


class Integers(OperatorTest):
    """What PyTorch would sum in 64 bits. Expected values are numpy's."""

    X = numpy.array([[[7, -3, 2], [1, 4, -6]], [[2, 2, 5], [-1, 9, 3]]])
    # Roots, logarithms and means of integers are cut off to integers.
    BY = {"ReduceL1": lambda x: abs(x).sum(1), "ReduceL2": lambda x: numpy.sqrt((x * x).sum(1)),
          "ReduceMax": lambda x: x.max(1), "ReduceMean": lambda x: x.mean(1), "ReduceMin": lambda x: x.min(1),
          "ReduceProd": lambda x: x.prod(1), "ReduceSum": lambda x: x.sum(1),
          "ReduceSumSquare": lambda x: (x * x).sum(1), "ReduceLogSum": lambda x: numpy.log(x.sum(1))}

    def run_node(self, kind, x, operands=(), opset=20, **attributes):
        inputs = {"x": x}
        for name in operands:
            inputs[name] = operands[name]
        slots = [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)]
        graph = helper.make_graph([helper.make_node(kind, list(inputs), ["y"], **attributes)], "g", slots,
                                  [helper.make_empty_tensor_value_info("y")],
                                  [numpy_helper.from_array(value, name) for name, value in dict(operands).items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), self.path)
        (found,), _ = self.run_file({"x": x})
        return found

    def assert_is(self, found, expected):
        self.assertEqual(found.dtype, expected.dtype)
        numpy.testing.assert_array_equal(found, expected)

    def test_their_reductions_have_their_type(self):
        axes = {"axes": numpy.array([1], numpy.int64)}
        for dtype in (numpy.int32, numpy.int64):
            for kind, by in self.BY.items():
                x = abs(self.X) if kind == "ReduceLogSum" else self.X
                with self.subTest(kind, dtype=dtype.__name__):
                    self.assert_is(self.run_node(kind, x.astype(dtype), axes, keepdims=0), by(x).astype(dtype))

    def test_their_reductions_over_axes_of_an_attribute_have_their_type(self):
        found = self.run_node("ReduceSum", self.X.astype(numpy.int32), opset=11, axes=[0, 2], keepdims=1)
        self.assert_is(found, self.X.sum((0, 2), keepdims=True).astype(numpy.int32))

    def test_the_largest_and_smallest_of_8_bits_have_8_bits(self):
        axes = {"axes": numpy.array([2], numpy.int64)}
        for dtype in (numpy.uint8, numpy.int8):
            x = abs(self.X).astype(dtype)
            self.assert_is(self.run_node("ReduceMax", x, axes, keepdims=0), x.max(2))
            self.assert_is(self.run_node("ReduceMin", x, axes, keepdims=0), x.min(2))

    def test_their_running_sums_have_their_type(self):
        x = self.X.astype(numpy.int32)
        self.assert_is(self.run_node("CumSum", x, {"axis": numpy.array(2, numpy.int64)}), numpy.cumsum(x, 2, numpy.int32))


class Emulations(OperatorTest):
    """The fact by which the identity says what it computes for the value alone."""

    X = numpy.linspace(-1, 1, 12, dtype=numpy.float32).reshape(3, 4)
    QUANTISED = {"scale": numpy.float32(0.1), "zero": numpy.int8(0), "w": numpy.eye(4, dtype=numpy.int8)}

    def fact_of(self, nodes, initializers):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.X.shape)],
                                  [helper.make_empty_tensor_value_info("y")],
                                  [numpy_helper.from_array(value, name) for name, value in initializers.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), self.path)
        session = Host(os.path.join(LIB, "compilers", "identity")).open(SITE, "cpu", "f32", 1, {})
        self.addCleanup(session.close)
        session.compile(self.path, "", [("x", "f32", self.X.shape)], "")
        return dict(session.inspect()).get("emulated")

    def test_quantised_operators_are_emulated(self):
        nodes = [helper.make_node("Relu", ["x"], ["r"]),
                 helper.make_node("QuantizeLinear", ["r", "scale", "zero"], ["q"]),
                 helper.make_node("QLinearMatMul", ["q", "scale", "zero", "w", "scale", "zero", "scale", "zero"], ["p"]),
                 helper.make_node("DequantizeLinear", ["p", "scale", "zero"], ["y"])]
        self.assertEqual(self.fact_of(nodes, self.QUANTISED),
                         "QuantizeLinear 1, QLinearMatMul 1, DequantizeLinear 1 of 4 nodes")

    def test_a_file_whose_weights_alone_are_quantised_is_as_fast_as_any(self):
        nodes = [helper.make_node("DequantizeLinear", ["w", "scale", "zero"], ["real"]),
                 helper.make_node("MatMul", ["x", "real"], ["y"])]
        self.assertIsNone(self.fact_of(nodes, self.QUANTISED))  # they become real numbers before the first inference

    def test_steps_of_a_loop_in_python_are_emulated(self):
        body = helper.make_graph(
            [helper.make_node("Add", ["state", "state"], ["twice"]), helper.make_node("Identity", ["on"], ["go"])], "b",
            [helper.make_tensor_value_info("step", TensorProto.INT64, []),
             helper.make_tensor_value_info("on", TensorProto.BOOL, []),
             helper.make_tensor_value_info("state", TensorProto.FLOAT, None)],
            [helper.make_tensor_value_info("go", TensorProto.BOOL, []),
             helper.make_tensor_value_info("twice", TensorProto.FLOAT, None)])
        self.assertEqual(self.fact_of([helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
                                      {"count": numpy.array(3, numpy.int64)}), "Loop 1 of 3 nodes")

    def test_operators_of_pytorch_are_not(self):
        nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Softmax", ["r"], ["y"])]
        self.assertIsNone(self.fact_of(nodes, {}))


if __name__ == "__main__":
    unittest.main()
