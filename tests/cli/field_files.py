# SPDX-License-Identifier: Apache-2.0
"""Writes small files as users' exporters, optimisers and toolkits write them, into the working folder. Run by a Python
that has the packages onnx and numpy."""
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

V = h.make_tensor_value_info
RANDOM = np.random.default_rng(1)


def save(name, nodes, inputs, outputs, weights=(), opset=17, domains=()):
    """`weights`: {name: array}."""
    graph = h.make_graph(nodes, name, inputs, outputs,
                         [nh.from_array(np.asarray(value), key) for key, value in dict(weights).items()])
    opsets = [h.make_opsetid("", opset), *(h.make_opsetid(domain, 1) for domain in domains)]
    onnx.save(h.make_model(graph, opset_imports=opsets, ir_version=8), f"{name}.onnx")


def normal(*shape):
    return (RANDOM.standard_normal(shape) * 0.1).astype(np.float32)


def constant_of_a_branch():
    """A Constant that only a branch of an If uses."""
    then = h.make_graph([h.make_node("Mul", ["x", "two"], ["t"])], "then", [], [V("t", T.FLOAT, None)])
    other = h.make_graph([h.make_node("Neg", ["x"], ["e"])], "other", [], [V("e", T.FLOAT, None)])
    save("constant_of_a_branch",
         [h.make_node("Constant", [], ["two"], value=nh.from_array(np.array(2, np.float32))),
          h.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
          h.make_node("Greater", ["sum", "zero"], ["is_positive"]),
          h.make_node("If", ["is_positive"], ["y"], then_branch=then, else_branch=other)],
         [V("x", T.FLOAT, ["batch", 8])], [V("y", T.FLOAT, ["batch", 8])], {"zero": np.array(0, np.float32)})


def declared_rank():
    """The output has three dimensions, and the file says two."""
    save("declared_rank", [h.make_node("MatMul", ["x", "w"], ["y"])], [V("x", T.FLOAT, ["batch", 5, 16])],
         [V("y", T.FLOAT, ["batch", "n"])], {"w": normal(16, 10)})


def declared_extent():
    """The output's first extent is the batch, and the file says 1."""
    save("declared_extent", [h.make_node("MatMul", ["x", "w"], ["y"])], [V("x", T.FLOAT, ["batch", 16])],
         [V("y", T.FLOAT, [1, 10])], {"w": normal(16, 10)})


def fused():
    """As ONNX Runtime's optimiser writes it."""
    save("fused", [h.make_node("MatMul", ["x", "w"], ["a"]),
                   h.make_node("BiasGelu", ["a", "b"], ["y"], domain="com.microsoft")],
         [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 64])],
         {"w": normal(64, 64), "b": np.ones(64, np.float32)}, domains=["com.microsoft"])


def quantized():
    """As ONNX Runtime's quantiser writes a linear layer."""
    weight = RANDOM.integers(-100, 100, (64, 64)).astype(np.int8)
    save("quantized", [h.make_node("DynamicQuantizeMatMul", ["x", "w", "scale", "", "b"], ["y"], domain="com.microsoft")],
         [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 64])],
         {"w": weight, "scale": np.array([0.001], np.float32), "b": normal(64)}, domains=["com.microsoft"])


def pad_of_a_row():
    """Sound is padded by reflection."""
    save("pad_of_a_row", [h.make_node("Pad", ["x", "pads"], ["p"], mode="reflect"), h.make_node("Relu", ["p"], ["y"])],
         [V("x", T.FLOAT, ["batch", 64])], [V("y", T.FLOAT, ["batch", 96])], {"pads": np.array([0, 0, 0, 32], np.int64)})


def split_into_one():
    """As PyTorch's exporter writes unbind of a batch of one."""
    save("split_into_one", [h.make_node("Split", ["x", "sizes"], ["part"], axis=1),
                            h.make_node("Squeeze", ["part", "axes"], ["y"])],
         [V("x", T.FLOAT, ["batch", 1, 8])], [V("y", T.FLOAT, ["batch", 8])],
         {"sizes": np.array([1], np.int64), "axes": np.array([1], np.int64)}, opset=13)


def pool_after_loop():
    """The pooled value's rank is known only when it runs."""
    body = h.make_graph([h.make_node("Relu", ["state"], ["next"]), h.make_node("Identity", ["go"], ["go_on"])], "body",
                        [V("i", T.INT64, []), V("go", T.BOOL, []), V("state", T.FLOAT, None)],
                        [V("go_on", T.BOOL, []), V("next", T.FLOAT, None)])
    save("pool_after_loop", [h.make_node("Loop", ["steps", "", "x"], ["looped"], body=body),
                             h.make_node("GlobalAveragePool", ["looped"], ["y"])],
         [V("x", T.FLOAT, ["batch", 6, 5, 5])], [V("y", T.FLOAT, ["batch", 6, 1, 1])], {"steps": np.array(2, np.int64)})


def map_output():
    """As skl2onnx writes a classifier by default."""
    labels = V("label", T.INT64, ["batch"])
    kind = h.make_sequence_type_proto(h.make_map_type_proto(T.INT64, h.make_tensor_type_proto(T.FLOAT, [])))
    ml = "ai.onnx.ml"
    save("map_output",
         [h.make_node("LinearClassifier", ["X"], ["label", "scores"], domain=ml, coefficients=[0.1, -0.2, 0.3, 0.4, 0.5, -0.6],
                      intercepts=[0.1, 0.0, -0.1], classlabels_ints=[0, 1, 2], multi_class=1, post_transform="SOFTMAX"),
          h.make_node("ZipMap", ["scores"], ["probabilities"], domain=ml, classlabels_int64s=[0, 1, 2])],
         [V("X", T.FLOAT, ["batch", 2])], [labels, h.make_value_info("probabilities", kind)], opset=15, domains=[ml])


