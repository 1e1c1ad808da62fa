# SPDX-License-Identifier: Apache-2.0
"""Exports small networks of transformers, torchvision, timm and of toolkits for trees, with random weights, as users do:
exports.py DRAW FOLDER. A file that is there already is not made again; what cannot be exported is said and left out."""
import importlib
import pathlib
import sys
import traceback

MODULES = {"first": ("export_networks", "export_learners"), "second": ("export_networks", "export_learners"),
           "third": ("export_recent",)}


def main(draw, folder):
    for module in MODULES[draw]:
        for write in getattr(importlib.import_module(module), draw.upper()):
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
