# SPDX-License-Identifier: Apache-2.0
"""xla's translation of ONNX to JAX, operator by operator, against numpy's reading of the same graph (onnx.reference); in
the toolchain's Python. Skipped, saying so, where the toolchain is not installed."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from toolchain import LIB, SMALL, node_tests, toolchain_or_skip, write_recipe


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
import onnx  # noqa: E402
from ngraphbench import onnx_file  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from onnx_graph import OPERATORS, Graph  # noqa: E402

cases = node_tests()
compiler.import_packages()


def values(*shape, low=-1.0, high=1.0, seed=1):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


class Graphs(unittest.TestCase):
    """Nodes are given as (operator, inputs, attributes); an input is the name of one of the model's, or an array."""

    seen = set()

    def model(self, nodes, inputs, opset=20, outputs=1):
        protos, weights, results = [], [], []
        for number, (operator, operands, attributes) in enumerate(nodes):
            names = []
            for place, operand in enumerate(operands):
                if isinstance(operand, np.ndarray):
                    weights.append(numpy_helper.from_array(operand, f"weight{number}_{place}"))
                names.append(weights[-1].name if isinstance(operand, np.ndarray) else operand)
            made = [f"y{number}_{each}" for each in range(attributes.pop("outputs", outputs))]
            protos.append(helper.make_node(operator, names, made, name=f"node{number}", **attributes))
            results += made
        slots = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                 for name, value in inputs.items()]
        graph = helper.make_graph(protos, "g", slots, [helper.make_empty_tensor_value_info(name) for name in results],
                                  weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)

    def check(self, nodes, inputs, opset=20, tolerance=1e-5):
        """One graph with all these nodes, compiled once; each output is compared."""
        self.seen.update(operator for operator, _, _ in nodes)
        model = self.model([(operator, operands, dict(attributes)) for operator, operands, attributes in nodes], inputs,
                           opset)
        found = jax.jit(Graph(model))(*inputs.values())
        expected = ReferenceEvaluator(model).run(None, inputs)
        names = [f"{node.op_type} {[(each.name, helper.get_attribute_value(each)) for each in node.attribute]}"
                 for node in model.graph.node for _ in node.output]
        for name, ours, theirs in zip(names, found, expected):
            with self.subTest(name):
                theirs = np.asarray(theirs)
                self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape))
                np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)

    def refusal(self, nodes, inputs, opset=20):
        model = self.model(nodes, inputs, opset)
        with self.assertRaises(CompilerError) as caught:
            jax.jit(Graph(model)).lower(*inputs.values())
        return caught.exception