def softmax(opset):
    """Softmax had another form up to opset 12."""
    save(f"softmax_{opset}", [h.make_node("MatMul", ["x", "w"], ["a"]), h.make_node("Softmax", ["a"], ["y"], axis=1)],
         [V("x", T.FLOAT, ["batch", 8])], [V("y", T.FLOAT, ["batch", 8])], {"w": normal(8, 8)}, opset=opset)


def question_marks():
    """As toolkits for OCR name an open height and width."""
    save("question_marks", [h.make_node("Relu", ["x"], ["y"])], [V("x", T.FLOAT, ["batch", 3, "?", "?"])],
         [V("y", T.FLOAT, ["batch", 3, "?", "?"])])


def time_first():
    """A recurrent network's input."""
    save("time_first", [h.make_node("MatMul", ["x", "w"], ["y"])], [V("x", T.FLOAT, ["time", "batch", 8])],
         [V("y", T.FLOAT, ["time", "batch", 4])], {"w": normal(8, 4)})


def batch_baked_in():
    """The exporter has written its own batch into a Reshape."""
    save("batch_baked_in", [h.make_node("Reshape", ["x", "shape"], ["flat"], name="flatten"),
                            h.make_node("MatMul", ["flat", "w"], ["y"], name="classifier")],
         [V("x", T.FLOAT, ["batch", 4, 16])], [V("y", T.FLOAT, ["batch", 10])],
         {"shape": np.array([1, -1], np.int64), "w": normal(64, 10)})


def decoder_with_past():
    """One layer of attention of 2 heads of 4, whose keys follow those of the past, with a mask over all of them."""
    past = V("past_key", T.FLOAT, ["batch", 2, "past_sequence", 4])
    save("decoder_with_past",
         [h.make_node("Gather", ["words", "input_ids"], ["embedded"]),  # [batch, sequence, 8]
          h.make_node("Reshape", ["embedded", "heads"], ["apart"]),
          h.make_node("Transpose", ["apart"], ["query"], perm=[0, 2, 1, 3]),
          h.make_node("Concat", ["past_key", "query"], ["key"], axis=2),
          h.make_node("Transpose", ["key"], ["turned"], perm=[0, 1, 3, 2]),
          h.make_node("MatMul", ["query", "turned"], ["scores"]),
          h.make_node("Cast", ["attention_mask"], ["mask"], to=T.FLOAT),
          h.make_node("Unsqueeze", ["mask", "middle"], ["wide"]),
          h.make_node("Mul", ["scores", "wide"], ["masked"]),
          h.make_node("Softmax", ["masked"], ["weights"], axis=-1),
          h.make_node("MatMul", ["weights", "key"], ["y"])],
         [V("input_ids", T.INT64, ["batch", "sequence"]), V("attention_mask", T.INT64, ["batch", "total_sequence"]), past],
         [V("y", T.FLOAT, ["batch", 2, "sequence", 4]), V("key", T.FLOAT, ["batch", 2, "total_sequence", 4])],
         {"words": normal(50, 8), "heads": np.array([0, 0, 2, 4], np.int64), "middle": np.array([1, 2], np.int64)})


def subnormal():
    """A quarter of the weights are subnormal."""
    weight = normal(64, 64)
    weight[:16] = 1e-40
    save("subnormal", [h.make_node("MatMul", ["x", "w"], ["y"])], [V("x", T.FLOAT, ["batch", 64])],
         [V("y", T.FLOAT, ["batch", 64])], {"w": weight})
    onnx.save(onnx.load("subnormal.onnx"), "subnormal_beside.onnx", save_as_external_data=True, size_threshold=0)


def mixed_types():
    """f32 and f64 are added, as converters of tables write it if nobody casts."""
    save("mixed_types", [h.make_node("Add", ["x", "w"], ["y"], name="sum")], [V("x", T.FLOAT, ["batch", 8])],
         [V("y", T.FLOAT, ["batch", 8])], {"w": np.ones(8)})


def positions():
    """A table of 50 words and one of 40 positions, which are counted."""
    save("positions",
         [h.make_node("Gather", ["words", "ids"], ["embedded"]),
          h.make_node("Mul", ["ids", "zero"], ["none"]),
          h.make_node("Add", ["none", "one"], ["ones"]),
          h.make_node("CumSum", ["ones", "one"], ["counted"]),
          h.make_node("Sub", ["counted", "one"], ["places"]),
          h.make_node("Gather", ["positions", "places"], ["placed"], name="pos"),
          h.make_node("Add", ["embedded", "placed"], ["y"])],
         [V("ids", T.INT64, ["batch", "sequence"])], [V("y", T.FLOAT, ["batch", "sequence", 8])],
         {"words": normal(50, 8), "positions": normal(40, 8), "zero": np.array(0), "one": np.array(1)})


def boxes():
    """How many boxes a page has is open, and there is one page."""
    save("boxes", [h.make_node("MatMul", ["boxes", "w"], ["y"])], [V("boxes", T.FLOAT, [1, "N", 16])],
         [V("y", T.FLOAT, [1, "N", 1])], {"w": normal(16, 1)})


if __name__ == "__main__":
    for write in (constant_of_a_branch, declared_rank, declared_extent, fused, quantized, pad_of_a_row, split_into_one,
                  pool_after_loop, map_output, question_marks, time_first, batch_baked_in, decoder_with_past, subnormal,
                  mixed_types, positions, boxes):
        write()
    softmax(11)
    softmax(13)
