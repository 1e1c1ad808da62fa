# SPDX-License-Identifier: Apache-2.0
"""The plugin starts this in the toolchain's Python: it tunes (if requested) and compiles an ONNX file.

Request: {"model", "inputs": [{"name", "dtype", "shape"}], "output": path, "threads", "gpu": a target of kind cuda or
null, "trials", "early_stop", "seed", "settings": pass configuration, "cache": folder, "frontend": "onnx" or "torch",
"recipe": the model's origin as JSON or "", "signature": path of a JSON file with the names of the outputs, "is_profiled",
"is_tuned": whether the cache has to hold the tuning}."""

import glob
import importlib.util
import json
import os
import re
import shutil
import sys
import traceback
import warnings

from ngraphbench import compile_process, onnx_constants, onnx_file, onnx_functions, onnx_opset
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import last_line


def import_model(model, inputs):
    """Return the model as a Relax module that contains the weights as constants."""
    from tvm.relax.frontend.onnx import from_onnx

    shapes = {tensor["name"]: tensor["shape"] for tensor in inputs}
    types = {tensor["name"]: tensor["dtype"] for tensor in inputs}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the checker is asked if the import fails
            return from_onnx(model, shape_dict=shapes, dtype_dict=types, keep_params_in_input=False)
    except MemoryError:
        raise
    except Exception as error:
        raise why_not_imported(model, error) from error


def known_operators():
    """Return the names of the operators that the front end converts itself. Others that the standard defines by further
    operators become their bodies, as in ONNX Runtime. The front end's Attention is that of another domain."""
    from tvm.relax.frontend.onnx import onnx_frontend

    return {"Constant", *onnx_frontend._get_convert_map()} - {"Attention"}


def why_not_imported(model, error):
    message = str(error).strip() or type(error).__name__
    unsupported = re.search(r"not supported for frontend ONNX: *(.+)", message)
    if unsupported:
        return CompilerError("unsupported_operator",
                             f"TVM's ONNX front end does not know {unsupported.group(1).strip()}",
                             "leave this model out for tvm, or try a newer version")
    onnx_file.check(model)
    frames = traceback.extract_tb(error.__traceback__)
    operators = [name for name in (operator_of(frame) for frame in frames) if name]
    where = f" of {operators[-1]}" if operators else ""
    return CompilerError("unsupported_operator", f"TVM's ONNX front end does not support this form{where}: {message}",
                         "leave this model out for tvm, or try a newer version")


def operator_of(frame):
    """Return the ONNX operator in whose converter this frame is. The front end has a class for each operator."""
    if not frame.filename.endswith("onnx_frontend.py") or not frame.name.startswith("_impl"):
        return None
    with open(frame.filename, encoding="utf-8") as source:
        classes = [line for number, line in enumerate(source, 1)
                   if number <= frame.lineno and line.startswith("class ")]
    return re.match(r"class (\w+)", classes[-1]).group(1) if classes else None


def prepare(module, target):
    """Simplify for inference and fuse kernels. Tuning and build both start from this."""
    import tvm
    from tvm import relax

    try:
        with target:
            return tvm.transform.Sequential([
                relax.transform.DecomposeOpsForInference(),
                relax.transform.CanonicalizeBindings(),
                relax.get_pipeline("zero"),
            ])(module)
    except Exception as error:
        raise why_not_built(error) from error


def build(module, target, records, path, settings):
    """Build the shared object. `records` is the folder of tuning's database, or None for TVM's default kernels;
    `settings` is the pass configuration that the study hands on."""
    import tvm
    from tvm import relax
    from tvm.support import cc

    if cc.get_cc() is None:
        raise CompilerError("toolchain_missing",
                            "TVM links what it compiles with a C++ compiler, and this device has none",
                            "install g++ or clang, or name one in the variable CXX")
    try:
        with target, pass_context(settings):
            if records is not None:
                module = relax.transform.MetaScheduleApplyDatabase(records)(module)
            executable = tvm.compile(module, target=target)
    except Exception as error:
        raise why_not_built(error) from error
    executable.export_library(path)


def pass_context(settings):
    """Return the context of all passes. TVM refuses configuration that it does not know, and names what it knows."""
    import tvm

    try:
        return tvm.transform.PassContext(opt_level=3, config=settings)
    except Exception as error:
        given = ", ".join(f"{name}={value}" for name, value in settings.items())
        raise CompilerError("invalid_option", f"settings {given}: {last_line(error)}",
                            "correct or remove them in the study's settings of tvm") from error


def why_not_built(error):
    """Return the failure of lowering or building. TVM has no codes for its errors; its own exceptions say that it
    cannot compile what its front end has imported."""
    unsupported = re.search(r"cannot handle this intrinsic:\s*(?:Op\()?([\w.]+)", str(error))
    if unsupported:
        return CompilerError("unsupported_operator", f"TVM has no kernel for {unsupported.group(1)}",
                             "leave this model out for tvm, or try a newer version")
    if isinstance(error, (CompilerError, MemoryError, ImportError, OSError)) or "bad_alloc" in str(error):
        return error
    traceback.print_exception(type(error), error, error.__traceback__)
    return CompilerError("unsupported_operator",
                         f"TVM cannot compile this model: {type(error).__name__}: {last_line(error)}",
                         "the traceback is in the log of this attempt; leave this model out for tvm")


