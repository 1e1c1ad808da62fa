# SPDX-License-Identifier: Apache-2.0
"""Exports small networks of transformers, torchvision and of toolkits for trees, with random weights, as users do:
exports.py DRAW FOLDER. A file that is there already is not made again; what cannot be exported is said and left out."""
import pathlib
import sys
import traceback

import export_learners
import export_networks

DRAWS = {
    "first": (*export_networks.FIRST, *export_learners.FIRST),
    "second": (*export_networks.SECOND, *export_learners.SECOND),
}


def main(draw, folder):
    for write in DRAWS[draw]:
        path = pathlib.Path(folder) / f"{write.__name__}.onnx"
        if path.exists():
            continue
        try:
            write(path)
        except Exception:  # the exporters raise many types
            print(f"{write.__name__} cannot be exported", file=sys.stderr)
            traceback.print_exc()


if __name__ == "__main__":
    main(*sys.argv[1:])
