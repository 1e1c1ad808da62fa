# SPDX-License-Identifier: Apache-2.0
"""What a file in ExecuTorch's form (.pte) wants as inputs."""
import importlib.util
import sys
import types

from ngraphbench.adaptor import CompilerError

_METHOD = "forward"
# PyTorch's numbers of the types.
_TYPES = {0: "u8", 1: "i8", 3: "i32", 4: "i64", 5: "f16", 6: "f32", 7: "f64", 11: "bool", 15: "bf16"}


def _runtime():
    """Return ExecuTorch's runtime. Its bindings import all of the exporter for one decorator, which takes seconds, so they
    find an empty package in its place, whose modules are the exporter's."""
    name = "executorch.exir"
    exporter = sys.modules[name] = types.ModuleType(name)
    exporter.__path__ = [f"{folder}/exir" for folder in importlib.util.find_spec("executorch").submodule_search_locations]
    from executorch.runtime import Runtime

    del sys.modules[name]
    return Runtime.get()


def inputs(path):
    """Return [{"name", "type", "shape"}] in the program's order; it has no names, and of an open extent the largest."""
    runtime = _runtime()
    program = runtime.load_program(path)
    if _METHOD not in program.method_names:
        raise CompilerError("invalid_model", f"its methods are {', '.join(sorted(program.method_names))}, and none is forward",
                            "lower the module with its method forward")
    try:
        program.load_method(_METHOD)
    except RuntimeError:
        _refuse_what_is_missing(runtime, path)
        raise
    told = program.metadata(_METHOD)
    tensors = [told.input_tensor_meta(index) for index in range(told.num_inputs())]
    return [{"name": f"input{index}", "type": _TYPES[tensor.dtype()], "shape": list(tensor.sizes())}
            for index, tensor in enumerate(tensors)]


def _refuse_what_is_missing(runtime, path):
    from executorch.exir._serialize._program import deserialize_pte_binary  # takes seconds

    with open(path, "rb") as file:
        plan = deserialize_pte_binary(file.read()).program.execution_plan[0]
    backends = {each.id for each in plan.delegates} - set(runtime.backend_registry.registered_backend_names)
    if backends:
        raise CompilerError("unsupported_operator", f"it is for {', '.join(sorted(backends))}, which is not in this ExecuTorch",
                            "lower the module for XnnpackBackend")
    kernels = {f"{each.name}.{each.overload}".rstrip(".") for each in plan.operators}
    if missing := sorted(kernels - set(runtime.operator_registry.operator_names)):
        raise CompilerError("unsupported_operator", f"this ExecuTorch has no kernel for {', '.join(missing)}", "leave it out")
