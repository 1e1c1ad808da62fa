# SPDX-License-Identifier: Apache-2.0
"""Makes a program of IREE's virtual machine from an ONNX model. torch-mlir's importer, which is part of the compiler,
reads it; this process compiles it for this processor."""
import io
import re
import traceback
from typing import Any, Callable, List, Mapping, Sequence, Tuple

from ngraphbench import onnx_file
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line

FUNCTION = "main"
# Kernels may use more of the stack than the default of 32 KiB, because Swin's windows need it.
STACK_LIMIT_BYTES = 256 * 1024
WORKER_STACK_BYTES = 1024 * 1024
OUR_FLAGS = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
             "--iree-input-demote-f64-to-f32=false",  # results of f64 would otherwise be half as long as asked
             "--iree-llvmcpu-target-cpu=host", f"--iree-llvmcpu-stack-allocation-limit={STACK_LIMIT_BYTES}")
_ADVICE = "leave this model out for iree, or try a newer version"


def flags_of(settings: Mapping[str, Any]) -> Tuple[List[str], List[str]]:
    """Return the settings as flags of the compiler and as flags of the runtime, whose names have underscores."""
    of_compiler: List[str] = []
    of_runtime: List[str] = []
    for name, value in settings.items():
        bare = name.lstrip("-")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        is_runtimes = "_" in bare and "-" not in bare
        (of_runtime if is_runtimes else of_compiler).append(f"--{bare}={text}")
    return of_compiler, of_runtime


def hand_on(apply: Callable[[], None], flags: Sequence[str]) -> None:
    """Apply flags that the study hands on. Raises CompilerError with IREE's own words for one that it refuses."""
    if not flags:
        return
    try:
        apply()
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise CompilerError("invalid_option", f'settings {" ".join(flags)}: {reason}',
                            "correct or remove them in the study's settings of iree") from None


def write(model, path: str, flags: Sequence[str], settings: Sequence[str] = ()) -> None:
    """Write the program. `model`, an onnx.ModelProto, is changed; `settings` are the flags that the study hands on.
    Raises CompilerError."""
    from iree.compiler import api

    session = api.Session()
    session.set_flags(*OUR_FLAGS, *flags)
    hand_on(lambda: session.set_flags(*settings), settings)
    said = []
    handler = session.context.attach_diagnostic_handler(lambda diagnostic: _note(diagnostic, said))
    program = _imported(model, session.context)
    invocation = session.invocation()
    if not invocation.parse_source(api.Source.wrap_buffer(session, program, buffer_name="model.mlirbc")) or \
            not invocation.execute():
        handler.detach()
        raise _failure(model, said)
    output = api.Output.open_file(path)
    invocation.output_vm_bytecode(output)
    output.keep()
    output.close()
    invocation.close()
    handler.detach()


def with_shapes(model, inputs):
    """Return the model with the cell's shapes as those of its inputs, from which all others follow."""
    import onnx
    from ngraphbench import onnx_constants

    onnx_constants.compute(model, {tensor["name"]: tensor["shape"] for tensor in inputs})
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:
        traceback.print_exc()
        onnx_file.check(model)
        return model


def imported(model) -> bytes:
    """Return the bytecode of the model as torch-mlir's importer makes it. Raises CompilerError."""
    from iree.compiler import api

    return _imported(model, api.Session().context)


def _imported(model, context) -> bytes:
    from iree.compiler.extras import onnx_importer

    model.graph.name = FUNCTION
    try:
        info = onnx_importer.ModelInfo(model)
        module = info.create_module(context=context).operation
        onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
        module.verify()
        program = io.BytesIO()
        module.write_bytecode(program)
        return program.getvalue()
    except MemoryError:
        raise
    except Exception as error:
        traceback.print_exc()
        onnx_file.check(model)
        raise CompilerError("unsupported_operator", f"IREE's importer cannot import this model: {first_line(error)}",
                            _ADVICE) from None


def _note(diagnostic, said) -> bool:
    """Keep the compiler's message and print it to the log."""
    from iree.compiler import ir

    text = str(diagnostic.message)
    print(f"iree-compile: {diagnostic.severity}: {text}", flush=True)
    if diagnostic.severity == ir.DiagnosticSeverity.ERROR:
        said.append(text)
    return True


def _failure(model, said) -> CompilerError:
    """Return why the compiler gave up. It has no codes for its errors; on a valid model each means that it cannot
    compile some operator, whose name the message has if the compiler gave one."""
    import onnx

    refused = [text for text in said if "failed to legalize" in text]
    illegal = re.findall(r"failed to legalize operation '([\w.]+)'", "\n".join(refused))
    operators = re.findall(r"onnx\.(\w+)", "\n".join(refused))
    # A converted operator stays beside constants that nothing needs any more.
    named = operators or [name for name in illegal if "constant" not in name] or illegal
    if not operators or onnx.defs.has(operators[0]):  # the checker would call an operator that ONNX lacks invalid
        onnx_file.check(model)
    if named:
        return CompilerError("unsupported_operator", f"IREE cannot compile {named[0]}{_in_graph(model, operators)}",
                             _ADVICE)
    what = said[0].splitlines()[0] if said else "it gave no reason"
    return CompilerError("unsupported_operator" if said else "compiler_failed",
                         f"IREE cannot compile the model{_in_graph(model, operators)}: {what}",
                         "all its messages are in the log of this attempt")


def _in_graph(model, operators) -> str:
    """Return the operator of a model that has only one, for messages that do not name it."""
    kinds = {node.op_type for node in model.graph.node if node.op_type != "Constant"}
    return f" (operator {kinds.pop()})" if len(kinds) == 1 and not operators else ""
