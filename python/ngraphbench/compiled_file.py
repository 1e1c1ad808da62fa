# SPDX-License-Identifier: Apache-2.0
"""Asks a compiler what the inputs of a compiled file are, and whether it keeps a cache from one inference to the next: the
functions `inputs` and, if there is one, `cache` of compiled_file.py in the compiler's folder."""
import json
import sys

from ngraphbench import compiler_module
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line


def answer() -> None:
    """Read {"folders" of the compiler and of that whose toolchain it has, "file"}, and print {"inputs": [{"name", "type",
    "shape": extents, -1 for an open one}], "cache": null or {"vocabulary": number of tokens}} or {"error", "next"}. What the file
    does not say is null: a type, a shape, all inputs, or the vocabulary."""
    question = json.loads(sys.stdin.read())
    try:
        reader = compiler_module.load(question["folders"], "compiled_file")
        cache = getattr(reader, "cache", lambda path: None)(question["file"])
        print(json.dumps({"inputs": reader.inputs(question["file"]), "cache": cache}))
    except CompilerError as error:
        print(json.dumps({"error": error.message, "next": error.advice}))
    except Exception as error:  # each library has exceptions of its own
        print(json.dumps({"error": first_line(error), "next": ""}))
