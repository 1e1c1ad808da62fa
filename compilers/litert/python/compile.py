# SPDX-License-Identifier: Apache-2.0
"""The plugin starts this in the toolchain's Python: litert-torch converts the identity's PyTorch module to LiteRT's file.

Request: that of exporter_module, and {"output": path of LiteRT's file, "signature": path of a JSON file with the names
and types of inputs and outputs, "has_delegate": whether XNNPACK will run it}."""
from importlib import metadata

import placement
from ngraphbench import compile_process, exporter_module, onnx_file
from ngraphbench.adaptor import CompilerError

_EXPORTER = []
_REFUSED = ("float64", "complex64", "complex128")  # the converter would narrow f64 to f32


def import_packages():
    _EXPORTER.append(exporter_module.Exporter("litert"))
    import litert_torch  # noqa: F401
    import torch

    return {"version": metadata.version("ai-edge-litert"), "litert_torch_version": metadata.version("litert-torch"),
            "torch_version": torch.__version__}


def compile_model(request, report):
    import litert_torch

    exporting = _EXPORTER[0].make(request)
    program = exporter_module.export(exporting, "litert")
    _refuse_types(program)
    try:
        model = litert_torch.convert(exporting.module, tuple(exporting.zeros))
        model.export(request["output"])
    except (CompilerError, MemoryError):
        raise
    except Exception as error:
        if missing := _without_lowering(program):
            raise CompilerError("unsupported_operator", f"litert-torch has no translation of {', '.join(missing)}",
                                "leave this model out for litert") from error
        if request["model"] and not request["recipe"]:
            onnx_file.check(onnx_file.read(request["model"]))
        exporter_module.attempt(lambda: _again(error), "litert-torch cannot convert this model", "litert")
    compile_process.write_signature(request, _signature(request, exporting, program))
    return {**exporting.facts, **(placement.facts(request["output"]) if request["has_delegate"] else {})}


def _again(error):
    raise error


def _signature(request, exporting, program):
    """litert-torch names inputs and outputs by their place."""
    places = {name: place for place, name in enumerate(exporting.arguments)}
    made = [node for node in program.graph.nodes if node.op == "output"][0].args[0]
    types = exporter_module.words(node.meta["val"] for node in made)
    return {"inputs": [f"args_{places[each['name']]}" for each in request["inputs"]],
            "outputs": [{"name": name, "key": f"output_{place}", "dtype": dtype}
                        for place, (name, dtype) in enumerate(zip(exporting.outputs, types))]}


def _refuse_types(program):
    for node in program.graph.nodes:
        word = str(getattr(node.meta.get("val"), "dtype", "")).rpartition(".")[2]
        if word in _REFUSED:
            raise CompilerError("unsupported_operator", f"{node.target} computes in {word}, which litert-torch would narrow",
                                "leave this model out for litert")


def _without_lowering(program):
    """Return the names of all operators that litert-torch cannot translate."""
    import torch
    from litert_torch import fx_infra
    from litert_torch.backend import lowerings

    try:
        program = fx_infra.safe_run_decompositions(program, fx_infra.decomp.pre_convert_decomp(), can_skip=False)
        program = fx_infra.safe_run_decompositions(program, fx_infra.decomp.pre_lower_decomp(), can_skip=False)
    except Exception:  # the first failure is what is reported
        return []
    targets = {node.target for node in program.graph.nodes if isinstance(node.target, torch._ops.OpOverload)}
    return sorted(str(target) for target in targets if lowerings.lookup(target) is None)


if __name__ == "__main__":
    compile_process.serve(import_packages, compile_model)
