# SPDX-License-Identifier: Apache-2.0
"""The plugin starts this in the toolchain's Python: it translates an ONNX file to a StableHLO program.

Request: {"model", "inputs": [{"name", "dtype", "shape"}], "output": path, "signature": path of a JSON file with the
names of the outputs, "stablehlo_version": "1.13.0", the newest that the plugin reads}."""
import traceback
from importlib import metadata

from ngraphbench import compile_process, onnx_file
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import last_line


def import_packages():
    import jax
    import onnx  # noqa: F401
    import onnx_graph  # noqa: F401

    jax.config.update("jax_enable_x64", True)  # ONNX's shapes and indices have 64 bits
    return {"version": metadata.version("xla-cpu-pjrt"), "jax_version": jax.__version__}


def translate(model, inputs, executable=False):
    """Return the graph, which has been called, and the module that JAX makes of it."""
    import jax
    from onnx_graph import Graph

    signatures = [jax.ShapeDtypeStruct(tuple(tensor["shape"]), tensor["dtype"]) for tensor in inputs]
    try:
        graph = Graph(model)
        lowered = jax.jit(graph, keep_unused=True).lower(*signatures)
        return graph, lowered if executable else lowered.compiler_ir("stablehlo")
    except (CompilerError, MemoryError):
        raise
    except Exception as error:
        traceback.print_exc()
        onnx_file.check(model)
        raise CompilerError("unsupported_operator",
                            f"xla cannot translate this model: {last_line(error)}",
                            "the traceback is in the log of this attempt") from None


def compile_model(request, report):
    from jax._src.interpreters.mlir import module_to_bytecode
    from jaxlib import _jax

    model = onnx_file.read(request["model"])
    onnx_file.check_inputs(model, request["inputs"])
    graph, module = translate(model, request["inputs"])
    program = _jax.mlir.serialize_portable_artifact(module_to_bytecode(module), request["stablehlo_version"])
    with open(request["output"], "wb") as file:
        file.write(program)
    compile_process.write_signature(request, {"outputs": graph.outputs})
    return graph.facts()


if __name__ == "__main__":
    compile_process.serve(import_packages, compile_model)
