# SPDX-License-Identifier: Apache-2.0
"""Writes small models whose check is not a matter of course, into the working folder. Needs the packages onnx and numpy."""
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

V = h.make_tensor_value_info
rng = np.random.default_rng(1)


def save(name, nodes, inputs, outputs, weights=(), domains=()):
    graph = h.make_graph(nodes, name, inputs, outputs,
                         [nh.from_array(np.asarray(value), key) for key, value in dict(weights).items()])
    opsets = [h.make_opsetid("", 17), *(h.make_opsetid(domain, 1) for domain in domains)]
    onnx.save(h.make_model(graph, opset_imports=opsets, ir_version=8), f"{name}.onnx")


# The root of a negative number is NaN, and inputs are between -1 and 1.
save("not_finite", [h.make_node("Sqrt", ["x"], ["root"]), h.make_node("Clip", ["root", "low", "high"], ["y"])],
     [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 64])],
     {"low": np.float32(-1), "high": np.float32(1)})

# All outputs are below 1e-4.
save("tiny", [h.make_node("MatMul", ["x", "w"], ["y"])],
     [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 64])],
     {"w": (rng.standard_normal((64, 64)) * 1e-7).astype(np.float32)})

# Compilers that compute f16 in f32 round less often than PyTorch, and differ from it by more than f32's tolerance.
layers = [[h.make_node("MatMul", [f"t{i}", f"w{i}"], [f"m{i}"]), h.make_node("Tanh", [f"m{i}"], [f"t{i + 1}"])]
          for i in range(8)]
save("half", sum(layers, []), [V("t0", T.FLOAT16, ["batch", 96])], [V("t8", T.FLOAT16, ["batch", 96])],
     {f"w{i}": (rng.standard_normal((96, 96)) * 0.2).astype(np.float16) for i in range(8)})

# Rounding decides what the sine of a number of some ten thousand is.
save("steep", [h.make_node("MatMul", ["x", "w"], ["a"]), h.make_node("Tanh", ["a"], ["calm"]),
               h.make_node("Mul", ["a", "many"], ["b"]), h.make_node("Sin", ["b"], ["steep"])],
     [V("x", T.FLOAT, ["batch", 4096])], [V("calm", T.FLOAT, ["batch", 64]), V("steep", T.FLOAT, ["batch", 64])],
     {"w": (rng.standard_normal((4096, 64)) * 0.1).astype(np.float32), "many": np.float32(1e4)})

# All boxes of "tied" have one score whatever the inputs are: each is the sum of the same numbers in another order, so that
# rounding decides which eight are chosen. Those of "untied" are the sums of different numbers.
boxes = rng.standard_normal((64, 4)).astype(np.float32)
numbers = rng.random(4096).astype(np.float32)
chosen = [h.make_node("Mul", ["x", "zero"], ["nothing"]), h.make_node("Add", ["nothing", "one"], ["ones"]),
          h.make_node("MatMul", ["ones", "w"], ["p"]), h.make_node("TopK", ["p", "most"], ["scores", "which"]),
          h.make_node("Gather", ["all_boxes", "which"], ["boxes"])]
outputs = [V("scores", T.FLOAT, ["batch", 8]), V("boxes", T.FLOAT, ["batch", 8, 4])]
for name, columns in (("tied", [rng.permutation(numbers) for _ in boxes]),
                      ("untied", [(numbers * (1 + place / 100)).astype(np.float32) for place, _ in enumerate(boxes)])):
    save(name, chosen, [V("x", T.FLOAT, ["batch", 4096])], outputs,
         {"w": np.stack(columns, axis=1), "zero": np.float32(0), "one": np.float32(1), "most": np.array([8], np.int64),
          "all_boxes": boxes})

# An operator that only ONNX Runtime and OpenVINO have.
save("fused", [h.make_node("MatMul", ["x", "w"], ["a"]),
               h.make_node("BiasGelu", ["a", "b"], ["c"], domain="com.microsoft"),
               h.make_node("Trilu", ["c"], ["y"], domain="com.microsoft")],
     [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 64])],
     {"w": (rng.standard_normal((64, 64)) * 0.1).astype(np.float32), "b": np.ones(64, np.float32)},
     domains=["com.microsoft"])

# A row of samples is padded by reflection.
save("padded_row", [h.make_node("Pad", ["x", "pads"], ["p"], mode="reflect"), h.make_node("Relu", ["p"], ["y"])],
     [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 96])],
     {"pads": np.array([0, 0, 0, 32], np.int64)})

# The rank of what is pooled is not known before it runs.
body = h.make_graph([h.make_node("Relu", ["state"], ["next"]), h.make_node("Identity", ["go"], ["go_on"])], "body",
                    [V("i", T.INT64, []), V("go", T.BOOL, []), V("state", T.FLOAT, None)],
                    [V("go_on", T.BOOL, []), V("next", T.FLOAT, None)])
save("pool_after_loop", [h.make_node("Loop", ["steps", "", "x"], ["looped"], body=body),
                         h.make_node("GlobalAveragePool", ["looped"], ["y"])],
     [V("x", T.FLOAT, ["batch", 6, 5, 5])], [V("y", T.FLOAT, ["batch", 6, 1, 1])], {"steps": np.array(2, np.int64)})

# What PyTorch has no operators for.
save("quantised", [h.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
                   h.make_node("QLinearMatMul", ["q", "scale", "zero", "w", "scale", "zero", "wide", "zero"], ["p"]),
                   h.make_node("DequantizeLinear", ["p", "wide", "zero"], ["y"])],
     [V("x", T.FLOAT, ["batch", 256])], [V("y", T.FLOAT, ["batch", 256])],
     {"w": rng.integers(-100, 100, (256, 256)).astype(np.int8), "scale": np.float32(0.01), "wide": np.float32(0.1),
      "zero": np.int8(0)})

# Each pixel is of class 0.
save("one_class", [h.make_node("Conv", ["x", "w", "b"], ["c"]), h.make_node("ArgMax", ["c"], ["y"], axis=1)],
     [V("x", T.FLOAT, ["batch", 3, 8, 8])], [V("y", T.INT64, ["batch", 1, 8, 8])],
     {"w": (rng.standard_normal((2, 3, 1, 1)) * 0.01).astype(np.float32), "b": np.float32([9, 0])})
