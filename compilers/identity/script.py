# SPDX-License-Identifier: Apache-2.0
"""TorchScript programs of the identity's module, for torchscript and eager-cpp. The interpreter calls the operators
from C++; Python only starts it."""
import warnings
from typing import Callable

import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import cause


def trace(module: torch.nn.Module, inputs) -> torch.jit.ScriptModule:
    """Return the operators that the module calls for inputs of these shapes. Raises CompilerError."""
    try:
        return quietly(lambda: torch.jit.trace(module, tuple(inputs), check_trace=False))
    except (torch.jit.TracingCheckError, torch.jit.Error, NotImplementedError, TypeError) as error:
        raise CompilerError("unsupported_operator", f"TorchScript cannot trace this model: {cause(error)}") from None


def fold_shapes(program: torch.jit.ScriptModule) -> None:
    """Replace arithmetic on shapes by its results: Python computes it with its own numbers, a trace with operators on
    tensors. Weights are attributes and not constants, so nothing computed from them or from inputs changes."""
    graph = program._c._get_method("forward").graph
    torch._C._jit_pass_inline(graph)
    torch._C._jit_pass_peephole(graph, False)  # False: include the shapes
    torch._C._jit_pass_constant_propagation(graph)
    torch._C._jit_pass_dce(graph)


def quietly(call: Callable):
    """Call without TorchScript's warnings that it is deprecated and that shapes become constants."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def forward_of(program: torch.jit.ScriptModule) -> Callable:
    """Return the program's own method, without the call around it that torch.nn.Module adds."""
    return program._c._get_method("forward")


def operators_of(program: torch.jit.ScriptModule) -> int:
    """Count the nodes that compute; constants, attributes and lists do not."""
    idle = {"prim::Constant", "prim::GetAttr", "prim::ListConstruct", "prim::TupleConstruct", "prim::ListUnpack",
            "prim::ConstantMKLDNNTensor"}
    return sum(node.kind() not in idle for node in program.inlined_graph.nodes())

