# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files for compilers that are driven from Python. The package onnx is the toolchain's."""
import collections
from typing import Any, Dict, Mapping, Sequence

from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import last_line

STANDARD_DOMAINS = ("", "ai.onnx")
_ADVICE = "check the file with onnx.checker"


def read(path: str):
    """Return the onnx.ModelProto of a file. Raises CompilerError."""
    import onnx

    try:
        model = onnx.load(path)
    except Exception as error:  # protobuf has its own errors
        raise CompilerError("invalid_model", f"{path} cannot be read as ONNX: {last_line(error)}", _ADVICE) from error
    if not model.graph.output:
        raise CompilerError("invalid_model", f"{path} is not an ONNX file, or a damaged one: its graph has no output",
                            _ADVICE)
    return model


def outputs_of(path: str) -> list:
    """Return the graph's outputs (onnx.ValueInfoProto), in its order. Does not read weights in other files."""
    import onnx

    return list(onnx.load(path, load_external_data=False).graph.output)


def node_names(graph) -> list:
    """Return the nodes' names in the graph's order. A node without a name, or with that of another node, is
    OP_TYPE:INDEX with its index in the graph, such as "Conv:17"."""
    times = collections.Counter(node.name for node in graph.node)
    return [node.name if node.name and times[node.name] == 1 else f"{node.op_type}:{index}"
            for index, node in enumerate(graph.node)]


def opset_of(model) -> int:
    """Return the version of the standard operators."""
    return next((each.version for each in model.opset_import if each.domain in STANDARD_DOMAINS), 1)


def inputs_of(model) -> list:
    """Return the graph's inputs without those that an initializer fills."""
    initializers = {initializer.name for initializer in model.graph.initializer}
    return [slot for slot in model.graph.input if slot.name not in initializers]


def check_inputs(model, inputs: Sequence[Mapping[str, Any]]) -> None:
    """Check that the cell's inputs ("name", "shape" each) are those of the model, in its order. Raises CompilerError.
    """
    slots = inputs_of(model)
    theirs = [slot.name for slot in slots]
    ours = [tensor["name"] for tensor in inputs]
    if theirs != ours:
        raise CompilerError("invalid_model", f"the model's inputs are {theirs}, the cell's {ours}")
    for slot, tensor in zip(slots, inputs):
        extents = [dim.dim_value if dim.HasField("dim_value") else None for dim in slot.type.tensor_type.shape.dim]
        fits = len(extents) == len(tensor["shape"]) and all(
            extent in (None, given) for extent, given in zip(extents, tensor["shape"]))
        if not fits:
            raise CompilerError("invalid_model", f'input "{slot.name}" has shape {extents} in the model, '
                                                 f'{list(tensor["shape"])} in the cell')


def check(model) -> None:
    """Raise CompilerError if the model is not valid ONNX."""
    import onnx

    try:
        onnx.checker.check_model(model)
    except Exception as defect:
        raise CompilerError("invalid_model", f"the model is not valid ONNX: {last_line(defect)}", _ADVICE) from None


def change(model, *changes) -> Dict[str, str]:
    """Let each of `changes` change the model. What they raise is CompilerError if the model is not valid ONNX. Return the
    fact `rewritten`, which says what nodes were written anew: {"rewritten": "Less 2, ReduceL1 1"}; {} if none were."""
    before = list(map(_place_of, model.graph.node))
    try:
        for each in changes:
            each(model)
    except CompilerError:
        raise
    except Exception:
        check(model)
        raise
    kept = set(map(_place_of, model.graph.node))
    counts = collections.Counter(place[0] for place in before if place not in kept).most_common()
    return {"rewritten": ", ".join(f"{kind} {count}" for kind, count in counts)} if counts else {}


def _place_of(node):
    return node.op_type, tuple(node.input), tuple(node.output)
