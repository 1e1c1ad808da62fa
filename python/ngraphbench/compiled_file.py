# SPDX-License-Identifier: Apache-2.0
"""Asks a compiler what the inputs of a compiled file are: the function `inputs` of compiled_file.py in the compiler's
folder."""
import importlib
import json
import sys
import types

from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line

_PACKAGE = "ngraphbench_compiler"


def answer() -> None:
    """Read {"folders" of the compiler and of that whose toolchain it has, "file"}, and print {"inputs": [{"name", "type",
    "shape": extents, -1 for an open one}]} or {"error", "next"}. What the file does not say is null: a
    type, a shape, or all inputs."""
    question = json.loads(sys.stdin.read())
    package = types.ModuleType(_PACKAGE)
    package.__path__ = question["folders"]
    sys.modules[_PACKAGE] = package
    try:
        inputs = importlib.import_module(f"{_PACKAGE}.compiled_file").inputs(question["file"])
        print(json.dumps({"inputs": inputs}))
    except CompilerError as error:
        print(json.dumps({"error": error.message, "next": error.advice}))
    except Exception as error:  # each library has exceptions of its own
        print(json.dumps({"error": first_line(error), "next": ""}))