def target_of(threads, gpu=None):
    """Return the processor as a target, or the GPU with the processor as its host. TVM chooses MetaSchedule's rules by
    the target's kind."""
    import tvm
    from tvm.target import codegen

    processor = {"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu(), "num-cores": threads}
    return tvm.target.Target({**gpu, "host": processor} if gpu else processor)


def choose_cuda_compiler():
    """Choose what compiles the CUDA code: NVRTC by preference, as TVM does itself, or nvcc. TVM's use of NVRTC needs
    CUDA's headers and CCCL's, which a toolkit need not have. Raises CompilerError."""
    if "TVM_CUDA_COMPILE_MODE" in os.environ:
        return
    has_nvrtc = importlib.util.find_spec("cuda") is not None and importlib.util.find_spec("cuda.bindings") is not None
    if has_nvrtc and _has_headers_of_cccl():
        os.environ["TVM_CUDA_COMPILE_MODE"] = "nvrtc"
    elif shutil.which("nvcc"):
        os.environ["TVM_CUDA_COMPILE_MODE"] = "nvcc"
    elif has_nvrtc:
        raise CompilerError("toolchain_missing", "TVM compiles its CUDA code with NVRTC, for which it needs the headers "
                                                 "of CUDA with those of CCCL, and this device has none beside nvcc",
                            "install NVIDIA's CUDA toolkit, or name its folder in CUDA_PATH")
    else:
        raise CompilerError("toolchain_missing", "TVM compiles its CUDA code with NVRTC (package cuda-bindings) or nvcc, "
                                                 "and this device has neither",
                            "install cuda-bindings beside TVM, or NVIDIA's CUDA toolkit")


def _has_headers_of_cccl():
    """Return whether they are where TVM looks for them: in the toolkit of CUDA_PATH, or else of nvcc."""
    nvcc = shutil.which("nvcc")
    beside = os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else "/usr/local/cuda"
    toolkit = os.environ.get("CUDA_PATH", beside)
    return bool(glob.glob(os.path.join(glob.escape(toolkit), "targets", "*", "include", "cccl")))


def from_file(request):
    """Return the ONNX file as a Relax module, the names of its outputs, and facts."""
    def take(model):
        onnx_file.check_inputs(model, request["inputs"])
        model = onnx_functions.inline(model, known_operators().__contains__)
        onnx_constants.compute(model, {tensor["name"]: tensor["shape"] for tensor in request["inputs"]})
        return import_model(model, request["inputs"]), [output.name for output in model.graph.output]

    (module, outputs), facts = onnx_opset.use(request["model"], take)
    return module, outputs, facts


def compile_model(request, report):
    """Compile, with tuning if requested, and return facts about it."""
    import torch_module
    import tuning

    os.environ["TMPDIR"] = os.path.dirname(request["output"])  # leftovers are deleted with the folder
    if request.get("frontend") == "torch":
        (imported, outputs), read = torch_module.import_module(request), {}
    else:
        imported, outputs, read = from_file(request)
    gpu = request.get("gpu")
    if gpu:
        choose_cuda_compiler()
    target = target_of(request["threads"], gpu)
    module = prepare(imported, target)
    del imported
    if request.get("is_profiled"):
        import kernel_nodes

        graph = onnx_file.read(request["model"]).graph if request.get("frontend") != "torch" else None
        with open(os.path.join(os.path.dirname(request["output"]), "kernels.json"), "w", encoding="utf-8") as file:
            json.dump(kernel_nodes.kernels_of(module, graph), file)
    records, facts = None, {"trials": "0"}
    if request["trials"] > 0:
        folder = tuning.folder_of(request, target)
        if request.get("is_tuned") and not os.path.isdir(folder):
            raise CompilerError("invalid_option", "what its tuning has found is no longer kept on this machine",
                                "measure it again: ngb run --again")
        records, facts = tuning.tune(module, target, folder, request, report)
    report("building")
    build(module, target, records, request["output"], request.get("settings", {}))
    compile_process.write_signature(request, {"outputs": outputs})
    return {"target": str(target), "frontend": request.get("frontend", "onnx"), **read, **facts}


def import_packages():
    import onnx  # noqa: F401
    import tvm
    import tvm.relax.frontend.onnx  # noqa: F401

    return {"version": tvm.__version__}


if __name__ == "__main__":
    # Tuning starts Python processes, which import modules of this folder.
    own_folder = os.path.dirname(os.path.abspath(__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [own_folder, os.environ.get("PYTHONPATH", "")]))
    compile_process.serve(import_packages, compile_model)
