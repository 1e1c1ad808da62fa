# SPDX-License-Identifier: Apache-2.0
"""Converts an ONNX file for mnn, ncnn, litert or executorch, as our plugin for that compiler does.

    edge_convert.py MODEL PROGRAM COMPILER SHAPE THREADS

The path has our packages (lib/ngraphbench/python), the toolchain's, and our files of the compiler."""
import json
import pathlib
import sys

from ngraphbench import hosting


def main():
    model, program, compiler, shape, threads = sys.argv[1:]
    shape, threads = json.loads(shape), int(threads)
    if compiler in ("mnn", "ncnn"):
        lib = pathlib.Path(hosting.__file__).parents[2]
        session = hosting.Host(str(lib / "compilers" / compiler)).open("", "cpu", "f32", threads, {})
        return session.compile(model, "", [("input", "f32", tuple(shape))], program)
    import compile as conversion

    conversion.import_packages()
    conversion.compile_model({"model": model, "recipe": "", "inputs": [{"name": "input", "dtype": "float32", "shape": shape}],
                              "threads": threads, "output": program, "signature": f"{program}.json", "has_delegate": True,
                              "has_xnnpack": True}, print)


main()
