# SPDX-License-Identifier: Apache-2.0
"""What a program of IREE's virtual machine (.vmfb) wants as inputs."""
import re

import iree.runtime as runtime
from ngraphbench.adaptor import CompilerError

_DECLARATION = "iree.abi.declaration"  # "sync func @main(%input0: tensor<1x64xf32>) -> (%output0: tensor<?x64xf32>)"
_TYPES = {"f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "i1": "bool", "i8": "i8", "si8": "i8", "ui8": "u8",
          "i32": "i32", "si32": "i32", "i64": "i64", "si64": "i64"}


def inputs(path):
    """Return [{"name", "type", "shape"}] in the order of the function, an open extent is -1; None for a program without a
    declaration, as those of PyTorch's and ONNX's importers are."""
    instance = runtime.VmInstance()
    module = runtime.VmModule.mmap(instance, path)
    device = runtime.get_driver("local-sync").create_default_device()
    runtime.VmContext(instance, [runtime.create_hal_module(instance, device), module])  # raises if another device is needed
    text = declaration(module)[1]
    return _values(text.partition("->")[0]) if text else None


def declaration(module):
    """Return the name of the module's first function, and its declaration or ""."""
    for name in module.function_names:
        if name != "__init" and not name.endswith("$async"):
            return name, module.lookup_function(name).reflection.get(_DECLARATION, "")
    raise CompilerError("invalid_model", "it has no function")


def output_names(text):
    """Return the names of the outputs that the declaration has."""
    return [each["name"] for each in _values(text.partition("->")[2])]


def _values(text):
    found = re.findall(r"%(\w+): (\w+)(?:<([^>]*)>)?", text)
    if other := [name for name, kind, _ in found if kind != "tensor"]:
        raise CompilerError("unsupported_operator", f"{', '.join(other)} is no tensor", "leave it out for iree")
    parts = [(name, inner.split("x")) for name, _, inner in found]
    return [{"name": name, "type": _TYPES[words[-1]], "shape": [-1 if word == "?" else int(word) for word in words[:-1]]}
            for name, words in parts]
