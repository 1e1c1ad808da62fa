# SPDX-License-Identifier: Apache-2.0
"""Describes a user's PyTorch module and makes its ONNX file: python -m ngraphbench.export_model --compiler-dir DIR …

FILE.json, beside the ONNX file, holds the result: what compilers/identity/export.py returns, or {"failure": {…}}. The
exit code is 0 if either was written, DISK_FULL if the disk is full."""
import argparse
import errno
import json
import os
import sys
import traceback

from ngraphbench.adaptor import CompilerError
from ngraphbench.hosting import Host
from ngraphbench.process import prepare
from ngraphbench.reasons import cause

DISK_FULL = 28  # kDiskFullExitCode of src/samples/failure.h


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ngraphbench.export_model",
                                     description="A PyTorch module as an ONNX file.")
    parser.add_argument("--compiler-dir", required=True, help="folder with compiler.json and the exporter")
    parser.add_argument("--toolchain", required=True, help="the toolchain's site-packages folder")
    parser.add_argument("--module", required=True, help='JSON: {"module": {…}}; - reads it from standard input')
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--dynamic-batch", action="store_true")
    parser.add_argument("--without-file", action="store_true", help="only describe the module")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("-o", dest="path", required=True)
    arguments = parser.parse_args()
    prepare()
    os.environ.pop("HF_HUB_OFFLINE")  # nothing is measured yet, so weights that the study names may be downloaded
    try:
        answer = _answer(arguments)
        with open(arguments.path + ".json", "w", encoding="utf-8") as file:
            json.dump(answer, file)
    except OSError as error:
        traceback.print_exc()
        return DISK_FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else 1
    return 0


def _answer(arguments):
    try:
        export = Host(arguments.compiler_dir).module("export")
        recipe = json.loads(sys.stdin.read() if arguments.module == "-" else arguments.module)
        return export.write(recipe, arguments.batch, arguments.dynamic_batch, arguments.threads, arguments.path,
                            needs_file=not arguments.without_file)
    except CompilerError as error:
        return _failure(error.kind, error.message, error.advice)
    except MemoryError:
        return _failure("out_of_memory", "there is not enough memory to export the model", "")
    except Exception as error:
        if full := _disk_full(error):
            raise full
        traceback.print_exc()
        return _failure("compiler_failed", f"the model could not be exported: {cause(error)}", "")


def _disk_full(error):
    """The OSError of a full disk that led to this one, or None."""
    while error is not None and not (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        error = error.__cause__ or error.__context__
    return error


def _failure(kind, message, advice):
    return {"failure": {"kind": kind, "message": message, "advice": advice}}


if __name__ == "__main__":
    sys.exit(main())
