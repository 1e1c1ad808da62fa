# SPDX-License-Identifier: Apache-2.0
"""Asks a compiler what the inputs of a compiled file are: the function `inputs` of compiled_file.py in the compiler's
folder."""
import json
import sys

from ngraphbench import compiler_module
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line


def answer() -> None:
    """Read {"folders" of the compiler and of that whose toolchain it has, "file"}, and print {"inputs": [{"name", "type",
    "shape": extents, -1 for an open one}]} or {"error", "next"}. What the file does not say is null: a
    type, a shape, or all inputs."""
    question = json.loads(sys.stdin.read())
    try:
        inputs = compiler_module.load(question["folders"], "compiled_file").inputs(question["file"])
        print(json.dumps({"inputs": inputs}))
    except CompilerError as error:
        print(json.dumps({"error": error.message, "next": error.advice}))
    except Exception as error:  # each library has exceptions of its own
        print(json.dumps({"error": first_line(error), "next": ""}))
