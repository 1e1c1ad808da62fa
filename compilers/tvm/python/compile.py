# SPDX-License-Identifier: Apache-2.0
"""What the plugin starts in the toolchain's Python: imports TVM, says so, compiles one model, ends.

Lines of JSON: one request on standard input; on descriptor 3 first {"ready": facts}, then any number of
{"report": text}, then {"done": facts} or {"failed": {"kind", "message", "advice"}}. Kinds are those of ngb_status.
"""

import ctypes
import json
import os
import re
import signal
import sys
import traceback
import warnings

REINSTALL = "install the toolchain again: ngb toolchain remove, then ngb toolchain install"


class Failure(Exception):
    """An expected failure: its kind, what failed, what to do next."""

    def __init__(self, kind, message, advice=""):
        super().__init__(message)
        self.kind, self.message, self.advice = kind, message, advice


def read_model(path):
    import onnx

    try:
        return onnx.load(path)
    except Exception as error:  # protobuf has errors of its own
        raise Failure("invalid_model", f"{path} cannot be read as ONNX: {last_line(error)}",
                      "check the file with onnx.checker") from error


def check_inputs(model, inputs):
    """The cell's inputs must be those of the model, in its order."""
    initializers = {initializer.name for initializer in model.graph.initializer}
    slots = [slot for slot in model.graph.input if slot.name not in initializers]
    theirs = [slot.name for slot in slots]
    ours = [tensor["name"] for tensor in inputs]
    if theirs != ours:
        raise Failure("invalid_model", f"the model's inputs are {theirs}, the cell's {ours}")
    for slot, tensor in zip(slots, inputs):
        extents = [dim.dim_value if dim.HasField("dim_value") else None for dim in slot.type.tensor_type.shape.dim]
        fits = len(extents) == len(tensor["shape"]) and all(
            extent in (None, given) for extent, given in zip(extents, tensor["shape"]))
        if not fits:
            raise Failure("invalid_model",
                          f'input "{slot.name}" has shape {extents} in the model, {tensor["shape"]} in the cell')


def import_model(model, inputs):
    """The model as a Relax module, its weights constants within."""
    from tvm.relax.frontend.onnx import from_onnx

    shapes = {tensor["name"]: tensor["shape"] for tensor in inputs}
    types = {tensor["name"]: tensor["dtype"] for tensor in inputs}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the checker says is asked for when the import fails
            return from_onnx(model, shape_dict=shapes, dtype_dict=types, keep_params_in_input=False)
    except MemoryError:
        raise
    except Exception as error:
        raise why_not_imported(model, error) from error


def why_not_imported(model, error):
    import onnx

    message = str(error).strip() or type(error).__name__
    unsupported = re.search(r"not supported for frontend ONNX: *(.+)", message)
    if unsupported:
        return Failure("unsupported_operator", f"TVM's ONNX front end does not know {unsupported.group(1).strip()}",
                       "leave this model out for tvm, or try a newer version")
    try:
        onnx.checker.check_model(model)
    except Exception as defect:
        return Failure("invalid_model", f"the model is not valid ONNX: {last_line(defect)}",
                       "check the file with onnx.checker")
    frames = traceback.extract_tb(error.__traceback__)
    operators = [name for name in (operator_of(frame) for frame in frames) if name]
    where = f" of {operators[-1]}" if operators else ""
    return Failure("unsupported_operator", f"TVM's ONNX front end cannot take this form{where}: {message}",
                   "leave this model out for tvm, or try a newer version")


def operator_of(frame):
    """The ONNX operator whose converter this frame is in: the front end has a class for each, named in its source."""
    if not frame.filename.endswith("onnx_frontend.py") or not frame.name.startswith("_impl"):
        return None
    with open(frame.filename, encoding="utf-8") as source:
        classes = [line for number, line in enumerate(source, 1)
                   if number <= frame.lineno and line.startswith("class ")]
    return re.match(r"class (\w+)", classes[-1]).group(1) if classes else None


def prepare(module, target):
    """Inference's simplifications, then fused kernels: what tuning and the build start from, the same for both."""
    import tvm
    from tvm import relax

    with target:
        return tvm.transform.Sequential([
            relax.transform.DecomposeOpsForInference(),
            relax.transform.CanonicalizeBindings(),
            relax.get_pipeline("zero"),
        ])(module)


def build(module, target, records, path):
    """The shared object. `records`: folder of tuning's database; None: each kernel as TVM writes it by itself."""
    import tvm
    from tvm import relax
    from tvm.support import cc

    if cc.get_cc() is None:
        raise Failure("toolchain_missing", "TVM links what it compiles with a C++ compiler, and this device has none",
                      "install g++ or clang, or name one in the variable CXX")
    try:
        with target, tvm.transform.PassContext(opt_level=3):
            if records is not None:
                module = relax.transform.MetaScheduleApplyDatabase(records)(module)
            executable = tvm.compile(module, target=target)
    except Exception as error:
        unsupported = re.search(r"cannot handle this intrinsic:\s*(?:Op\()?([\w.]+)", str(error))
        if unsupported:
            raise Failure("unsupported_operator", f"TVM has no kernel for {unsupported.group(1)}",
                          "leave this model out for tvm, or try a newer version") from error
        raise
    executable.export_library(path)


def target_of(threads):
    import tvm
    from tvm.target import codegen

    return tvm.target.Target({"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu(), "num-cores": threads})


def compile_model(request, report):
    """Does what is asked; returns facts about it."""
    import tuning

    os.makedirs(os.path.dirname(request["output"]), exist_ok=True)
    os.environ["TMPDIR"] = os.path.dirname(request["output"])  # what is left there goes with the folder
    model = read_model(request["model"])
    check_inputs(model, request["inputs"])
    outputs = [output.name for output in model.graph.output]
    target = target_of(request["threads"])
    module = prepare(import_model(model, request["inputs"]), target)
    del model
    records, facts = None, {"trials": "0"}
    if request["trials"] > 0:
        folder = tuning.folder_of(request, target)
        records, facts = tuning.tune(module, target, folder, request, report)
    report("building")
    build(module, target, records, request["output"])
    return {"outputs": outputs, "facts": {"target": str(target), **facts}}


def last_line(error):
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


def failure_from(error):
    if isinstance(error, Failure):
        return {"kind": error.kind, "message": error.message, "advice": error.advice}
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return {"kind": "out_of_memory", "message": "TVM has no memory left", "advice": ""}
    if isinstance(error, ImportError):
        return {"kind": "import_error", "message": f"{type(error).__name__}: {last_line(error)}", "advice": REINSTALL}
    return {"kind": "internal", "message": f"{type(error).__name__}: {last_line(error)}",
            "advice": "the traceback is in the log of this attempt"}


def serve(say):
    try:
        import onnx  # noqa: F401
        import tvm
        import tvm.relax.frontend.onnx  # noqa: F401
    except Exception as error:
        return say(failed={**failure_from(error), "kind": "import_error", "advice": REINSTALL})
    say(ready={"version": tvm.__version__})
    line = sys.stdin.readline()
    if not line:
        return None
    try:
        return say(done=compile_model(json.loads(line), lambda text: say(report=text)))
    except Exception as error:
        return say(failed=failure_from(error))


def die_with_parent():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def main():
    die_with_parent()
    os.set_inheritable(3, False)
    # For the processes that tuning starts.
    paths = [os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    replies = os.fdopen(3, "w", encoding="utf-8")

    def say(**message):
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    serve(say)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing is left to do, and taking TVM's threads down takes time


if __name__ == "__main__":
    main()
