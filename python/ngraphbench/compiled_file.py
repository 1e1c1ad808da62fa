# SPDX-License-Identifier: Apache-2.0
"""Asks a compiler what the inputs of a compiled file are: the function `inputs` of compiled_file.py in the compiler's
folder."""
import importlib.util
import json
import os
import sys


def answer() -> None:
    """Read {"folder" of the compiler, "file"}, and print {"inputs": [{"name", "type", "shape": extents, -1 for an open
    one}]} or {"error", "next"}."""
    question = json.loads(sys.stdin.read())
    spec = importlib.util.spec_from_file_location("compiled_file_of_compiler", os.path.join(question["folder"], "compiled_file.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        print(json.dumps({"inputs": module.inputs(question["file"])}))
    except Exception as error:  # each library has exceptions of its own
        print(json.dumps({"error": f"it cannot be read: {first_line(error)}", "next": "is it a file of this compiler, and whole?"}))


def first_line(error: Exception) -> str:
    """Return the first line of the exception's message that is not blank, or the exception's name."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
