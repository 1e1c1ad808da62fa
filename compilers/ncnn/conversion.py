# SPDX-License-Identifier: Apache-2.0
"""Makes ncnn's files from an ONNX model by pnnx, the converter of ncnn's makers: a program in a Python package."""
import json
import os
import re
import subprocess
import tempfile
import zipfile
from importlib import metadata
from typing import Any, Dict, List, Mapping, Sequence

from ngraphbench import onnx_file
from ngraphbench.adaptor import CompilerError

NO_BATCH = 233  # ncnn's number for "no axis of it counts samples"
_ADVICE = "leave this model out for ncnn, or try a newer version"
_MOST_BYTES = 2**31 - 1  # of one protocol buffer


def write(model, path: str, inputs: Sequence[Mapping[str, Any]], samples: int) -> None:
    """Write one file with ncnn's layers, its weights, and which axis of each input and output counts samples. `model` is an
    onnx.ModelProto for the cell's `inputs` ("shape" and "dtype" of each), or for one of their `samples`. Raises CompilerError."""
    if model.ByteSize() > _MOST_BYTES:
        raise CompilerError("unsupported_operator", "pnnx reads models of at most 2 GB here", _ADVICE)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        with open(os.path.join(folder, "model.onnx"), "wb") as file:
            file.write(model.SerializeToString())
        shapes = ",".join(f"[{','.join(map(str, _of_a_sample(each['shape'], samples)))}]{each['dtype']}" for each in inputs)
        done = subprocess.run([_program(), "model.onnx", f"inputshape={shapes}", "fp16=0"], cwd=folder, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(done.stdout, flush=True)
        layers = os.path.join(folder, "model.ncnn.param")
        if done.returncode != 0 or not os.path.exists(layers):
            raise _failure(model, done)
        if lacking := _unknown_layers(layers):
            raise CompilerError("unsupported_operator", f"ncnn has no layer for {', '.join(lacking)}", _ADVICE)
        with open(os.path.join(folder, "model_ncnn.py"), encoding="utf-8") as file:
            axes = _axes(file.read())
        if len(axes["inputs"]) != len(inputs) or len(axes["outputs"]) != len(model.graph.output):
            raise CompilerError("unsupported_operator", "pnnx has dropped an input or output of the model", _ADVICE)
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(layers, "param")
            archive.write(os.path.join(folder, "model.ncnn.bin"), "bin")
            archive.writestr("axes", json.dumps({**axes, "shapes": _output_shapes(model), "samples": samples}))


def read(path: str):
    """Return the text of the layers, the weights, and {"inputs", "outputs": axes, "shapes", "samples"}. Raises CompilerError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read("param").decode(), archive.read("bin"), json.loads(archive.read("axes"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CompilerError("compiler_failed", f"{path} is not what was compiled: {error}") from None


def _of_a_sample(shape: Sequence[int], samples: int) -> List[int]:
    return [extent // samples if place == 0 else extent for place, extent in enumerate(shape)]


def _output_shapes(model) -> List[Any]:
    """The shape of each output that follows from the inputs'; None where it does not."""
    import onnx

    shapes = []
    for output in onnx.shape_inference.infer_shapes(model).graph.output:
        dims = output.type.tensor_type.shape.dim
        is_known = output.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dims)
        shapes.append([dim.dim_value for dim in dims] if is_known else None)
    return shapes


def _program() -> str:
    program = next((file for file in metadata.files("pnnx") or () if str(file) == "pnnx/pnnx"), None)
    if program is None:
        raise CompilerError("toolchain_missing", "the package pnnx has no program")
    return str(program.locate())


def _axes(example: str) -> Dict[str, List[int]]:
    """pnnx writes an example in Python beside its files; only there it says which axis counts samples."""
    def all_of(pattern):
        return [int(batch or NO_BATCH) for batch in re.findall(pattern, example)]

    return {"inputs": all_of(r"ncnn\.Mat\(in\d+[\w.()]*\.numpy\(\)(?:, batch_index=(\d+))?\)"),
            "outputs": all_of(r"from_numpy\(out\d+\.numpy\((?:batch_index=(\d+))?\)")}


def _unknown_layers(path: str) -> List[str]:
    """Names of layers that pnnx has left as PyTorch's or ONNX's, such as Tensor.reshape, aten::sort or DeformConv."""
    import ncnn

    with open(path, encoding="utf-8") as file:
        kinds = {line.split()[0] for line in file.read().splitlines()[2:] if line.strip()}
    return sorted(kind for kind in kinds if ncnn.layer_to_index(kind) < 0)


def _failure(model, done) -> CompilerError:
    import onnx

    unknown = sorted({node.op_type for node in model.graph.node
                      if node.domain not in onnx_file.STANDARD_DOMAINS or not onnx.defs.has(node.op_type)})
    if unknown:
        return CompilerError("unsupported_operator", f"pnnx does not know {', '.join(unknown)}", _ADVICE)
    onnx_file.check(model)
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith("ort ")), None) or next(
        (line for line in reversed(lines) if re.search(r"error|fail|not support|unsupported|unknown", line, re.IGNORECASE)),
        f"it ended with {done.returncode}")
    # It runs the model once by the onnxruntime that is part of it, with inputs of its own, and ends where that raises.
    is_refused = done.returncode >= 0 or told.startswith("ort ")
    return CompilerError("unsupported_operator" if is_refused else "compiler_failed", f"pnnx failed: {told}",
                         "all its messages are in the log of this attempt")
