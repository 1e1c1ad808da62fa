# SPDX-License-Identifier: Apache-2.0
"""A worker in a fresh interpreter: python -m ngraphbench.worker --compiler-dir DIR [--model-kind KIND …].

File descriptors 3 (request), 4 (result) and 5 (progress page) are open already; stdout and stderr are the log. The exit
code is 0 if a result was written, even that of a failure, as for ngb-worker."""
import argparse
import sys

from ngraphbench import _loop
from ngraphbench.hosting import Host, add_model_kinds
from ngraphbench.process import prepare


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ngraphbench.worker", description="One cell, one process.")
    parser.add_argument("--compiler-dir", required=True, help="folder with compiler.json and the adaptor")
    add_model_kinds(parser)
    arguments = parser.parse_args()
    prepare()
    try:
        host = Host(arguments.compiler_dir, arguments.model_kinds)
    except (OSError, ValueError) as error:
        print(f"ngraphbench.worker: {error}", file=sys.stderr)
        return 2
    return _loop.serve(host)


if __name__ == "__main__":
    sys.exit(main())
