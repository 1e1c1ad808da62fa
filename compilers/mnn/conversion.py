# SPDX-License-Identifier: Apache-2.0
"""Makes MNN's own file from an ONNX model, by the converter in MNN's Python package. It is called as a function: the
script `mnnconvert` would also send statistics to MNN's makers. It runs in a process of its own, because it crashes on
some models that are not valid."""
import os
import re
import signal
import tempfile
import traceback
from typing import List, Sequence, Tuple

from ngraphbench import onnx_file
from ngraphbench.adaptor import CompilerError

_ADVICE = "leave this model out for mnn, or try a newer version"
_MOST_BYTES = 2**31 - 1  # of one protocol buffer


def write(model, path: str, options: Sequence[str]) -> None:
    """Write the file. `model` is an onnx.ModelProto whose inputs have the cell's shapes. Raises CompilerError."""
    import _tools

    if model.ByteSize() > _MOST_BYTES:
        raise CompilerError("unsupported_operator", "MNN's converter reads models of at most 2 GB here", _ADVICE)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        source = os.path.join(folder, "model.onnx")
        with open(source, "wb") as file:
            file.write(model.SerializeToString())
        # A weight below the smallest normal number would be rounded to 0.
        said, crash = _run(lambda: _tools.mnnconvert(
            ["mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", path, "--bizCode", "ngraphbench",
             "--alignDenormalizedValue", "0", *options]), folder)
    if crash or not os.path.exists(path):  # the function always returns true
        raise _failure(model, said, crash)


def _run(call, folder: str) -> Tuple[List[str], str]:
    """Run `call` in a child of this process, which has one thread. Return the lines that it prints from C++, which go to
    the log as well, and the name of the signal that ended it, or ""."""
    with open(os.path.join(folder, "said"), "w+", encoding="utf-8", errors="replace") as file:
        child = os.fork()
        if child == 0:
            try:
                os.dup2(file.fileno(), 1)
                call()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        file.seek(0)
        text = file.read()
    print(text, flush=True)
    return text.splitlines(), signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ""


def _failure(model, said: Sequence[str], crash: str) -> CompilerError:
    """Return why the converter gave up, with the names of all operators that it lacks."""
    text = "\n".join(said)
    if lacking := re.search(r"These Op Not Support: (.*)", text):
        operators = [each.strip().removeprefix("ONNX::") for each in lacking[1].split("|")]
        return CompilerError("unsupported_operator", f"MNN does not know {', '.join(filter(None, operators))}", _ADVICE)
    onnx_file.check(model)
    if crash:
        return CompilerError("compiler_failed", f"MNN's converter crashed ({crash})", _ADVICE)
    errors = [line for line in said if re.search(r"error|fail|not support", line, re.IGNORECASE)]
    return CompilerError("unsupported_operator" if errors else "compiler_failed",
                         f"MNN's converter failed: {errors[0] if errors else 'it gave no reason'}",
                         "all its messages are in the log of this attempt")
