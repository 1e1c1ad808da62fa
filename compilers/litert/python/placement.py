# SPDX-License-Identifier: Apache-2.0
"""Tells which operators of a LiteRT file XNNPACK leaves to LiteRT's own kernels."""
from collections import Counter

from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line

_ADVICE = "leave this model out for litert"
_DELEGATE = "delegate"


def facts(path):
    """Return {"delegates": how many parts of the graph XNNPACK has, "delegated": how many operators it computes in them,
    "not_delegated": "RESHAPE 2, GATHER 1", or "none"}. Raises CompilerError if LiteRT cannot run the file."""
    from ai_edge_litert.interpreter import Interpreter

    try:
        interpreter = Interpreter(model_path=path, num_threads=1)
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError) as error:
        raise CompilerError("unsupported_operator", f"LiteRT has no kernel for a part of this model: {first_line(error)}",
                            _ADVICE) from None
    wanted = [int(each["index"]) for each in interpreter.get_output_details()]
    if not {int(each["index"]) for each in interpreter.get_input_details()}.isdisjoint(wanted):
        raise CompilerError("unsupported_operator", "an output of this model is one of its inputs, which LiteRT never writes",
                            _ADVICE)
    nodes = interpreter._get_ops_details()
    delegates, others = executed(nodes, wanted)
    words = ", ".join(f"{name} {count}" for name, count in sorted(Counter(others).items()))
    of_file = sum(_DELEGATE not in node["op_name"].lower() for node in nodes)
    return {"delegates": str(delegates), "delegated": str(of_file - len(others)), "not_delegated": words or "none"}


def executed(nodes, wanted):
    """Return the number of delegates and the names of operators that run beside them. LiteRT keeps the nodes that a
    delegate has replaced; what runs is found backwards from the tensors `wanted`, at which delegates come first.
    nodes: [{"op_name", "inputs", "outputs": tensors}]"""
    makers = {}
    for place, node in enumerate(nodes):
        for tensor in node["outputs"]:
            if tensor not in makers or _DELEGATE in node["op_name"].lower():
                makers[int(tensor)] = place
    seen, waiting = set(), list(wanted)
    while waiting:
        place = makers.get(waiting.pop())
        if place is None or place in seen:
            continue
        seen.add(place)
        waiting += [int(tensor) for tensor in nodes[place]["inputs"] if tensor >= 0]
    names = [nodes[place]["op_name"] for place in sorted(seen)]
    others = [name for name in names if _DELEGATE not in name.lower()]
    return len(names) - len(others), others
