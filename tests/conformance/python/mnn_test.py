# SPDX-License-Identifier: Apache-2.0
"""mnn's adaptor in this process, against numpy's reading of the same ONNX file (onnx.reference)."""
import os
import sys
import tempfile
import unittest

from toolchain import LIB, SMALL, toolchain_or_skip, write_recipe

FOLDER = os.path.join(LIB, "compilers", "mnn")
_, SITE = toolchain_or_skip("mnn", "MNN")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

WORDS = {"float32": "f32", "int64": "i64", "int32": "i32", "bool": "bool", "uint8": "u8"}


class Mnn(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "model.onnx")

    def session_of(self, inputs, threads=1, precision="f32", **options):
        """inputs: {name: array}"""
        session = Host(FOLDER).open(SITE, "cpu", precision, threads, options)
        self.addCleanup(session.close)
        model = (self.path, "", [(name, WORDS[str(value.dtype)], value.shape) for name, value in inputs.items()],
                 os.path.join(self._folder.name, "model.mnn"))
        session.compile(*model)
        session.load(*model)
        session.bind([(name, WORDS[str(value.dtype)], value.shape, memoryview(value.tobytes())) for name, value in inputs.items()])
        return session

    def outputs(self, inputs, runs=1, **options):
        session = self.session_of(inputs, **options)
        run = session.runner()
        for _ in range(runs):
            run()
        numpys = {ours: theirs for theirs, ours in WORDS.items()}
        return [numpy.frombuffer(data, numpys[dtype]).reshape(shape) for _, dtype, shape, data in session.read()]

    def assert_right(self, shape, **options):
        x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)
        (found,) = self.outputs({"input": x}, **options)
        (expected,) = ReferenceEvaluator(self.path).run(None, {"input": x})
        numpy.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)

    def test_a_precision_is_what_the_outputs_show_or_refused(self):
        """MNN's package for x86-64 takes "low" and "low_bf16" without a word and computes in f32."""
        write_recipe(self.path, "conv_block", width=8, depth=2, image_size=16)
        x = {"input": numpy.random.default_rng(1).uniform(-1, 1, (1, 3, 16, 16)).astype("f4")}
        (expected,) = self.outputs(x)
        for precision in ("f16", "bf16"):
            with self.subTest(precision=precision):
                try:
                    (found,) = self.outputs(x, precision=precision)
                except CompilerError as error:
                    self.assertEqual((error.kind, error.message),
                                     ("fallback", f"MNN was told to compute in {precision}, and its outputs are those of f32, bit "
                                                  "for bit: here it computes in f32"))
                else:
                    self.assertTrue(1e-6 < numpy.abs(found - expected).max() / numpy.abs(expected).max() < 3e-2)

    def write(self, *nodes, inputs=(("x", TensorProto.FLOAT, [2, 3]),), output=("y", TensorProto.FLOAT, None), weights=(), opset=20):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*each) for each in inputs],
                                  [helper.make_tensor_value_info(*output)], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), self.path)

    def refusal(self):
        with self.assertRaises(CompilerError) as caught:
            self.session_of({"x": numpy.zeros((2, 3), "f4")})
        return caught.exception

    def test_what_is_written_anew_is_a_fact(self):
        axes = numpy_helper.from_array(numpy.array([1]), "axes")
        x = numpy.ones((2, 3), "f4")
        self.write(helper.make_node("Relu", ["x"], ["r"]), helper.make_node("ReduceL1", ["r", "axes"], ["y"]), weights=[axes])
        self.assertEqual(dict(self.session_of({"x": x}).inspect())["rewritten"], "ReduceL1 1")
        self.write(helper.make_node("Relu", ["x"], ["y"]))
        self.assertNotIn("rewritten", dict(self.session_of({"x": x}).inspect()))

    def test_each_family_of_models_is_right(self):
        for name, parameters in SMALL:
            with self.subTest(name=name):
                write_recipe(self.path, name, batch=2, **parameters)
                dims = onnx.load(self.path).graph.input[0].type.tensor_type.shape.dim
                self.assert_right(tuple(dim.dim_value for dim in dims))

    def test_the_hundredth_inference_sees_the_same_inputs_as_the_first(self):
        write_recipe(self.path, "conv_block", width=8, depth=2, image_size=16)
        self.assert_right((1, 3, 16, 16), runs=100)

    def test_gelu_is_the_models_own_unless_the_study_allows_the_approximation(self):
        """As the operator, and as exporters write it. At x = -2.3: -0.024665 exactly, -0.024327 by tanh."""
        def constant(name, value):
            return numpy_helper.from_array(numpy.float32(value), name)

        chain = [helper.make_node("Div", ["x", "root"], ["a"]), helper.make_node("Erf", ["a"], ["b"]),
                 helper.make_node("Add", ["b", "one"], ["c"]), helper.make_node("Mul", ["x", "c"], ["d"]),
                 helper.make_node("Mul", ["d", "half"], ["y"])]
        weights = [constant("root", 2 ** 0.5), constant("one", 1), constant("half", 0.5)]
        for nodes, of in (([helper.make_node("Gelu", ["x"], ["y"])], ()), (chain, weights)):
            self.write(*nodes, weights=of)
            x = numpy.full((2, 3), -2.3, "f4")
            (exact,), (approximate,) = self.outputs({"x": x}), self.outputs({"x": x}, gelu="tanh")
            numpy.testing.assert_allclose(exact, -0.024665, atol=2e-6)
            numpy.testing.assert_allclose(approximate, -0.024327, atol=2e-6)

    def test_a_convolution_of_a_large_image_is_as_exact_as_f32_allows_unless_the_study_says_otherwise(self):
        random = numpy.random.default_rng(3)
        weights = (random.normal(size=(64, 64, 3, 3)) / 24).astype("f4")
        x = random.uniform(-1, 1, (1, 64, 56, 56)).astype("f4")
        self.write(helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1]), inputs=[("x", TensorProto.FLOAT, x.shape)],
                   weights=[numpy_helper.from_array(weights, "w")])
        padded = numpy.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
        expected = sum(numpy.einsum("nchw,oc->nohw", padded[:, :, i:i + 56, j:j + 56], weights[:, :, i, j].astype("f8"))
                       for i in range(3) for j in range(3))
        (found,) = self.outputs({"x": x})
        self.assertLess(numpy.abs(found - expected).max(), 1e-5)
        (found,) = self.outputs({"x": x}, winograd="large")
        self.assertLess(numpy.abs(found - expected).max(), 1e-2)

    def test_operators_of_which_the_converter_reads_one_form_only_are_right(self):
        def weight(name, value):
            return numpy_helper.from_array(numpy.asarray(value), name)

        def truths(operator, *operands):
            return [helper.make_node(operator, list(operands), ["b"]), helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT)]

        nan = numpy.nan
        cases = (
            (truths("Less", "x", "w"), [weight("w", numpy.float32([[2, 2, 2]]))], [[1, 0, 0], [1, 0, 0]]),
            (truths("IsNaN", "x"), [], [[0, 0, 1], [0, 0, 0]]),
            ([helper.make_node("ReduceL2", ["x", "w"], ["y"], keepdims=0)], [weight("w", [1])], [nan, 5]),
            ([helper.make_node("LpNormalization", ["x"], ["y"], axis=1)], [], [[0, 0, 0], [0, 0.6, 0.8]]),
            ([helper.make_node("OneHot", ["x", "w", "v"], ["y"])],
             [weight("w", numpy.float32(3)), weight("v", numpy.float32([0, 9]))],
             [[[0, 9, 0], [0, 0, 9], [9, 0, 0]], [[9, 0, 0], [0, 0, 0], [0, 0, 0]]]),
            ([helper.make_node("Sum", ["x"], ["y"])], [], [[1, 2, nan], [0, 3, 4]]))
        for nodes, weights, expected in cases:
            with self.subTest(operator=nodes[0].op_type):
                self.write(*nodes, weights=weights)
                first = {"LpNormalization": [0, 0, 0], "OneHot": [1, 2, 0]}.get(nodes[0].op_type, [1, 2, nan])
                (found,) = self.outputs({"x": numpy.float32([first, [0, 3, 4]])})
                numpy.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_weights_that_the_model_standardises_itself_are_those_of_a_convolution(self):
        """Of 1 and 3 the mean is 2 and the deviation 1: they become -1 and 1."""
        def weight(name, *values):
            return numpy_helper.from_array(numpy.float32(values), name)

        self.write(helper.make_node("BatchNormalization", ["w", "one", "zero", "zero", "one"], ["k"], training_mode=1,
                                    epsilon=1e-9), helper.make_node("MatMul", ["x", "k"], ["y"]),
                   inputs=[("x", TensorProto.FLOAT, [1, 2])],
                   weights=[weight("w", [1, 5], [3, 5]), weight("one", 1, 1), weight("zero", 0, 0)])
        (found,) = self.outputs({"x": numpy.float32([[2, 7]])})
        numpy.testing.assert_allclose(found, [[5, 0]], atol=1e-6)

    def test_an_image_is_resized_as_the_model_says(self):
        """Where MNN reads other pixels, or drops what the model says: against onnx.reference, and by hand with weights of 1 and
        3 quarters, and of 2, 3 and 2 sevenths."""
        image = numpy.float32([[[[0, 4, 8], [4, 8, 0]]]])
        scales = [numpy_helper.from_array(numpy.float32([1, 1, 2, 2]), "s")]
        for attributes in (dict(mode="cubic"), dict(mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1),
                           dict(mode="cubic", coordinate_transformation_mode="align_corners")):
            self.write(helper.make_node("Resize", ["x", "", "s"], ["y"], **attributes), weights=scales,
                       inputs=[("x", TensorProto.FLOAT, [1, 1, 2, 3])], output=("y", TensorProto.FLOAT, [1, 1, 4, 6]))
            (found,), (expected,) = self.outputs({"x": image}), ReferenceEvaluator(self.path).run(None, {"x": image})
            numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=str(attributes))
        for attributes, scale, expected in ((dict(axes=[3]), 2, [[[[0, 1, 3, 5, 7, 8], [4, 5, 7, 6, 2, 0]]]]),
                                            (dict(axes=[3], antialias=1, exclude_outside=1), 1 / 3, [[[[4], [4.571429]]]])):
            self.write(helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear", **attributes),
                       inputs=[("x", TensorProto.FLOAT, [1, 1, 2, 3])], output=("y", TensorProto.FLOAT, numpy.shape(expected)),
                       weights=[numpy_helper.from_array(numpy.float32([scale]), "s")])
            (found,) = self.outputs({"x": image})
            numpy.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=str(attributes))

    def test_each_step_of_a_loop_has_its_own_value(self):
        """A recurrent layer, and a loop that doubles: MNN would repeat the last step's."""
        self.write(helper.make_node("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=2),
                   inputs=[("x", TensorProto.FLOAT, [3, 1, 1])], output=("y", TensorProto.FLOAT, [3, 1, 1, 2]),
                   weights=[numpy_helper.from_array(value, name) for name, value in
                            (("w", numpy.ones((1, 8, 1), "f4")), ("r", numpy.full((1, 8, 2), 0.25, "f4")),
                             ("b", numpy.zeros((1, 16), "f4")))])
        x = numpy.float32([1, -1, 2]).reshape(3, 1, 1)
        (found,), (expected,) = self.outputs({"x": x}), ReferenceEvaluator(self.path).run(None, {"x": x})
        numpy.testing.assert_allclose(found, expected, rtol=1e-5)

        def slot(name, kind=TensorProto.FLOAT, shape=(1,)):
            return helper.make_tensor_value_info(name, kind, shape)

        body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Add", ["a", "a"], ["b"]),
                                  helper.make_node("Neg", ["b"], ["e"])], "body",
                                 [slot("i", TensorProto.INT64, []), slot("c", TensorProto.BOOL, []), slot("a")],
                                 [slot("d", TensorProto.BOOL, []), slot("b"), slot("e")])
        self.write(helper.make_node("Loop", ["n", "true", "x"], ["last", "y"], body=body), inputs=[("x", TensorProto.FLOAT, [1])],
                   output=("y", TensorProto.FLOAT, [3, 1]), weights=[numpy_helper.from_array(numpy.array(3), "n"),
                                                                    numpy_helper.from_array(numpy.array(True), "true")])
        (found,) = self.outputs({"x": numpy.float32([1])})
        self.assertEqual(found.tolist(), [[-2], [-4], [-8]])

    def test_what_follows_a_convolution_of_three_axes_may_be_an_output(self):
        weights = [numpy_helper.from_array(numpy.full((1, 1, 1, 1, 2), 1, "f4"), "w"),
                   numpy_helper.from_array(numpy.float32(0), "low"), numpy_helper.from_array(numpy.float32(6), "high")]
        self.write(helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[1, 1, 2], strides=[1] * 3, pads=[0] * 6),
                   helper.make_node("Clip", ["c", "low", "high"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 1, 1, 1, 4])],
                   output=("y", TensorProto.FLOAT, [1, 1, 1, 1, 3]), weights=weights)
        (found,) = self.outputs({"x": numpy.float32([[[[[-4, 2, 3, 5]]]]])})
        self.assertEqual(found.tolist(), [[[[[0, 5, 6]]]]])

    def test_patches_are_added_up_to_an_image(self):
        """Three patches of 1 × 3 in a row of 7 that begin one before it: the last pixel is in none of them."""
        self.write(helper.make_node("Col2Im", ["x", "image", "block"], ["y"], strides=[1, 2], pads=[0, 1, 0, 0]),
                   inputs=[("x", TensorProto.FLOAT, [1, 6, 3])], output=("y", TensorProto.FLOAT, [1, 2, 1, 7]),
                   weights=[numpy_helper.from_array(numpy.array(value), name)
                            for name, value in (("image", [1, 7]), ("block", [1, 3]))])
        (found,) = self.outputs({"x": numpy.arange(18, dtype="f4").reshape(1, 6, 3)})
        self.assertEqual(found.tolist(), [[[[3, 7, 4, 9, 5, 8, 0]], [[12, 25, 13, 27, 14, 17, 0]]]])

    def test_a_pool_without_strides_moves_by_one(self):
        self.write(helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[1, 2]), inputs=[("x", TensorProto.FLOAT, [1, 1, 1, 4])])
        (found,) = self.outputs({"x": numpy.float32([[[[1, 4, 2, 3]]]])})
        self.assertEqual(found.ravel().tolist(), [4, 4, 3])

    def test_what_it_computes_as_something_else_is_refused(self):
        for node, message in ((helper.make_node("Shrink", ["x"], ["y"], lambd=1.5), "MNN drops the limits of Shrink"),
                              (helper.make_node("Round", ["x"], ["y"]), "MNN's Round does not round ties to even numbers"),
                              (helper.make_node("Mod", ["x", "x"], ["y"], fmod=1),
                               "MNN's Mod has the sign of the divisor, fmod that of the dividend"),
                              (helper.make_node("RNN", ["x", "x", "x"], ["y"], clip=1.0, activations=["Relu"]),
                               "MNN drops clip, activations of RNN"),
                              (helper.make_node("GRU", ["x", "x", "x", "", "x"], ["y"], direction="reverse"),
                               "MNN drops sequence_lens, direction, linear_before_reset=0 of GRU"),
                              (helper.make_node("BatchNormalization", ["x", "x", "x", "x", "x"], ["y"]),
                               "MNN's BatchNormalization needs constants as operands 1, 2, 3, 4")):
            with self.subTest(operator=node.op_type):
                self.write(node)
                error = self.refusal()
                self.assertEqual((error.kind, error.message), ("unsupported_operator", message))

    def test_a_dynamic_batch_becomes_the_cells(self):
        write_recipe(self.path, "mlp", features=6, width=8, depth=1, classes=3)
        model = onnx.load(self.path)
        for slot in (*model.graph.input, *model.graph.output):
            slot.type.tensor_type.shape.dim[0].dim_param = "batch"
        onnx.save(model, self.path)
        self.assert_right((4, 6), optimize_level=2, optimize_prefer=2)

    def test_types_are_those_of_the_model(self):
        """MNN has no i64 and no bool; small values of them are i32 there."""
        self.write(helper.make_node("Gather", ["table", "x"], ["y"]), inputs=[("x", TensorProto.INT64, [3])],
                   output=("y", TensorProto.INT64, [3]), weights=[numpy_helper.from_array(numpy.array([7, -8, 9]), "table")])
        (found,) = self.outputs({"x": numpy.array([2, 0, 1])})
        self.assertEqual((str(found.dtype), found.tolist()), ("int64", [9, 7, -8]))
        self.write(helper.make_node("Greater", ["x", "zero"], ["y"]), output=("y", TensorProto.BOOL, [2, 3]),
                   weights=[numpy_helper.from_array(numpy.float32(0), "zero")])
        (found,) = self.outputs({"x": numpy.float32([[1, -1, 0], [-2, 2, 3]])})
        self.assertEqual((str(found.dtype), found.tolist()), ("bool", [[True, False, False], [False, True, True]]))

    def test_a_type_that_it_lacks_is_refused(self):
        self.write(helper.make_node("Cast", ["x"], ["y"], to=TensorProto.DOUBLE), output=("y", TensorProto.DOUBLE, [2, 3]))
        error = self.refusal()
        self.assertEqual((error.kind, error.message), ("unsupported_operator", 'output "y" has type float64, which MNN lacks'))

    def test_all_operators_that_it_lacks_are_named_at_once(self):
        self.write(helper.make_node("Hardmax", ["x"], ["z"]), helper.make_node("Nonesuch", ["z"], ["y"]))
        error = self.refusal()
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertRegex(error.message, "MNN does not know .*(Hardmax.*Nonesuch|Nonesuch.*Hardmax)")

    def test_a_model_that_is_not_valid_is_no_fault_of_the_compilers(self):
        self.write(helper.make_node("Add", ["x"], ["y"]))
        self.assertEqual(self.refusal().kind, "invalid_model")

    def test_threads_are_counted(self):
        write_recipe(self.path, "mlp", features=6, width=8, depth=1, classes=3)
        x = {"input": numpy.zeros((1, 6), "f4")}
        for threads in (1, 2):
            self.assertIn(("threads", str(threads)), self.session_of(x, threads=threads).inspect())


if __name__ == "__main__":
    unittest.main()
