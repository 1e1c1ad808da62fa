# SPDX-License-Identifier: Apache-2.0
"""ncnn's adaptor in this process, against numpy's reading of the same ONNX file (onnx.reference)."""
import os
import sys
import tempfile
import unittest

from toolchain import LIB, SMALL, toolchain_or_skip, write_recipe

FOLDER = os.path.join(LIB, "compilers", "ncnn")
_, SITE = toolchain_or_skip("ncnn", "ncnn")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

sys.path.insert(0, FOLDER)
import low_rank  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import per_sample  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

WORDS = {"float32": "f32", "int64": "i64"}


class Ncnn(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "model.onnx")

    def session_of(self, inputs, settings=None, precision="f32"):
        """inputs: {name: array}"""
        session = Host(FOLDER).open(SITE, "cpu", precision, 1, {}, settings=settings or {})
        self.addCleanup(session.close)
        model = (self.path, "", [(name, WORDS[str(value.dtype)], value.shape) for name, value in inputs.items()],
                 os.path.join(self._folder.name, "compiled"))
        session.compile(*model)
        session.load(*model)
        session.bind([(name, WORDS[str(value.dtype)], value.shape, memoryview(value.tobytes())) for name, value in inputs.items()])
        return session

    def outputs(self, inputs, runs=2, **options):
        session = self.session_of(inputs, **options)
        run = session.runner()
        for _ in range(runs):
            run()
        return [numpy.frombuffer(data, "f4").reshape(shape) for _, _, shape, data in session.read()]

    def assert_right(self, x):
        (found,) = self.outputs({"input": x})
        (expected,) = ReferenceEvaluator(self.path).run(None, {"input": x})
        numpy.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)

    def test_a_precision_is_what_the_outputs_show_or_refused(self):
        """On x86-64 ncnn takes its options for f16 without a word and computes in f32; of bf16 it has kernels."""
        write_recipe(self.path, "conv_block", width=8, depth=2, image_size=16)
        x = numpy.random.default_rng(1).uniform(-1, 1, (1, 3, 16, 16)).astype("f4")
        (expected,) = self.outputs({"input": x})
        for precision, least, most in (("f16", 1e-5, 3e-3), ("bf16", 1e-4, 3e-2)):  # 11 and 8 bits
            with self.subTest(precision=precision):
                try:
                    session = self.session_of({"input": x}, precision=precision)
                except CompilerError as error:
                    self.assertEqual((precision, error.kind), ("f16", "fallback"))
                    self.assertRegex(error.message, r"^ncnn has no kernels for f16 on this processor: all \d+ layers compute in f32$")
                    continue
                session.runner()()
                found = numpy.frombuffer(session.read()[0][3], "f4").reshape(expected.shape)
                difference = numpy.abs(found - expected).max() / numpy.abs(expected).max()
                self.assertTrue(least < difference < most, difference)
                facts = dict(session.inspect())
                self.assertEqual((facts["precision"], facts["f32_operators"]), (precision, "none"))
                self.assertIn(facts["arithmetic"], (precision, f"f32, of numbers that are stored in {precision}"))

    def test_a_precision_that_changes_no_bit_is_no_reduced_one(self):
        self.write(helper.make_node("Relu", ["x"], ["y"]))
        with self.assertRaises(CompilerError) as raised:
            self.session_of({"x": numpy.ones((2, 3), "f4")}, precision="bf16")
        self.assertEqual((raised.exception.kind, raised.exception.message),
                         ("fallback", "ncnn was told to compute in bf16, and its outputs are those of f32, bit for bit: here it "
                                      "computes in f32"))

    def write(self, *nodes, inputs=(("x", TensorProto.FLOAT, [2, 3]),), output=("y", TensorProto.FLOAT, None), weights=()):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*each) for each in inputs],
                                  [helper.make_tensor_value_info(*output)], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)

    def refusal(self, **options):
        with self.assertRaises(CompilerError) as caught:
            self.session_of({"x": numpy.zeros((2, 3), "f4")}, **options)
        return caught.exception

    def ended(self, name, parameters, batch):
        """How a process ended that computed a model: "right", what refused it, or the signal of a crash."""
        write_recipe(self.path, name, batch=batch, **parameters)
        shape = [dim.dim_value for dim in onnx.load(self.path).graph.input[0].type.tensor_type.shape.dim]
        x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self.assert_right(x)
                os.write(tell, b"right")
            except CompilerError as error:
                os.write(tell, error.message.encode())
            except BaseException as error:
                os.write(tell, repr(error).encode())
            finally:
                os._exit(0)
        os.close(tell)
        _, status = os.waitpid(child, 0)
        with os.fdopen(told, "rb") as file:
            return file.read().decode() or f"signal {os.WTERMSIG(status)}"

    def test_each_family_of_models_is_right_with_one_sample_and_with_two(self):
        for name, parameters in SMALL:
            for batch in (1, 2):
                with self.subTest(name=name, batch=batch):
                    self.assertEqual(self.ended(name, parameters, batch), "right")

    def test_a_model_whose_samples_are_not_apart_is_converted_as_it_is(self):
        """Softmax along the first axis: exp(0), exp(ln 3), of 1 + 3."""
        self.write(helper.make_node("Softmax", ["x"], ["y"], axis=0), output=("y", TensorProto.FLOAT, [2, 3]))
        session = self.session_of({"x": numpy.float32([[0, 0, 0], [numpy.log(3)] * 3])})
        session.runner()()
        self.assertIn(("batches", "part of the graph: Softmax works along the axis of samples"), session.inspect())
        numpy.testing.assert_allclose(numpy.frombuffer(session.read()[0][3], "f4"), [0.25] * 3 + [0.75] * 3, rtol=1e-5)

    def test_query_and_key_are_taken_from_where_they_lie_so_that_samples_stay_apart(self):
        """Of each token the first two numbers are its query, the others its key: (query - key) · key is -2 · key."""
        make, numbers = helper.make_node, {"s": [2, 2, 2, 1, 2], "zero": [0], "one": [1], "two": [2], "out": [2, 2, 2]}
        for taken in ([make("Split", ["t"], ["q0", "k0"], axis=0, num_outputs=2), make("Squeeze", ["q0", "zero"], ["q"]),
                       make("Squeeze", ["k0", "zero"], ["k"])],
                      [make("Slice", ["t", "zero", "one", "zero"], ["q0"]), make("Slice", ["t", "one", "two", "zero"], ["k0"]),
                       make("Squeeze", ["q0", "zero"], ["q"]), make("Squeeze", ["k0", "zero"], ["k"])],
                      [make("Gather", ["t", "first"], ["q"], axis=0), make("Gather", ["t", "second"], ["k"], axis=0)]):
            self.write(make("Reshape", ["x", "s"], ["r"]), make("Transpose", ["r"], ["t"], perm=[2, 0, 3, 1, 4]), *taken,
                       make("Sub", ["q", "k"], ["d"]), make("Relu", ["k"], ["e"]), make("Mul", ["d", "e"], ["m"]),
                       make("Reshape", ["m", "out"], ["y"]), inputs=[("x", TensorProto.FLOAT, [2, 2, 4])],
                       output=("y", TensorProto.FLOAT, [2, 2, 2]),
                       weights=[*(numpy_helper.from_array(numpy.array(value), name) for name, value in numbers.items()),
                                *(numpy_helper.from_array(numpy.array(place), name)
                                  for place, name in enumerate(("first", "second")))])
            x = {"x": numpy.arange(16, dtype="f4").reshape(2, 2, 4)}
            session = self.session_of(x)
            session.runner()()
            self.assertNotIn("batches", dict(session.inspect()))
            (found,) = self.outputs(x)
            self.assertEqual(found.tolist(), [[[-4, -6], [-12, -14]], [[-20, -22], [-28, -30]]], taken[0].op_type)

    def test_groups_of_channels_are_normalised_however_the_reshape_is_written(self):
        weights = [numpy_helper.from_array(numpy.array(value), name) for name, value in (("s", [1, 2, 4]), ("o", [1, 4, 1, 2]))]
        weights += [numpy_helper.from_array(numpy.float32(value), name) for name, value in (("w", [1, 1]), ("b", [0, 0]))]
        self.write(helper.make_node("Reshape", ["x", "s"], ["g"]),
                   helper.make_node("InstanceNormalization", ["g", "w", "b"], ["n"], epsilon=1e-9),
                   helper.make_node("Reshape", ["n", "o"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 4, 1, 2])],
                   output=("y", TensorProto.FLOAT, [1, 4, 1, 2]), weights=weights)
        (found,) = self.outputs({"x": numpy.float32([1, 3, 3, 1, 5, 9, 9, 5]).reshape(1, 4, 1, 2)})
        numpy.testing.assert_allclose(found.ravel(), [-1, 1, 1, -1, -1, 1, 1, -1], rtol=1e-4)

    def test_a_graph_within_a_node_is_not_split_into_samples(self):
        """It may use any value without it being an operand."""
        def branch(name):
            return helper.make_graph([helper.make_node("Relu", ["x"], [name])], name, [],
                                     [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])

        self.write(helper.make_node("If", ["c"], ["z"], then_branch=branch("t"), else_branch=branch("e")),
                   helper.make_node("Reshape", ["z", "s"], ["y"]), output=("y", TensorProto.FLOAT, [2, 3]),
                   weights=[numpy_helper.from_array(numpy.array(True), "c"), numpy_helper.from_array(numpy.array([2, 3]), "s")])
        self.assertEqual(per_sample.write(onnx.load(self.path), 2), "If has a graph within")

    def test_a_transpose_has_as_few_axes_as_it_needs(self):
        for shape, order, few in (((1, 6, 3, 6, 3, 12), (0, 1, 3, 2, 4, 5), ([1, 6, 3, 6, 36], [0, 1, 3, 2, 4])),
                                  ((2, 3, 1, 4, 5), (3, 4, 0, 2, 1), ([6, 20], [1, 0])),
                                  ((2, 3, 4), (2, 1, 0), ([2, 3, 4], [2, 1, 0]))):
            self.assertEqual(low_rank.merged(shape, order), few)
            whole = numpy.arange(numpy.prod(shape))
            self.assertEqual(whole.reshape(few[0]).transpose(few[1]).ravel().tolist(),
                             whole.reshape(shape).transpose(order).ravel().tolist())

    def test_a_transpose_of_more_axes_is_some_that_follow_each_other(self):
        """Windows of an image that lie apart, as in MaxViT: two transposes of four axes."""
        for shape, order, count in (((1, 8, 2, 8, 2, 6), (0, 2, 4, 1, 3, 5), 2), ((2, 3, 4, 5, 6), (4, 3, 2, 1, 0), 2),
                                    ((2, 3, 2, 3, 2, 3), (5, 3, 1, 4, 2, 0), 2), ((2, 3, 4), (2, 1, 0), 1),
                                    ((2,) * 7, (6, 4, 2, 0, 5, 3, 1), 0)):
            steps = low_rank.steps(shape, order)
            self.assertEqual(len(steps), count, shape)
            whole = numpy.arange(numpy.prod(shape))
            found = whole
            for few, few_order in steps:
                self.assertLessEqual(len(few) - (few[0] == 1), 4)
                found = found.reshape(few).transpose(few_order)
            if steps:
                self.assertEqual(found.ravel().tolist(), whole.reshape(shape).transpose(order).ravel().tolist())

    def test_windows_that_lie_apart_are_those_of_the_model(self):
        """The transpose of MaxViT's grid: the first window has every second pixel of every second row."""
        numbers = {"apart": [1, 2, 2, 2, 2, 3], "windows": [1, 16, 3]}
        self.write(helper.make_node("MaxPool", ["x"], ["p"], kernel_shape=[1, 1]),
                   helper.make_node("Transpose", ["p"], ["r"], perm=[0, 2, 3, 1]),
                   helper.make_node("Reshape", ["r", "apart"], ["a"]),
                   helper.make_node("Transpose", ["a"], ["t"], "grid", perm=[0, 2, 4, 1, 3, 5]),
                   helper.make_node("Reshape", ["t", "windows"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 3, 4, 4])],
                   output=("y", TensorProto.FLOAT, [1, 16, 3]),
                   weights=[numpy_helper.from_array(numpy.array(value), name) for name, value in numbers.items()])
        (found,) = self.outputs({"x": numpy.arange(48, dtype="f4").reshape(1, 3, 4, 4)})
        self.assertEqual(found[0, :, 0].tolist(), [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15])

    def test_patches_of_an_image_are_taken_apart_and_added_up(self):
        """Of 2 × 2 side by side, and of 3 × 3 that overlap, or whose rows lie two apart; a pixel counts once for each patch."""
        image = numpy.arange(2 * 6 * 6, dtype="f4").reshape(1, 2, 6, 6)
        for kernel, stride, dilation in ((2, 2, 1), (3, 1, 2), (3, 2, 1)):
            places = (6 - dilation * (kernel - 1) - 1) // stride + 1
            taken = dilation * numpy.arange(kernel)[:, None] + stride * numpy.arange(places)[None, :]
            more = dict(strides=[stride] * 2, dilations=[dilation] * 2)
            self.write(helper.make_node("Gather", ["x", "i"], ["rows"], axis=2),
                       helper.make_node("Gather", ["rows", "i"], ["all"], axis=4),
                       helper.make_node("Transpose", ["all"], ["t"], perm=[0, 1, 2, 4, 3, 5]),
                       helper.make_node("Reshape", ["t", "shape"], ["patches"]), helper.make_node("Relu", ["patches"], ["r"]),
                       helper.make_node("Col2Im", ["r", "image", "block"], ["y"], **more),
                       inputs=[("x", TensorProto.FLOAT, [1, 2, 6, 6])], output=("y", TensorProto.FLOAT, [1, 2, 6, 6]),
                       weights=[numpy_helper.from_array(numpy.array(value), name) for name, value in
                                (("i", taken), ("shape", [1, -1, places * places]), ("image", [6, 6]), ("block", [kernel] * 2))])
            (found,) = self.outputs({"x": image})
            times = numpy.bincount(taken.ravel(), minlength=6).astype("f4")
            self.assertEqual(found.tolist(), (image * times[:, None] * times).tolist(), (kernel, stride, dilation))

    def test_an_attention_may_have_one_query(self):
        """As of a class token: a product with one row, whose result gets more axes."""
        random = numpy.random.default_rng(4)
        numbers = {name: random.normal(size=shape).astype("f4") for name, shape in
                   (("wq", (8, 8)), ("wk", (8, 8)), ("wv", (8, 8)), ("wo", (8, 8)), ("bq", 8), ("bk", 8), ("bv", 8), ("bo", 8))}
        numbers.update(first=numpy.array(0), one=numpy.array([1]), q=numpy.array([1, 1, 2, 4]), k=numpy.array([1, 3, 2, 4]),
                       o=numpy.array([1, 1, 8]), root=numpy.float32([0.7071]))
        make = helper.make_node
        self.write(make("Gather", ["x", "first"], ["token"], axis=1), make("Gemm", ["token", "wq", "bq"], ["q0"], transB=1),
                   make("Unsqueeze", ["q0", "one"], ["q1"]), make("Reshape", ["q1", "q"], ["q2"]),
                   make("Transpose", ["q2"], ["q3"], perm=[0, 2, 1, 3]), make("MatMul", ["x", "wk"], ["k0"]),
                   make("Add", ["bk", "k0"], ["k1"]), make("Reshape", ["k1", "k"], ["k2"]),
                   make("Transpose", ["k2"], ["k3"], perm=[0, 2, 3, 1]), make("MatMul", ["x", "wv"], ["v0"]),
                   make("Add", ["bv", "v0"], ["v1"]), make("Reshape", ["v1", "k"], ["v2"]),
                   make("Transpose", ["v2"], ["v3"], perm=[0, 2, 1, 3]), make("Mul", ["q3", "root"], ["q4"]),
                   make("Mul", ["k3", "root"], ["k4"]), make("MatMul", ["q4", "k4"], ["a0"]), make("Softmax", ["a0"], ["a1"]),
                   make("MatMul", ["a1", "v3"], ["o0"]), make("Transpose", ["o0"], ["o1"], perm=[0, 2, 1, 3]),
                   make("Reshape", ["o1", "o"], ["o2"]), make("MatMul", ["o2", "wo"], ["o3"]), make("Add", ["bo", "o3"], ["o4"]),
                   make("Concat", ["o4", "x"], ["y"], axis=1), inputs=[("x", TensorProto.FLOAT, [1, 3, 8])],
                   output=("y", TensorProto.FLOAT, [1, 4, 8]),
                   weights=[numpy_helper.from_array(value, name) for name, value in numbers.items()])
        x = random.normal(size=(1, 3, 8)).astype("f4")
        (found,), (expected,) = self.outputs({"x": x}), ReferenceEvaluator(self.path).run(None, {"x": x})
        numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

    def test_values_along_the_first_axis_are_taken_from_there(self):
        x = numpy.arange(24, dtype="f4").reshape(1, 4, 6)
        weights = [numpy_helper.from_array(numpy.array(value), name) for name, value in
                   (("s", [1, 4, 3, 2]), ("zero", [0]), ("one", [1]), ("two", [2]), ("three", [3]))]
        self.write(helper.make_node("Reshape", ["x", "s"], ["a"]), helper.make_node("Transpose", ["a"], ["b"], perm=[2, 0, 3, 1]),
                   helper.make_node("Slice", ["b", "one", "two", "zero"], ["c"]),
                   helper.make_node("Squeeze", ["c", "zero"], ["d"]),
                   helper.make_node("Slice", ["b", "two", "three", "zero"], ["e"]),
                   helper.make_node("Squeeze", ["e", "zero"], ["f"]),
                   helper.make_node("Sub", ["d", "f"], ["g"]), helper.make_node("Mul", ["g", "d"], ["y"]),
                   inputs=[("x", TensorProto.FLOAT, [1, 4, 6])], output=("y", TensorProto.FLOAT, [1, 2, 4]), weights=weights)
        (found,) = self.outputs({"x": x})
        self.assertEqual(found.tolist(), [[[-4, -16, -28, -40], [-6, -18, -30, -42]]])

    def test_a_power_is_right_also_of_what_is_not_positive_or_is_refused(self):
        for exponent, expected in ((3, [-8, 0, 8]), (2, [4, 0, 4]), (4, [16, 0, 16])):
            self.write(helper.make_node("Pow", ["x", "p"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 3])],
                       weights=[numpy_helper.from_array(numpy.float32(exponent), "p")])
            (found,) = self.outputs({"x": numpy.float32([[-2, 0, 2]])})
            self.assertEqual(found.ravel().tolist(), expected)
        for exponent, expected in ((0.75, [numpy.nan, 0, 8]), (2.5, [numpy.nan, 0, 1024]), (0.25, [numpy.nan, 0, 2]),
                                   (1.5, [numpy.nan, 0, 64])):
            self.write(helper.make_node("Pow", ["x", "p"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 3])],
                       weights=[numpy_helper.from_array(numpy.float32(exponent), "p")])
            (found,) = self.outputs({"x": numpy.float32([[-16, 0, 16]])})
            numpy.testing.assert_allclose(found.ravel(), expected, rtol=1e-6, err_msg=str(exponent))
        self.write(helper.make_node("Pow", ["x", "p"], ["y"]), weights=[numpy_helper.from_array(numpy.float32(-0.5), "p")])
        self.assertIn("ncnn computes Pow of what is not positive as 2e38", self.refusal().message)

    def test_a_pool_of_maxima_may_be_given_minus_infinity_around_the_image_and_nothing_else_may(self):
        infinity = [numpy_helper.from_array(numpy.array([0, 0, 0, 0, 0, 0, 1, 1]), "pads"),
                    numpy_helper.from_array(numpy.float32(-numpy.inf), "v")]
        pad = helper.make_node("Pad", ["x", "pads", "v"], ["p"])
        image = [("x", TensorProto.FLOAT, [1, 1, 2, 3])]
        self.write(pad, helper.make_node("MaxPool", ["p"], ["y"], kernel_shape=[2, 2]), inputs=image, weights=infinity,
                   output=("y", TensorProto.FLOAT, [1, 1, 2, 3]))
        (found,) = self.outputs({"x": numpy.float32([[[[-1, -5, -2], [-7, -3, -9]]]])})
        self.assertEqual(found.tolist(), [[[[-1, -2, -2], [-3, -3, -9]]]])
        self.write(pad, helper.make_node("Relu", ["p"], ["y"]), inputs=image, weights=infinity)
        with self.assertRaises(CompilerError) as caught:
            self.session_of({"x": numpy.zeros((1, 1, 2, 3), "f4")})
        self.assertEqual(caught.exception.message, "ncnn's files hold no infinite number, and Pad has -inf")

    def test_weights_that_the_model_standardises_itself_are_those_of_a_convolution(self):
        """Of 1 and 3 the mean is 2 and the deviation 1: they become -1 and 1. Of 5 and 5 there is no deviation."""
        def weight(name, *values):
            return numpy_helper.from_array(numpy.float32(values), name)

        self.write(helper.make_node("BatchNormalization", ["w", "one", "zero", "zero", "one"], ["s"], training_mode=1,
                                    epsilon=1e-9),
                   helper.make_node("Reshape", ["s", "shape"], ["k"]), helper.make_node("Conv", ["x", "k"], ["y"]),
                   inputs=[("x", TensorProto.FLOAT, [1, 1, 1, 3])], output=("y", TensorProto.FLOAT, [1, 2, 1, 2]),
                   weights=[weight("w", [[1, 3], [5, 5]]), weight("one", 1, 1), weight("zero", 0, 0),
                            numpy_helper.from_array(numpy.array([2, 1, 1, 2]), "shape")])
        (found,) = self.outputs({"x": numpy.float32([[[[2, 7, 4]]]])})
        numpy.testing.assert_allclose(found.ravel(), [5, -3, 0, 0], rtol=1e-6)

    def test_all_operands_of_a_maximum_count(self):
        self.write(helper.make_node("Max", ["x", "a", "b"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 3])],
                   weights=[numpy_helper.from_array(numpy.float32([[value] * 3]), name) for name, value in (("a", 2), ("b", 4))])
        (found,) = self.outputs({"x": numpy.float32([[1, 3, 5]])})
        self.assertEqual(found.ravel().tolist(), [4, 4, 5])

    def test_a_reduction_is_along_its_axis_also_if_that_is_an_operand(self):
        x = numpy.arange(12, dtype="f4").reshape(1, 3, 4)
        for kind, axis, kept, expected in (("ReduceMean", 1, 0, [4, 5, 6, 7]), ("ReduceSum", -1, 1, [6, 22, 38]),
                                           ("ReduceMean", 2, 0, [1.5, 5.5, 9.5]), ("ReduceMax", 1, 0, [8, 9, 10, 11]),
                                           ("ReduceMin", -1, 1, [0, 4, 8])):
            self.write(helper.make_node(kind, ["x", "axes"], ["y"], keepdims=kept), inputs=[("x", TensorProto.FLOAT, [1, 3, 4])],
                       weights=[numpy_helper.from_array(numpy.array([axis]), "axes")])
            (found,) = self.outputs({"x": x})
            self.assertEqual(found.ravel().tolist(), expected, (kind, axis))

    def test_a_reduction_of_four_axes_has_as_many_numbers_as_it_should(self):
        x = numpy.arange(24, dtype="f4").reshape(1, 2, 3, 4)
        for kind, axis in (("ReduceL2", -1), ("ReduceMean", 2), ("ReduceSum", 1)):
            self.write(helper.make_node(kind, ["x", "axes"], ["y"]), inputs=[("x", TensorProto.FLOAT, [1, 2, 3, 4])],
                       weights=[numpy_helper.from_array(numpy.array([axis]), "axes")])
            (found,) = self.outputs({"x": x})
            expected = {"ReduceL2": numpy.sqrt((x * x).sum(-1)), "ReduceMean": x.mean(2), "ReduceSum": x.sum(1)}[kind]
            numpy.testing.assert_allclose(found.ravel(), expected.ravel(), rtol=1e-5, err_msg=kind)

    def test_what_pnnx_reads_as_something_else_is_refused(self):
        self.write(helper.make_node("Shrink", ["x"], ["y"], lambd=1.5))
        self.assertEqual(self.refusal().message, "pnnx drops the limits of Shrink")
        self.write(helper.make_node("LSTM", ["x", "x", "x"], ["y"], hidden_size=3))
        self.assertEqual(self.refusal().kind, "invalid_model")

    def test_indices_are_those_of_the_model(self):
        self.write(helper.make_node("Gather", ["table", "x"], ["y"]), inputs=[("x", TensorProto.INT64, [1, 3])],
                   output=("y", TensorProto.FLOAT, [1, 3, 2]),
                   weights=[numpy_helper.from_array(numpy.arange(2048, dtype="f4").reshape(1024, 2), "table")])
        (found,) = self.outputs({"x": numpy.array([[2, 0, 1]])})
        self.assertEqual(found.ravel().tolist(), [4, 5, 0, 1, 2, 3])

    def test_an_output_that_is_not_f32_is_refused(self):
        self.write(helper.make_node("Cast", ["x"], ["y"], to=TensorProto.INT64), output=("y", TensorProto.INT64, [2, 3]))
        error = self.refusal()
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertIn('output "y" is not f32', error.message)

    def test_an_operator_that_pnnx_does_not_know_is_named(self):
        self.write(helper.make_node("Nonesuch", ["x"], ["y"]))
        error = self.refusal()
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertIn("Nonesuch", error.message)

    def test_a_model_that_is_not_valid_is_no_fault_of_the_compilers(self):
        self.write(helper.make_node("Add", ["x"], ["y"]))
        self.assertEqual(self.refusal().kind, "invalid_model")

    def test_its_options_are_handed_on_and_an_unknown_one_is_refused(self):
        write_recipe(self.path, "mlp", features=6, width=8, depth=1, classes=3)
        session = self.session_of({"input": numpy.zeros((1, 6), "f4")}, settings={"use_winograd_convolution": "false"})
        self.assertIn(("use_winograd_convolution", "False"), session.inspect())
        self.assertEqual(self.refusal(settings={"nonsense": "1"}).kind, "invalid_option")


if __name__ == "__main__":
    unittest.main()
