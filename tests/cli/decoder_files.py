# SPDX-License-Identifier: Apache-2.0
"""Writes small decoders as users' exporters name their caches, into the working folder: graphs of one layer by hand, and with
`transformers`, a GPT-2 and a llama exported by PyTorch with what transformers itself computes of them.

decoder_files.py SITE… [transformers]   SITE: folders with onnx, numpy and torch."""
import sys

TRANSFORMERS = "transformers" in sys.argv[1:]
sys.path += [path for path in sys.argv[1:] if path != "transformers"]
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto as T  # noqa: E402
from onnx import helper as h  # noqa: E402
from onnx import numpy_helper as nh  # noqa: E402

WORDS, WIDTH, HEADS, HEAD, ROWS = 50, 32, 2, 16, 64
V, N = h.make_tensor_value_info, h.make_node


def weights():
    random = np.random.default_rng(3)
    made = {name: (random.standard_normal(shape) * 0.3).astype(np.float32) for name, shape in {
        "table": (WORDS, WIDTH), "q_weight": (WIDTH, WIDTH), "k_weight": (WIDTH, WIDTH), "v_weight": (WIDTH, WIDTH),
        "head": (WIDTH, WORDS)}.items()}
    made.update(heads=np.array([0, 0, HEADS, HEAD]), flat=np.array([0, 0, WIDTH]), scale=np.array(0.25, np.float32))
    return made


def heads_of(name, source):
    return [N("MatMul", [source, f"{name}_weight"], [f"{name}_flat"]), N("Reshape", [f"{name}_flat", "heads"], [f"{name}_split"]),
            N("Transpose", [f"{name}_split"], [name], perm=[0, 2, 1, 3])]


def save(name, nodes, inputs, outputs, opset=20, domains=(), more=()):
    graph = h.make_graph(nodes, name, inputs, [V("logits", T.FLOAT, ["batch", "sequence", WORDS]), *outputs],
                         [nh.from_array(value, key) for key, value in {**weights(), **dict(more)}.items()])
    opsets = [h.make_opsetid("", opset), *(h.make_opsetid(domain, 1) for domain in domains)]
    onnx.save(h.make_model(graph, opset_imports=opsets, ir_version=10), f"{name}.onnx")


def attention(keys, values, begin=(), mask=None, context="context"):
    """Return nodes of: scores of the new tokens over all keys; the mask, 1 for each that is seen, is added as a large negative number."""
    nodes = [*begin, N("Transpose", [keys], [f"{keys}_t"], perm=[0, 1, 3, 2]), N("MatMul", ["q", f"{keys}_t"], [f"{keys}_dots"]),
             N("Mul", [f"{keys}_dots", "scale"], [f"{keys}_scores"])]
    scores = f"{keys}_scores"
    if mask:
        nodes += [N("Cast", [mask], ["seen"], to=T.FLOAT), N("Sub", ["seen", "one"], ["hidden"]), N("Mul", ["hidden", "large"], ["bias"]),
                  N("Unsqueeze", ["bias", "axes"], ["bias4"]), N("Add", [scores, "bias4"], [f"{keys}_masked"])]
        scores = f"{keys}_masked"
    return [*nodes, N("Softmax", [scores], [f"{keys}_shares"], axis=-1), N("MatMul", [f"{keys}_shares", values], [context])]


MASKED = {"one": np.array(1, np.float32), "large": np.array(1e9, np.float32), "axes": np.array([1, 2])}


def ending(context="context"):
    return [N("Transpose", [context], ["joined"], perm=[0, 2, 1, 3]), N("Reshape", ["joined", "flat"], ["out"]),
            N("Add", ["out", "x"], ["sum"]), N("MatMul", ["sum", "head"], ["logits"])]


def past(name, rows="past_sequence_length"):
    return V(name, T.FLOAT, ["batch", HEADS, rows, HEAD])


def beginning():
    return [N("Gather", ["table", "input_ids"], ["x"]), *heads_of("q", "x"), *heads_of("k", "x"), *heads_of("v", "x")]


def growing(name, names, mask=True):
    """`names`: past and present of keys, then of values."""
    (past_key, key), (past_value, value) = names
    inputs = [V("input_ids", T.INT64, ["batch", "sequence"])]
    if mask:
        inputs.append(V("attention_mask", T.INT64, ["batch", "past_sequence_length + sequence_length"]))
    join = [N("Concat", [past_key, "k"], [key], axis=2), N("Concat", [past_value, "v"], [value], axis=2)]
    save(name, [*beginning(), *join, *attention(key, value, mask="attention_mask" if mask else None), *ending()],
         [*inputs, past(past_key), past(past_value)], [past(key, "total"), past(value, "total")], more=MASKED)


def seq2seq():
    """A decoder that attends to its own tokens, and to an encoder's, whose keys and values no step changes."""
    own, other = "past_key_values.0.decoder.", "past_key_values.0.encoder."
    join = [N("Concat", [own + "key", "k"], ["present.0.decoder.key"], axis=2),
            N("Concat", [own + "value", "v"], ["present.0.decoder.value"], axis=2)]
    both = [N("Add", ["own", "others"], ["context"])]
    save("seq2seq", [*beginning(), *join, *attention("present.0.decoder.key", "present.0.decoder.value", context="own"),
                     *attention(other + "key", other + "value", context="others"), *both, *ending()],
         [V("input_ids", T.INT64, ["batch", "sequence"]), past(own + "key"), past(own + "value"),
          past(other + "key", "encoder_sequence_length"), past(other + "value", "encoder_sequence_length")],
         [past("present.0.decoder.key", "total"), past("present.0.decoder.value", "total")])


