# SPDX-License-Identifier: Apache-2.0
"""The identity's operators of com.microsoft against ONNX Runtime's own kernels, on small random models."""
import os
import sys
import tempfile
import unittest
import warnings

from toolchain import LIB, node_tests, toolchain_or_skip

_, ORT = toolchain_or_skip("onnxruntime", "onnxruntime")
_, SITE = toolchain_or_skip("identity", "torch")
sys.path[:0] = [SITE, ORT]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from ngraphbench.hosting import Host  # noqa: E402

warnings.simplefilter("ignore")
TYPES = node_tests().TYPES
RANDOM = np.random.default_rng(1)


def f32(*shape, low=-1.0, high=1.0):
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def u8(*shape):
    return RANDOM.integers(0, 256, shape).astype(np.uint8)


def i8(*shape):
    return RANDOM.integers(-100, 100, shape).astype(np.int8)


def of(value, kind=np.float32):
    return np.asarray(value, kind)


class Constant:
    """An operand that is an initializer of the file."""

    def __init__(self, value):
        self.value = np.asarray(value)


SCALE, OUT = Constant(of(0.02)), Constant(of(0.03))
ZERO, OUT_ZERO = Constant(of(120, np.uint8)), Constant(of(130, np.uint8))
SIGNED = Constant(of(3, np.int8))
# Operator, attributes, operands (None is left out), number of outputs.
FLOATS = [
    ("Gelu", {}, [f32(2, 8)], 1),
    ("BiasGelu", {}, [f32(2, 3, 8), f32(8)], 1),
    ("FastGelu", {}, [f32(2, 3, 8), f32(8)], 1),
    ("FastGelu", {}, [f32(2, 8)], 1),
    ("QuickGelu", {"alpha": 1.5}, [f32(2, 8)], 1),
    ("FusedMatMul", {"alpha": 0.5, "transA": 1}, [f32(2, 4, 3), f32(2, 4, 5)], 1),
    ("FusedMatMul", {"transB": 1}, [f32(2, 2, 3, 4), f32(2, 2, 5, 4)], 1),
    ("FusedMatMul", {"transBatchA": 1}, [f32(3, 2, 4), f32(2, 4, 5)], 1),
    ("FusedGemm", {"activation": "LeakyRelu", "activation_alpha": 0.2, "transB": 1},
     [f32(2, 4), Constant(f32(3, 4)), Constant(f32(3))], 1),
    ("FusedConv", {"activation": "Relu", "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
     [f32(2, 3, 6, 6), Constant(f32(4, 3, 3, 3)), Constant(f32(4)), f32(2, 4, 6, 6)], 1),
    ("FusedConv", {"activation": "HardSigmoid", "activation_params": [0.25, 0.4], "kernel_shape": [1, 1]},
     [f32(2, 3, 6, 6), Constant(f32(4, 3, 1, 1))], 1),
    ("SkipLayerNormalization", {"epsilon": 1e-5}, [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)], 4),
    ("SkipLayerNormalization", {}, [f32(2, 3, 8), f32(2, 3, 8), f32(8)], 1),
    ("SkipSimplifiedLayerNormalization", {"epsilon": 1e-6}, [f32(2, 3, 8), f32(2, 3, 8), f32(8)], 4),
    ("EmbedLayerNormalization", {"epsilon": 1e-6},
     [of([[1, 5, 0], [2, 2, 9]], np.int32), of([[0, 1, 1], [0, 0, 1]], np.int32), Constant(f32(10, 8)),
      Constant(f32(4, 8)), Constant(f32(2, 8)), Constant(f32(8)), Constant(f32(8)),
      of([[1, 1, 0], [1, 1, 1]], np.int32)], 2),
]
QKV = [f32(2, 5, 8), Constant(f32(8, 24)), Constant(f32(24))]
ATTENTIONS = [
    ("Attention", {"num_heads": 2}, [*QKV, of([[1, 1, 1, 0, 0], [1] * 5], np.int32)], 1),
    ("Attention", {"num_heads": 2, "unidirectional": 1}, QKV, 2),
    ("Attention", {"num_heads": 2}, [*QKV, of([3, 5], np.int32)], 1),
    ("Attention", {"num_heads": 2, "unidirectional": 1}, [*QKV, None, f32(2, 2, 2, 3, 4)], 2),
    ("Attention", {"num_heads": 2}, [*QKV, None, None, f32(2, 2, 5, 5)], 1),
    ("MultiHeadAttention", {"num_heads": 2}, [f32(2, 3, 8), f32(2, 5, 8), f32(2, 5, 8), f32(24)], 1),
    ("MultiHeadAttention", {"num_heads": 2, "scale": 0.3},
     [f32(2, 3, 8), f32(2, 5, 8), f32(2, 5, 8), None, of([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)], 1),
    ("MultiHeadAttention", {"num_heads": 2},
     [f32(2, 3, 8), f32(2, 3, 8), f32(2, 3, 8), None, None, None, f32(2, 2, 4, 4), f32(2, 2, 4, 4)], 3),
    ("MultiHeadAttention", {"num_heads": 2, "unidirectional": 1}, [f32(2, 3, 8), f32(2, 3, 8), f32(2, 3, 8)], 1),
    ("RotaryEmbedding", {}, [f32(2, 3, 16), of([4], np.int64), Constant(f32(20, 4)), Constant(f32(20, 4))], 1),
    ("RotaryEmbedding", {"interleaved": 1},
     [f32(2, 2, 3, 8), of([[0, 1, 2], [5, 6, 7]], np.int64), Constant(f32(20, 4)), Constant(f32(20, 4))], 1),
    ("RotaryEmbedding", {"rotary_embedding_dim": 4, "num_heads": 2},
     [f32(2, 3, 16), of([[0, 1, 2], [5, 6, 7]], np.int64), Constant(f32(20, 2)), Constant(f32(20, 2))], 1),
]
TABLES = [Constant(f32(32, 8)), Constant(f32(32, 8))]
GROUPED = {"num_heads": 4, "kv_num_heads": 2}
ATTENTIONS += [
    ("GroupQueryAttention", GROUPED, [f32(2, 3, 32), f32(2, 3, 16), f32(2, 3, 16), None, None,
                                      of([2, 2], np.int32), of(3, np.int32)], 3),
    ("GroupQueryAttention", {**GROUPED, "do_rotary": 1},
     [f32(2, 3, 128), None, None, None, None, of([2, 2], np.int32), of(3, np.int32), *TABLES], 3),
    ("GroupQueryAttention", {**GROUPED, "do_rotary": 1, "rotary_interleaved": 1, "scale": 0.2},
     [f32(2, 1, 64), f32(2, 1, 32), f32(2, 1, 32), f32(2, 2, 6, 16), f32(2, 2, 6, 16), of([6, 6], np.int32),
      of(7, np.int32), *TABLES], 3),
    ("GroupQueryAttention", {**GROUPED, "local_window_size": 3, "softcap": 2.0},
     [f32(2, 1, 32), f32(2, 1, 16), f32(2, 1, 16), f32(2, 2, 6, 8), f32(2, 2, 6, 8), of([6, 6], np.int32),
      of(7, np.int32)], 3),
]
LSTM = [f32(6, 2, 3), Constant(i8(2, 3, 16)), Constant(i8(2, 4, 16)), Constant(f32(2, 32)), None, None, None, None,
        Constant(f32(2, 16, low=0.005, high=0.01)), Constant(np.zeros((2, 16), np.int8)),
        Constant(f32(2, 16, low=0.005, high=0.01)), Constant(np.zeros((2, 16), np.int8))]
# A state that lies between two of its steps may be rounded to the other one.
RECURRENT = [
    ("DynamicQuantizeLSTM", {"direction": "bidirectional", "hidden_size": 4}, LSTM, 3),
    ("DynamicQuantizeLSTM", {"hidden_size": 4},
     [f32(6, 2, 3), Constant(u8(1, 3, 16)), Constant(u8(1, 4, 16)), None, of([6, 4], np.int32), f32(1, 2, 4),
      f32(1, 2, 4), None, Constant(f32(1, low=0.005, high=0.01)), Constant(of([128], np.uint8)),
      Constant(f32(1, low=0.005, high=0.01)), Constant(of([128], np.uint8))], 3),
]
QUANTIZED = [
    ("MatMulIntegerToFloat", {}, [u8(2, 3, 4), Constant(i8(4, 5)), SCALE, Constant(f32(5, low=0.01, high=0.02)), ZERO,
                                  Constant(i8(5)), Constant(f32(5))], 1),
    ("DynamicQuantizeMatMul", {}, [f32(2, 3, 4), Constant(i8(4, 5)), SCALE, SIGNED, Constant(f32(5))], 1),
    ("DynamicQuantizeMatMul", {}, [f32(3, 4), Constant(u8(4, 5)), SCALE, ZERO], 1),
    ("QGemm", {"transB": 1, "alpha": 1.0}, [u8(3, 4), SCALE, ZERO, Constant(i8(5, 4)), SCALE, SIGNED,
                                           Constant(RANDOM.integers(-99, 99, 5).astype(np.int32))], 1),
    ("QLinearAdd", {}, [u8(2, 8), SCALE, ZERO, u8(8), OUT, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearMul", {}, [u8(2, 8), SCALE, ZERO, u8(2, 8), SCALE, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearAdd", {}, [i8(2, 8), SCALE, SIGNED, i8(2, 8), OUT, SIGNED, OUT, SIGNED], 1),
    ("QLinearSigmoid", {}, [u8(2, 8), SCALE, ZERO, Constant(of(1 / 255)), Constant(of(0, np.uint8))], 1),
    ("QLinearLeakyRelu", {"alpha": 0.3}, [u8(2, 8), SCALE, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearSoftmax", {"axis": -1, "opset": 13},
     [u8(2, 8), SCALE, ZERO, Constant(of(1 / 256)), Constant(of(0, np.uint8))], 1),
    ("QLinearConcat", {"axis": 1}, [OUT, OUT_ZERO, u8(2, 3), SCALE, ZERO, u8(2, 4), OUT, ZERO], 1),
    ("QLinearGlobalAveragePool", {"channels_last": 0}, [u8(2, 3, 4, 4), SCALE, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearGlobalAveragePool", {"channels_last": 1}, [u8(2, 4, 4, 3), SCALE, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearAveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}, [u8(2, 3, 4, 4), SCALE, ZERO, OUT, OUT_ZERO], 1),
    ("QLinearWhere", {}, [RANDOM.integers(0, 2, (2, 4)).astype(bool), u8(2, 4), SCALE, ZERO, u8(2, 4), OUT, ZERO, OUT,
                          OUT_ZERO], 1),
    ("QuantizeLinear", {}, [f32(2, 4), SCALE, ZERO], 1),
    ("DequantizeLinear", {}, [u8(2, 4), SCALE, ZERO], 1),
    ("QAttention", {"num_heads": 2}, [u8(2, 5, 8), Constant(i8(8, 24)), Constant(f32(24)), Constant(of(0.01)),
                                      Constant(of(0.01)), None, ZERO, SIGNED], 1),
    ("MatMulNBits", {"K": 40, "N": 6, "bits": 4, "block_size": 32},
     [f32(2, 3, 40), Constant(u8(6, 2, 16)), Constant(f32(12))], 1),
    ("MatMulNBits", {"K": 40, "N": 6, "bits": 4, "block_size": 16},
     [f32(3, 40), Constant(u8(6, 3, 8)), Constant(f32(18)), Constant(u8(12))], 1),
]


class ContributedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def save(self, operator, attributes, operands, count):
        """Return the inputs of the model that is written."""
        slots, weights, names, inputs = [], [], [], {}
        for place, operand in enumerate(operands):
            names.append("" if operand is None else f"v{place}")
            if isinstance(operand, Constant):
                weights.append(numpy_helper.from_array(operand.value, names[-1]))
            elif operand is not None:
                inputs[names[-1]] = operand
                kind = helper.np_dtype_to_tensor_dtype(operand.dtype)
                slots.append(helper.make_tensor_value_info(names[-1], kind, operand.shape))
        outputs = [f"y{place}" for place in range(count)]
        node = helper.make_node(operator, names, outputs, domain="com.microsoft", **attributes)
        graph = helper.make_graph([node], "g", slots, [helper.make_empty_tensor_value_info(each) for each in outputs],
                                  weights)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), self.path)
        return inputs

    def of_identity(self, inputs):
        session = Host(os.path.join(LIB, "compilers", "identity")).open(SITE, "cpu", "f32", 1, {})
        try:
            rows = [(name, TYPES[value.dtype.name], value.shape) for name, value in inputs.items()]
            session.compile(self.path, "", rows, "")
            session.bind([(*row, memoryview(value.tobytes())) for row, value in zip(rows, inputs.values())])
            session.runner()()
            types = {ours: theirs for theirs, ours in TYPES.items()}
            return [np.frombuffer(data, types[dtype]).reshape(shape) for _, dtype, shape, data in session.read()]
        finally:
            session.close()

    def of_onnxruntime(self, inputs):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])
        return session.run(None, inputs)

    def assert_same(self, cases, absolute, steps=0):
        for operator, attributes, operands, count in cases:
            with self.subTest(operator, **attributes):
                inputs = self.save(operator, attributes, operands, count)
                expected, found = self.of_onnxruntime(inputs), self.of_identity(inputs)
                self.assertEqual([(y.dtype, y.shape) for y in found], [(y.dtype, y.shape) for y in expected])
                for ours, theirs in zip(found, expected):
                    within = absolute if theirs.dtype.kind == "f" else steps
                    np.testing.assert_allclose(ours.astype("f8"), theirs.astype("f8"), 1e-3, within)

    def test_fused_operators_are_those_of_onnxruntime(self):
        self.assert_same(FLOATS, 1e-5)

    def test_attention_is_that_of_onnxruntime(self):
        self.assert_same(ATTENTIONS, 1e-5)

    def test_quantised_operators_are_within_a_step_of_onnxruntimes(self):
        self.assert_same(QUANTIZED, 1e-4, 1)
        self.assert_same(RECURRENT, 2e-3)

    def test_a_form_that_is_not_converted_is_refused_with_its_node(self):
        from ngraphbench.adaptor import CompilerError

        inputs = self.save("MatMulNBits", {"K": 32, "N": 6, "bits": 2, "block_size": 32},
                           [f32(3, 32), Constant(u8(6, 1, 8)), Constant(f32(6))], 1)
        with self.assertRaises(CompilerError) as caught:
            self.of_identity(inputs)
        self.assertEqual(caught.exception.kind, "unsupported_operator")
        self.assertIn("no PyTorch equivalent of this form of MatMulNBits: 2 bits", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
