# SPDX-License-Identifier: Apache-2.0
"""TorchScript programs of the identity's module, which torchscript and eager-cpp run: the interpreter, in C++, calls
the operators; Python only starts it."""
import warnings
from typing import Callable

import torch
from ngraphbench.adaptor import CompilerError


def trace(module: torch.nn.Module, inputs) -> torch.jit.ScriptModule:
    """The operators that the module calls for inputs of these shapes. Raises CompilerError."""
    try:
        return quietly(lambda: torch.jit.trace(module, tuple(inputs), check_trace=False))
    except (torch.jit.TracingCheckError, torch.jit.Error, NotImplementedError, TypeError) as error:
        first_line = (str(error).strip().splitlines() or [""])[0]
        raise CompilerError("unsupported_operator", f"TorchScript cannot trace this model: "
                                                    f"{type(error).__name__}: {first_line}") from None


def fold_shapes(program: torch.jit.ScriptModule) -> None:
    """Arithmetic on shapes, which Python does with its own numbers and a trace with operators on tensors, becomes what
    it results in. Weights are attributes, not constants: nothing that is computed from them or the inputs is touched."""
    graph = program._c._get_method("forward").graph
    torch._C._jit_pass_inline(graph)
    torch._C._jit_pass_peephole(graph, False)  # False: do not leave out the shapes
    torch._C._jit_pass_constant_propagation(graph)
    torch._C._jit_pass_dce(graph)


def quietly(call: Callable):
    """Every function of TorchScript warns that it is deprecated, and tracing that shapes become constants, which they
    are in a cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def forward_of(program: torch.jit.ScriptModule) -> Callable:
    """The program's own method, without torch.nn.Module's call around it."""
    return program._c._get_method("forward")


def operators_of(program: torch.jit.ScriptModule) -> int:
    """Nodes that compute: constants, attributes and lists left out."""
    idle = {"prim::Constant", "prim::GetAttr", "prim::ListConstruct", "prim::TupleConstruct", "prim::ListUnpack",
            "prim::ConstantMKLDNNTensor"}
    return sum(node.kind() not in idle for node in program.inlined_graph.nodes())

