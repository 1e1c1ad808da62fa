# SPDX-License-Identifier: Apache-2.0
"""What of an ONNX graph follows from its inputs' shapes is computed, and nothing else."""
import sys
import unittest

from toolchain import toolchain_or_skip

_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)

import numpy  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

from ngraphbench import onnx_constants, onnx_standardised  # noqa: E402


def constant(name, *values):
    return numpy_helper.from_array(numpy.array(values, numpy.int64), name)


def graph_of(nodes, initializers=(), outputs=("y",)):
    """x has an open batch."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 6, 4])
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    return helper.make_model(helper.make_graph(nodes, "g", [x], outputs, list(initializers)),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


# As PyTorch's exporter writes x.reshape(x.shape[0], 3, -1).
RESHAPE = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "zero"], ["n"], axis=0),
           helper.make_node("Constant", [], ["three"], value=constant("", 3)),
           helper.make_node("Constant", [], ["rest"], value=constant("", -1)),
           helper.make_node("Concat", ["n", "three", "rest"], ["wanted"], axis=0),
           helper.make_node("Reshape", ["x", "wanted"], ["r"])]


class Constants(unittest.TestCase):
    def computed(self, model, batch=2):
        """The operators that are left."""
        onnx_constants.compute(model, {"x": (batch, 6, 4)})
        return [node.op_type for node in model.graph.node]

    def test_an_identity_of_a_weight_is_a_weight(self):
        weight = numpy_helper.from_array(numpy.float32([1, 2, 3, 4]), "weight")
        model = graph_of([helper.make_node("Identity", ["weight"], ["same"]), helper.make_node("Add", ["x", "same"], ["y"])],
                         [weight])
        self.assertEqual(self.computed(model), ["Add"])
        self.assertIn("same", [each.name for each in model.graph.initializer])

    def test_of_a_shape_that_is_worked_out_only_the_reshape_is_left(self):
        model = graph_of([*RESHAPE, helper.make_node("Relu", ["r"], ["y"])], [constant("zero", 0)])
        x = numpy.random.default_rng(1).uniform(-1, 1, (2, 6, 4)).astype(numpy.float32)
        (before,) = ReferenceEvaluator(model).run(None, {"x": x})
        self.assertEqual(self.computed(model), ["Reshape", "Relu"])
        (after,) = ReferenceEvaluator(model).run(None, {"x": x})
        self.assertEqual(after.shape, (2, 3, 8))
        numpy.testing.assert_array_equal(after, before)

    def test_a_shape_that_follows_from_a_computed_one_is_computed_as_well(self):
        shape = helper.make_node("Shape", ["r"], ["t"], start=1)
        model = graph_of([*RESHAPE, shape, helper.make_node("Cast", ["t"], ["y"], to=TensorProto.FLOAT)],
                         [constant("zero", 0)], ("y", "r"))
        self.assertEqual(self.computed(model), ["Reshape", "Cast"])  # what makes an output stays
        y, _ = ReferenceEvaluator(model).run(None, {"x": numpy.zeros((2, 6, 4), numpy.float32)})
        self.assertEqual(y.tolist(), [3, 8])

    def test_what_is_random_and_what_depends_on_data_stays(self):
        model = graph_of([helper.make_node("Shape", ["x"], ["s"]),
                          helper.make_node("RandomUniformLike", ["s"], ["u"], dtype=1),
                          helper.make_node("NonZero", ["x"], ["z"]), helper.make_node("Cast", ["z"], ["f"], to=1),
                          helper.make_node("ReduceSum", ["f"], ["a"], keepdims=0),
                          helper.make_node("ReduceSum", ["u"], ["b"], keepdims=0),
                          helper.make_node("Add", ["a", "b"], ["y"])])
        self.assertEqual(self.computed(model),
                         ["RandomUniformLike", "NonZero", "Cast", "ReduceSum", "ReduceSum", "Add"])

    def test_weights_are_left_to_the_compiler(self):
        weight = numpy_helper.from_array(numpy.zeros((300, 300), numpy.float32), "w")
        model = graph_of([helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Transpose", ["w"], ["t"]),
                          helper.make_node("ReduceSum", ["t"], ["y"], keepdims=0)], [weight])
        self.assertEqual(self.computed(model), ["Transpose", "ReduceSum"])

    def test_only_weights_that_are_standardised_are_computed_where_a_compiler_asks_for_it(self):
        """Each column of w becomes -1 and 1 by its mean and deviation, and is doubled then; what only led there is dropped."""
        weights = [numpy_helper.from_array(numpy.float32(value), name) for name, value in
                   (("w", [[1, 7, 7, 8], [3, 9, 5, 0]]), ("ones", [1] * 4), ("zeros", [0] * 4), ("two", 2), ("v", numpy.eye(4)))]
        model = graph_of([helper.make_node("Neg", ["zeros"], ["less"]), helper.make_node("Neg", ["v"], ["kept"]),
                          helper.make_node("BatchNormalization", ["w", "ones", "less", "zeros", "ones"], ["s"],
                                           training_mode=1, epsilon=1e-9),
                          helper.make_node("Mul", ["s", "two"], ["t"]), helper.make_node("Transpose", ["t"], ["u"]),
                          helper.make_node("MatMul", ["x", "kept"], ["a"]), helper.make_node("MatMul", ["a", "u"], ["y"])],
                         weights)
        onnx_standardised.write(model)
        self.assertEqual([node.op_type for node in model.graph.node], ["Neg", "MatMul", "MatMul"])
        values = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        self.assertEqual(set(values), {"v", "u"})
        numpy.testing.assert_allclose(values["u"], [[-2, 2], [-2, 2], [2, -2], [2, -2]], rtol=1e-6)

    def test_a_sequence_is_no_constant(self):
        model = graph_of([helper.make_node("Constant", [], ["a"], value=constant("", 3)),
                          helper.make_node("SequenceConstruct", ["a", "a"], ["q"]),
                          helper.make_node("SequenceLength", ["q"], ["n"]),
                          helper.make_node("Cast", ["n"], ["y"], to=TensorProto.FLOAT)])
        self.assertEqual(self.computed(model), ["SequenceConstruct", "SequenceLength", "Cast"])

    def test_outputs_that_are_left_out_get_no_constant(self):
        model = graph_of([helper.make_node("Shape", ["x"], ["s"]), helper.make_node("TopK", ["s", "one"], ["", "i"]),
                          helper.make_node("Clip", ["x", "", ""], ["y"]),
                          helper.make_node("Reshape", ["i", "one"], ["z"])], [constant("one", 1)], ("y", "z"))
        self.assertEqual(self.computed(model), ["Clip", "Reshape"])
        self.assertEqual({each.name for each in model.graph.initializer}, {"one", "i"})

    def test_what_only_a_graph_within_a_node_uses_is_kept(self):
        then = helper.make_graph([helper.make_node("Mul", ["x", "two"], ["t"])], "then", [],
                                 [helper.make_tensor_value_info("t", TensorProto.FLOAT, None)])
        other = helper.make_graph([], "other", [], [helper.make_tensor_value_info("five", TensorProto.FLOAT, None)])
        number = [numpy_helper.from_array(numpy.array(value, numpy.float32)) for value in (2, 5)]
        model = graph_of([helper.make_node("Constant", [], ["two"], value=number[0]),
                          helper.make_node("Constant", [], ["five"], value=number[1]),
                          helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
                          helper.make_node("Cast", ["sum"], ["is_positive"], to=TensorProto.BOOL),
                          helper.make_node("If", ["is_positive"], ["y"], then_branch=then, else_branch=other)])
        self.assertEqual(self.computed(model), ["ReduceSum", "Cast", "If"])
        self.assertEqual({each.name: numpy_helper.to_array(each).item() for each in model.graph.initializer},
                         {"two": 2, "five": 5})

    def test_gather_elements_is_right_beyond_64(self):
        node = helper.make_node("GatherElements", ["d", "i"], ["y"], axis=1)
        data = numpy.arange(200, dtype=numpy.int64).reshape(2, 100)
        (y,) = onnx_constants.evaluate(node, [data, numpy.array([[99, 0], [1, 1]])], 17)
        self.assertEqual(y.tolist(), [[99, 0], [101, 101]])


if __name__ == "__main__":
    unittest.main()
