# SPDX-License-Identifier: Apache-2.0
"""Files of an opset that a compiler's front end does not know are converted to one that it knows. The package onnx is
the toolchain's."""
import traceback
from typing import Any, Callable, Dict, Tuple

from ngraphbench import onnx_file
from ngraphbench.adaptor import CompilerError

KNOWN = 17  # all front ends know its operators


def use(path: str, take: Callable[[Any], Any]) -> Tuple[Any, Dict[str, str]]:
    """Return what `take` returns for the file's onnx.ModelProto, which it may change, and facts about a conversion. If
    `take` refuses an operator of an older opset, it receives the model again, converted by the onnx package. Raises the
    CompilerError of the file as it is if the converted one is refused as well."""
    model = onnx_file.read(path)
    given = onnx_file.opset_of(model)
    try:
        return take(model), {}
    except CompilerError as refusal:
        if refusal.kind != "unsupported_operator" or given >= KNOWN:
            raise
        del model
        try:
            made = take(_converted(onnx_file.read(path)))
        except MemoryError:
            raise
        except Exception:  # the converter raises many types; the first refusal is about the user's file
            traceback.print_exc()
            raise refusal from None
        return made, {"opset": f"{given}, converted to {KNOWN} by the onnx package"}


def _converted(model):
    from onnx import version_converter

    return version_converter.convert_version(model, KNOWN)