def merged():
    """A file for both phases: with `use_cache_branch` false it does not read its past."""
    def branch(nodes, name):
        return h.make_graph(nodes, name, [], [V(f"{name}_key", T.FLOAT, None), V(f"{name}_value", T.FLOAT, None)])

    own = "past_key_values.0."
    with_past = branch([N("Concat", [own + "key", "k"], ["then_key"], axis=2),
                        N("Concat", [own + "value", "v"], ["then_value"], axis=2)], "then")
    without = branch([N("Identity", ["k"], ["else_key"]), N("Identity", ["v"], ["else_value"])], "else")
    join = [N("Squeeze", ["use_cache_branch"], ["has_past"]),
            N("If", ["has_past"], ["present.0.key", "present.0.value"], then_branch=with_past, else_branch=without)]
    save("merged", [*beginning(), *join, *attention("present.0.key", "present.0.value", mask="attention_mask"), *ending()],
         [V("input_ids", T.INT64, ["batch", "sequence"]), V("attention_mask", T.INT64, ["batch", "total"]), past(own + "key"),
          past(own + "value"), V("use_cache_branch", T.BOOL, [1])],
         [past("present.0.key", "total"), past("present.0.value", "total")], more=MASKED)


def mobius():
    """A cache that keeps its shape: TensorScatter writes into it, and Attention reads as much as is valid."""
    write = [N("TensorScatter", [f"{part}_cache.0", part[0], "write_indices"], [f"updated_{part}_cache.0"], axis=2)
             for part in ("key", "value")]
    attend = [N("Attention", ["q", "updated_key_cache.0", "updated_value_cache.0", "", "", "", "nonpad_kv_seqlen"], ["context"],
                scale=0.25)]
    save("mobius", [*beginning(), *write, *attend, *ending()],
         [V("input_ids", T.INT64, ["batch", 1]), past("key_cache.0", ROWS), past("value_cache.0", ROWS),
          V("write_indices", T.INT64, ["batch"]), V("nonpad_kv_seqlen", T.INT64, ["batch"])],
         [past("updated_key_cache.0", ROWS), past("updated_value_cache.0", ROWS)], opset=24)


def genai():
    """As onnxruntime-genai's builder writes it: GroupQueryAttention, lengths of the mask, and open sizes that are in the file
    beside it."""
    from_mask = [N("Cast", ["attention_mask"], ["ones"], to=T.INT32), N("ReduceSum", ["ones", "axis1"], ["counts"], keepdims=1),
                 N("Sub", ["counts", "int1"], ["seqlens"]), N("Squeeze", ["seqlens", "axis1"], ["seqlens_k"]),
                 N("Shape", ["attention_mask"], ["mask_shape"]), N("Gather", ["mask_shape", "place1"], ["total64"]),
                 N("Cast", ["total64"], ["total"], to=T.INT32)]
    attend = [N("GroupQueryAttention", ["q_flat", "k_flat", "v_flat", "past_key_values.0.key", "past_key_values.0.value", "seqlens_k",
                                        "total"], ["out", "present.0.key", "present.0.value"], domain="com.microsoft",
                num_heads=HEADS, kv_num_heads=HEADS, scale=0.25)]
    nodes = [N("Gather", ["table", "input_ids"], ["x"]), *(N("MatMul", ["x", f"{part}_weight"], [f"{part}_flat"]) for part in "qkv"),
             *from_mask, *attend, N("Add", ["out", "x"], ["sum"]), N("MatMul", ["sum", "head"], ["logits"])]
    cache = ["batch_size", "kv_heads", "past_sequence_length", "kv_cache_dim"]
    presents = ["batch_size", "kv_heads", "total_sequence_length", "kv_cache_dim"]
    save("genai", nodes, [V("input_ids", T.INT64, ["batch_size", "sequence_length"]),
                          V("attention_mask", T.INT64, ["batch_size", "total_sequence_length"]),
                          V("past_key_values.0.key", T.FLOAT, cache), V("past_key_values.0.value", T.FLOAT, cache)],
         [V("present.0.key", T.FLOAT, presents), V("present.0.value", T.FLOAT, presents)], domains=("com.microsoft",),
         more={"axis1": np.array([1]), "int1": np.array(1, np.int32), "place1": np.array(1)})


growing("optimum", [("past_key_values.0.key", "present.0.key"), ("past_key_values.0.value", "present.0.value")])
growing("layers", [("past_key_values.layers.0.keys", "cache.layers.0.keys"),
                   ("past_key_values.layers.0.values", "cache.layers.0.values")], mask=False)
growing("renamed", [("memory_0_a", "next_0_a"), ("memory_0_b", "next_0_b")])
seq2seq()
merged()
mobius()
genai()