class Operators(Graphs):
    def test_those_of_one_element(self):
        x, high, unit = values(3, 4), values(3, 4, low=1.1, high=3, seed=2), values(3, 4, low=-0.9, high=0.9, seed=3)
        inputs = {"x": x, "high": high, "unit": unit, "half": np.array([[-1.5, 0.5, 2.5, np.nan, np.inf]], np.float32)}
        plain = ("Abs Atan Ceil Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity LeakyRelu Mish Neg Relu Selu "
                 "Sigmoid Sign Sin Sinh Softplus Softsign Tan Tanh Asinh Celu ThresholdedRelu").split()
        nodes = [(operator, ["x"], {}) for operator in plain]
        nodes += [(operator, ["unit"], {}) for operator in ("Acos", "Asin", "Atanh")]
        nodes += [(operator, ["high"], {}) for operator in ("Acosh", "Log", "Reciprocal", "Sqrt")]
        nodes += [(operator, ["half"], {}) for operator in ("Round", "IsNaN", "IsInf")]
        nodes += [("Gelu", ["x"], {"approximate": "tanh"}), ("Elu", ["x"], {"alpha": 2.0}),
                  ("IsInf", ["half"], {"detect_positive": 0}), ("LeakyRelu", ["x"], {"alpha": 0.3}),
                  ("Clip", ["x", np.float32([-0.2])[0:1].reshape(()), np.array(0.3, np.float32)], {}),
                  ("Clip", ["x", "", np.array(0.3, np.float32)], {}), ("PRelu", ["x", values(4, seed=4)], {}),
                  ("Cast", ["x"], {"to": TensorProto.INT32}), ("Cast", ["x"], {"to": TensorProto.BOOL}),
                  ("Cast", ["high"], {"to": TensorProto.DOUBLE})]
        self.check(nodes, inputs)

    def test_those_of_two_and_more(self):
        inputs = {"x": values(2, 3, 4), "row": values(4, low=0.5, high=2, seed=2), "i": np.int64([[-7, 7, 8, -9]]),
                  "j": np.int64([[2, -2, 3, 4]]), "p": np.array([[True, False, True, True]]),
                  "q": np.array([True, True, False, True])}
        nodes = [(operator, ["x", "row"], {}) for operator in ("Add", "Sub", "Mul", "Div", "Equal", "Greater", "Less",
                                                               "GreaterOrEqual", "LessOrEqual", "Max", "Min")]
        nodes += [(operator, ["p", "q"], {}) for operator in ("And", "Or", "Xor")]
        nodes += [(operator, ["i", "j"], {}) for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod")]
        nodes += [(operator, ["x", "row", "x"], {}) for operator in ("Sum", "Mean", "Max")]
        nodes += [("Pow", ["row", np.array(3.0, np.float32)], {}), ("Mod", ["x", "row"], {"fmod": 1}), ("Not", ["p"], {}),
                  ("BitwiseNot", ["i"], {}), ("Where", ["p", "x", "row"], {}), ("CastLike", ["x", "i"], {})]
        self.check(nodes, inputs)
        # onnx.reference rounds down here; the standard says towards zero.
        self.seen.add("Div")
        model = self.model([("Div", ["i", "j"], {})], {"i": inputs["i"], "j": inputs["j"]})
        np.testing.assert_array_equal(jax.jit(Graph(model))(inputs["i"], inputs["j"])[0], [[-3, -3, 2, -2]])

    def test_convolutions_and_pools(self):
        inputs = {"x": values(2, 4, 9, 7), "line": values(1, 3, 11, seed=2)}
        w, grouped, up = values(6, 4, 3, 2, seed=3), values(8, 2, 3, 3, seed=4), values(4, 3, 3, 2, seed=5)
        nodes = [("Conv", ["x", w, values(6, seed=6)], {"pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]}),
                 ("Conv", ["x", grouped], {"group": 2}), ("Conv", ["x", w], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
                 ("Conv", ["line", values(5, 3, 4, seed=7)], {"pads": [1, 2]}),
                 ("ConvTranspose", ["x", up, values(3, seed=8)], {"strides": [2, 3], "pads": [1, 0, 0, 1]}),
                 ("ConvTranspose", ["x", up], {"output_padding": [1, 1], "strides": [2, 2], "dilations": [2, 1]}),
                 ("MaxPool", ["x"], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}),
                 ("MaxPool", ["x"], {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
                 ("MaxPool", ["line"], {"kernel_shape": [3], "dilations": [2]}),
                 ("AveragePool", ["x"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
                 ("AveragePool", ["x"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}),
                 ("GlobalAveragePool", ["x"], {}), ("GlobalMaxPool", ["x"], {})]
        self.check(nodes, inputs, tolerance=1e-4)

    def test_a_transposed_convolution_in_groups_is_one_of_each_group(self):
        x, weight = values(1, 4, 5, 5), values(4, 3, 3, 3, seed=2)
        parts = [ReferenceEvaluator(self.model([("ConvTranspose", ["x", weight[half]], {})], {"x": x[:, half]})).run(
            None, {"x": x[:, half]})[0] for half in (slice(0, 2), slice(2, 4))]
        (found,) = jax.jit(Graph(self.model([("ConvTranspose", ["x", weight], {"group": 2})], {"x": x})))(x)
        np.testing.assert_allclose(found, np.concatenate(parts, 1), atol=1e-5)

    def test_products(self):
        inputs = {"a": values(3, 4), "b": values(4, 5, seed=2), "batch": values(2, 3, 4, seed=3)}
        nodes = [("MatMul", ["a", "b"], {}), ("MatMul", ["batch", "b"], {}),
                 ("Gemm", ["a", "b", values(5, seed=4)], {"alpha": 0.5, "beta": 2.0}),
                 ("Gemm", ["b", "a"], {"transA": 1, "transB": 1}), ("Gemm", ["a", values(6, 4, seed=5)], {"transB": 1}),
                 ("Einsum", ["batch", "b"], {"equation": "nij, jk -> nki"})]
        self.check(nodes, inputs, tolerance=1e-4)

    def test_normalisations(self):
        inputs = {"x": values(2, 4, 5, 3)}
        per_channel = [values(4, seed=seed, low=0.5, high=2) for seed in (2, 3, 4, 5)]
        nodes = [("BatchNormalization", ["x", *per_channel], {}), ("Dropout", ["x"], {}),
                 ("InstanceNormalization", ["x", *per_channel[:2]], {}),
                 ("LayerNormalization", ["x", values(5, 3, seed=6), values(5, 3, seed=7)], {"axis": -2}),
                 ("LogSoftmax", ["x"], {"axis": 1}), ("LpNormalization", ["x"], {"axis": 1}), ("Softmax", ["x"], {})]
        self.check(nodes, inputs)
        self.check([("GroupNormalization", ["x", *per_channel[:2]], {"num_groups": 2})], inputs, opset=21)
        self.check([("RMSNormalization", ["x", values(3, seed=8)], {})], inputs, opset=23)

    def test_a_local_response_is_over_neighbouring_channels(self):
        x = values(1, 4, 1, 1)
        (found,) = jax.jit(Graph(self.model([("LRN", ["x"], {"size": 3, "alpha": 0.5})], {"x": x})))(x)
        a, b, c, d = x.reshape(4)
        sums = np.float32([a * a + b * b, a * a + b * b + c * c, b * b + c * c + d * d, c * c + d * d])
        np.testing.assert_allclose(found.reshape(4), x.reshape(4) / (1 + 0.5 / 3 * sums) ** 0.75, rtol=1e-5)
        self.seen.add("LRN")

    def test_a_global_norm_is_over_each_channel(self):
        (found,) = jax.jit(Graph(self.model([("GlobalLpPool", ["x"], {})], {"x": values(1, 2, 2)})))(
            np.float32([[[3, 4], [6, 8]]]))
        np.testing.assert_allclose(found, [[[5], [10]]])
        self.seen.add("GlobalLpPool")

    def test_loops_whose_number_of_steps_is_data_keep_their_state_only(self):
        """y = 2·y as often as n says, with n an input: a state alone may be computed so."""
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["y", "y"], ["z"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, ()),
             helper.make_tensor_value_info("go", TensorProto.BOOL, ()),
             helper.make_tensor_value_info("y", TensorProto.FLOAT, (2,))],
            [helper.make_empty_tensor_value_info("on"), helper.make_empty_tensor_value_info("z")])
        inputs = {"n": np.array(3, np.int64), "x": np.float32([1, 2])}
        model = self.model([("Loop", ["n", "", "x"], {"body": body})], inputs)
        np.testing.assert_array_equal(jax.jit(Graph(model))(*inputs.values())[0], [8, 16])

    def test_softmax_before_opset_13_is_over_all_axes_from_its_own_on(self):
        x = values(2, 3, 4)
        (found,) = jax.jit(Graph(self.model([("Softmax", ["x"], {"axis": 1})], {"x": x}, opset=11)))(x)
        exponential = np.exp(x.reshape(2, 12))
        np.testing.assert_allclose(found.reshape(2, 12), exponential / exponential.sum(1, keepdims=True), rtol=1e-5)

    def test_reductions(self):
        inputs = {"x": values(2, 3, 4, low=0.5, high=2), "i": np.int64([[3, 1, 3], [0, 5, 5]])}
        axes = np.int64([-1, 0])
        nodes = [(f"Reduce{what}", ["x", axes], {"keepdims": keep}) for keep in (0, 1) for what in
                 ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")]
        nodes += [("ReduceSum", ["x"], {"noop_with_empty_axes": 1}), ("ReduceSum", ["x"], {}),
                  ("ArgMax", ["i"], {"axis": 1}), ("ArgMax", ["i"], {"axis": 1, "select_last_index": 1, "keepdims": 0}),
                  ("ArgMin", ["x"], {"axis": -1}), ("CumSum", ["x", np.array(1, np.int64)], {"reverse": 1}),
                  ("CumSum", ["x", np.array(-1, np.int64)], {"exclusive": 1}),
                  ("TopK", ["x", np.int64([2])], {"outputs": 2}), ("TopK", ["x", np.int64([2])], {"outputs": 2, "largest": 0})]
        self.check(nodes, inputs)
        self.check([("ReduceMean", ["x"], {"axes": [1]})], inputs, opset=13)

    def test_those_that_move_elements(self):
        inputs = {"x": values(2, 3, 4), "image": values(1, 4, 4, 6, seed=2), "i": np.int64([[1, -1], [0, 2]])}
        indices = np.int64([[0, -1], [2, 1]])
        nodes = [("Reshape", ["x", np.int64([0, -1])], {}), ("Transpose", ["x"], {"perm": [2, 0, 1]}), ("Transpose", ["x"], {}),
                 ("Flatten", ["image"], {"axis": 2}), ("Concat", ["x", values(2, 1, 4, seed=3)], {"axis": 1}),
                 ("Unsqueeze", ["x", np.int64([0, -1])], {}), ("Squeeze", ["image", np.int64([0])], {}), ("Squeeze", ["image"], {}),
                 ("Split", ["x", np.int64([1, 3])], {"axis": -1, "outputs": 2}), ("Split", ["x"], {"axis": 2, "num_outputs": 2, "outputs": 2}),
                 ("Slice", ["x", np.int64([2, -1]), np.int64([0, -100]), np.int64([1, 2]), np.int64([-1, -2])], {}),
                 ("Slice", ["x", np.int64([1]), np.int64([9])], {}), ("Gather", ["x", np.array(-1, np.int64)], {"axis": 2}),
                 ("Gather", ["x", indices], {"axis": 1}), ("Gather", [values(3, 5, seed=4), "i"], {}),
                 ("GatherElements", ["i", indices[:, :1] * 0], {"axis": 1}), ("GatherND", ["x", np.int64([[1, -1], [0, 2]])], {}),
                 ("GatherND", ["x", np.int64([[1], [0]])], {"batch_dims": 1}), ("Expand", [values(3, 1, seed=5), np.int64([2, 1, 4])], {}),
                 ("Expand", ["x", np.int64([5, 1, 1, 1])], {}), ("Tile", ["x", np.int64([1, 2, 2])], {}),
                 ("Pad", ["x", np.int64([0, 1, 0, 0, 2, 1]), np.array(7, np.float32)], {}),
                 ("Pad", ["x", np.int64([1, 2]), "", np.int64([-1])], {"mode": "reflect"}), ("Trilu", ["image"], {"upper": 0}),
                 ("Trilu", ["x", np.array(1, np.int64)], {}), ("DepthToSpace", ["image"], {"blocksize": 2}),
                 ("DepthToSpace", ["image"], {"blocksize": 2, "mode": "CRD"}), ("SpaceToDepth", ["image"], {"blocksize": 2}),
                 ("OneHot", ["i", np.array(4, np.int64), values(2, seed=6)], {"axis": 1}), ("Shape", ["x"], {"start": 1}), ("Size", ["x"], {}),
                 ("ScatterND", ["x", np.int64([[1], [0]]), values(2, 3, 4, seed=7)], {}),
                 ("ScatterND", ["x", np.int64([[1], [1]]), values(2, 3, 4, seed=7)], {"reduction": "add"}),
                 ("ScatterElements", ["i", np.int64([[1], [0]]), np.int64([[7], [8]])], {"axis": 1}),
                 ("ConstantOfShape", [np.int64([2, 3])], {}), ("Range", [np.int64(1), np.int64(7), np.int64(2)], {})]
        self.check([(operator, [np.asarray(each) if isinstance(each, np.generic) else each for each in operands], attributes)
                    for operator, operands, attributes in nodes], inputs)

    def test_images_made_larger_and_smaller(self):
        inputs = {"x": values(1, 2, 4, 6)}
        twice, sizes = np.float32([1, 1, 2, 1.5]), np.int64([1, 2, 7, 3])
        nodes = [("Resize", ["x", "", twice], {"mode": mode, "coordinate_transformation_mode": how, **more})
                 for mode, more in (("nearest", {"nearest_mode": "floor"}), ("nearest", {}), ("linear", {}))
                 for how in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")]
        nodes += [("Resize", ["x", "", "", sizes], {"mode": "linear"}), ("Resize", ["x", "", "", sizes], {})]
        self.check(nodes, inputs)
        x = inputs["x"]
        (found,) = jax.jit(Graph(self.model([("Upsample", ["x", np.float32([1, 1, 2, 2])], {})], {"x": x}, opset=9)))(x)
        np.testing.assert_array_equal(found, x.repeat(2, 2).repeat(2, 3))
        self.seen.add("Upsample")

    def test_z_every_operator_of_the_table_has_been_tried(self):
        by_node_tests = {cases.operator_of(case) for case in cases.collect(at_most=1)}  # xla_node_test.py
        self.assertEqual(set(OPERATORS) - self.seen - by_node_tests, set())


class Wholes(Graphs):
    def families(self):
        for name, parameters in SMALL:
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.onnx")
                write_recipe(path, name, batch=2, **parameters)
                model = onnx_file.read(path)
                (slot,) = onnx_file.inputs_of(model)
                yield model, values(*(dim.dim_value for dim in slot.type.tensor_type.shape.dim))

    def test_each_family_of_models_is_translated(self):
        for model, x in self.families():
            (shape,) = jax.eval_shape(Graph(model), x)
            self.assertEqual((shape.dtype, shape.shape[0]), (np.float32, 2))

    @unittest.skipUnless("NGB_ALL_CASES" in os.environ, "takes minutes: NGB_ALL_CASES=1 runs it")
    def test_each_family_of_models_is_right(self):
        for model, x in self.families():
            (found,) = jax.jit(Graph(model))(x)
            (expected,) = ReferenceEvaluator(model).run(None, {"input": x})
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)

    def test_what_depends_on_no_input_is_computed_at_once(self):
        x = values(2, 3, 4)
        nodes = [("Shape", ["x"], {}), ("Gather", ["y0_0", np.int64([0])], {}), ("Concat", ["y1_0", np.int64([-1])], {"axis": 0}),
                 ("Reshape", ["x", "y2_0"], {})]
        found = jax.jit(Graph(self.model(nodes, {"x": x})))(x)
        self.assertEqual(found[3].shape, (2, 12))

    def test_a_branch_is_taken_where_its_condition_is_known(self):
        x = values(2)
        branches = {f"{which}_branch": helper.make_graph(
            [helper.make_node(operator, ["x"], ["z"])], which, [], [helper.make_empty_tensor_value_info("z")])
            for which, operator in (("then", "Neg"), ("else", "Abs"))}
        (found,) = jax.jit(Graph(self.model([("If", [np.array(False)], branches)], {"x": x})))(x)
        np.testing.assert_array_equal(found, np.abs(x))

    def test_what_cannot_be_is_refused_by_name(self):
        x = {"x": values(2, 3), "shape": np.int64([3, 2])}
        for nodes, words in (([("Reshape", ["x", "shape"], {})], ("Reshape", "node0", "shape", "static")),
                             ([("Unique", ["x"], {})], ("Unique", "node0", "static")),
                             ([("RandomNormalLike", ["x"], {})], ("RandomNormalLike", "StableHLO"))):
            error = self.refusal(nodes, x)
            self.assertEqual(error.kind, "unsupported_operator")
            for word in words:
                self.assertIn(word, error.message)

    def test_quantised_operators_are_reported_as_emulated(self):
        x, scale, zero = values(3, 4), np.array(0.1, np.float32), np.array(0, np.int8)
        graph = Graph(self.model([("QuantizeLinear", ["x", scale, zero], {}), ("Neg", ["x"], {}),
                                  ("DequantizeLinear", ["y0_0", scale, zero], {})], {"x": x}))
        self.assertEqual(graph.facts(), {})  # nothing is computed yet
        jax.jit(graph)(x)
        self.assertEqual(graph.facts(), {"emulated": "QuantizeLinear 1, DequantizeLinear 1 of 3 nodes"})

    def test_programs_are_written_for_the_version_that_is_asked_for(self):
        x = values(1, 3, 8, 8)
        model = self.model([("Conv", ["x", values(4, 3, 3, 3)], {}), ("Gelu", ["y0_0"], {})], {"x": x})
        with tempfile.TemporaryDirectory() as folder:
            path, output = os.path.join(folder, "model.onnx"), os.path.join(folder, "program")
            onnx.save(model, path)
            self.assertEqual([slot.name for slot in onnx_file.inputs_of(onnx_file.read(path))], ["x"])
            request = {"model": path, "inputs": [{"name": "x", "dtype": "float32", "shape": [1, 3, 8, 8]}],
                       "output": output, "signature": output + ".json", "stablehlo_version": "1.8.0"}
            self.assertEqual(compiler.compile_model(request, print), {})
            with open(request["signature"], encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"outputs": ["y0_0", "y1_0"]})
            with open(output, "rb") as file:
                self.assertIn(b"StableHLO_v1.8.0", file.read(64))


if __name__ == "__main__":
    unittest.main()
