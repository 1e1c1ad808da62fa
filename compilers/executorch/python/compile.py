# SPDX-License-Identifier: Apache-2.0
"""The plugin starts this in the toolchain's Python: ExecuTorch's exporter makes its file of the identity's PyTorch module.

Request: that of exporter_module, and {"output": path of ExecuTorch's file, "signature": path of a JSON file with the order
of inputs, the names of outputs and what the program calls, "has_xnnpack": whether XNNPACK computes what it can, "precision"}."""
import dataclasses
import math
import re
import traceback
from collections import Counter
from importlib import metadata

import narrowing
from ngraphbench import compile_process, exporter_module, onnx_file
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import cause

_ADVICE = "leave this model out for executorch"
_EXPORTER = []


def import_packages():
    exporter()
    import executorch.backends.xnnpack.partition.xnnpack_partitioner  # noqa: F401
    import executorch.exir  # noqa: F401
    import torch

    return {"version": metadata.version("executorch"), "torch_version": torch.__version__}


def exporter():
    """Return what makes modules; the first call imports PyTorch."""
    if not _EXPORTER:
        _EXPORTER.append(exporter_module.Exporter("executorch"))
    return _EXPORTER[0]


def compile_model(request, report):
    exporting = exporter().make(request)
    exporting = dataclasses.replace(exporting, module=narrowing.narrowed(exporting.module, exporting.zeros, request["precision"]))
    program = exporter_module.export(exporting, "executorch")
    narrowed = narrowing.facts(program, request["precision"])
    write_out_tanh_gelu(program)
    try:
        made, delegated = lower(program, request["has_xnnpack"])
    except (CompilerError, MemoryError):
        raise
    except Exception as error:  # the exporter raises many types
        traceback.print_exc()
        if missing := re.search(r"Missing out variants: \{(.*)\}", str(error)):
            names = ", ".join(sorted(each.strip(" '") for each in missing[1].split(",")))
            raise CompilerError("unsupported_operator", f"ExecuTorch has no kernel for {names}", _ADVICE) from None
        if request["model"] and not request["recipe"]:
            onnx_file.check(onnx_file.read(request["model"]))
        raise CompilerError("unsupported_operator", f"ExecuTorch's exporter cannot translate this model: {cause(error)}",
                            _ADVICE) from None
    with open(request["output"], "wb") as file:
        made.write_to_file(file)
    calls = calls_of(made.executorch_program.execution_plan[0])
    places = {name: place for place, name in enumerate(exporting.arguments)}
    compile_process.write_signature(request, {"inputs": [places[each["name"]] for each in request["inputs"]],
                                              "outputs": exporting.outputs, "calls": calls})
    kernels = Counter(call for call in calls if "::" in call)
    return {**exporting.facts, **narrowed, "delegates": str(len(calls) - sum(kernels.values())), "delegated": str(delegated),
            "not_delegated": ", ".join(f"{name} {count}" for name, count in sorted(kernels.items())) or "none"}


def write_out_tanh_gelu(program):
    """XNNPACK's GELU is the one with the error function, also where the model says tanh, which differs by up to 5e-4."""
    import torch

    aten, graph = torch.ops.aten, program.graph
    for node in list(graph.nodes):
        if node.target is not aten.gelu.default or node.kwargs.get("approximate") != "tanh":
            continue

        def made(operator, left, right=None, of=node):
            result = graph.call_function(operator, (left,) if right is None else (left, right))
            result.meta = dict(of.meta)  # all have its shape and type
            return result

        with graph.inserting_before(node):
            (x,) = node.args
            cube = made(aten.mul.Tensor, made(aten.mul.Tensor, x, x), x)
            inner = made(aten.add.Tensor, x, made(aten.mul.Tensor, cube, 0.044715))
            part = made(aten.tanh.default, made(aten.mul.Tensor, inner, math.sqrt(2 / math.pi)))
            result = made(aten.mul.Tensor, made(aten.mul.Tensor, x, 0.5), made(aten.add.Tensor, part, 1.0))
        node.replace_all_uses_with(result)
        program.graph_signature.replace_all_uses(node.name, result.name)
        graph.erase_node(node)
    program.graph_module.recompile()


def lower(program, has_xnnpack):
    """Return ExecuTorch's program of torch.export's, and how many of its operators delegates compute."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
    from executorch.exir.passes import MemoryPlanningPass

    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()] if has_xnnpack else None,
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    delegated = sum(count_delegated(module) for module in edge.exported_program().graph_module.modules())
    # The inputs' memory is the caller's: it is not used again for intermediate results.
    return (edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False))),
            delegated)


def count_delegated(module):
    """Return how many operators a lowered part of the graph has; 0 of any other module."""
    original = getattr(module, "original_module", None)
    return sum(node.op == "call_function" for node in original.graph.nodes) if original is not None else 0


def calls_of(plan):
    """Return what an inference calls, in order: "aten::add.out" for a kernel, "XnnpackBackend" for a delegate, as
    far as the program has no branches."""
    calls = []
    for chain in plan.chains:
        for instruction in chain.instructions:
            call = instruction.instr_args
            if hasattr(call, "op_index"):
                operator = plan.operators[call.op_index]
                calls.append(f"{operator.name}.{operator.overload}" if operator.overload else operator.name)
            elif hasattr(call, "delegate_index"):
                calls.append(plan.delegates[call.delegate_index].id)
    return calls


if __name__ == "__main__":
    compile_process.serve(import_packages, compile_model)
