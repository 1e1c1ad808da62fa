# SPDX-License-Identifier: Apache-2.0
"""Draws nets of timm, torchvision and torch.nn by a seed, measures them with every compiler, briefly, and writes
docs/nets.md (scripts/nets starts this). Interrupted, it continues with the same command."""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import report

_SOURCE = pathlib.Path(__file__).resolve().parents[3]
_HERE = pathlib.Path(__file__).resolve().parent
_PROTOCOL = {"batch_sizes": [1], "protocol": "paper", "processes": 1, "warm_up": 1, "repetitions": 3, "min_repetition_ms": 0,
             "reference": "identity"}


def main() -> int:
    arguments = _arguments()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_HERE / "layers.py", folder)
    nets = _nets(arguments)
    compilers = arguments.compilers.split(",")
    kept = report.read(arguments.output.read_text(encoding="utf-8")) if arguments.keep else {"cells": {}, "exporters": {}}
    for compiler in compilers:  # a results folder for each: more compilers can follow later
        study = folder / f"{compiler}.yaml"
        study.write_text(json.dumps({**_PROTOCOL, "models": [net["model"] for net in nets], "compilers": [compiler],
                                     "timeouts": {"compile_s": arguments.compile_timeout_s},
                                     "disturbance": {"max_wait_percent": 100}}, indent=1))
        done = subprocess.run([arguments.build / "bin/ngb", "run", study, "-o", folder / compiler],
                              stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            return done.returncode
        arguments.output.write_text(report.write(_with_kept(_results(arguments, nets), kept)), encoding="utf-8")
    print(f"{arguments.output} (results in {folder})")
    return 0


def _arguments():
    parser = argparse.ArgumentParser(prog="scripts/nets", description=__doc__)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--timm", type=int, default=24, help="families of timm")
    parser.add_argument("--torchvision", type=int, default=8, help="families of torchvision")
    parser.add_argument("--layers", type=int, default=12, help="modules of torch.nn")
    parser.add_argument("--most-parameters", type=int, default=30_000_000)
    parser.add_argument("--compile-timeout-s", type=int, default=180)
    parser.add_argument("--compilers", default="identity,torchscript,eager-cpp,onnxruntime,openvino,torch-compile,"
                                               "aotinductor,xla,iree,tvm,mnn,ncnn,litert,executorch")
    parser.add_argument("--keep", action="store_true",
                        help="compilers that this folder has no results of stay as they are on the page")
    parser.add_argument("--build", type=pathlib.Path, default=_SOURCE / "build/dev")
    data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    parser.add_argument("--toolchains", type=pathlib.Path,
                        default=os.environ.get("NGB_TOOLCHAINS") or data / "ngraphbench/toolchains")
    parser.add_argument("--folder", type=pathlib.Path, default=_SOURCE / "build/nets", help="drawn nets and results")
    parser.add_argument("--output", type=pathlib.Path, default=_SOURCE / "docs/nets.md")
    return parser.parse_args()


def _with_kept(results: dict, kept: dict) -> dict:
    """The drawn nets are those of the page, or their labels are others."""
    measured = {compiler for row in results["cells"].values() for compiler in row}
    for label, row in results["cells"].items():
        row.update((compiler, outcome) for compiler, outcome in kept["cells"].get(label, {}).items() if compiler not in measured)
    return {**results, "exporters": {**results["exporters"], **kept["exporters"]}}


def _nets(arguments) -> list:
    kept = arguments.folder / "nets.json"
    if kept.exists():
        return json.loads(kept.read_text())
    version = json.loads((_SOURCE / "versions.json").read_text())["toolchains"]["identity"]["default"]
    toolchain = arguments.toolchains / "identity" / version
    manifest = json.loads((toolchain / "manifest.json").read_text())
    drawn = subprocess.run([manifest["python"], "-B", _HERE / "draw.py", *map(str, (
        arguments.seed, arguments.timm, arguments.torchvision, arguments.layers, arguments.most_parameters))],
        stdout=subprocess.PIPE, check=True, text=True,
        env={**os.environ, "PYTHONPATH": str(toolchain / manifest.get("site", "site")), "HF_HUB_OFFLINE": "1"})
    kept.write_text(drawn.stdout)
    return json.loads(drawn.stdout)


def _results(arguments, nets) -> dict:
    cells, exporters = {net["label"]: {} for net in nets}, {}
    for database in sorted(arguments.folder.glob("*/results.db")):
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            for label, compiler, kind, message, error in connection.execute(
                    "SELECT label, compiler_label, kind, message, max_relative_error FROM cell JOIN model "
                    "USING (model_key) JOIN process USING (cell_key) LEFT JOIN failure USING (process_key) "
                    "LEFT JOIN output_check USING (process_key) ORDER BY process_key"):
                cells[label][compiler] = {"kind": kind, "message": message or "", "error": error}
            for label, exporter, reason in connection.execute(
                    "SELECT label, exporter, no_file_reason FROM model_file JOIN model USING (model_key)"):
                if exporter or (reason and "torch.onnx.export" in reason):
                    exporters[label] = exporter or "none"
    given = {"seed": 24, "timm": 24, "torchvision": 8, "layers": 12, "most_parameters": 30_000_000}
    options = "".join(f" --{name.replace('_', '-')} {value}" for name, default in given.items()
                      if (value := getattr(arguments, name)) != default)
    return {"nets": nets, "cells": cells, "exporters": exporters, "seed": arguments.seed,
            "most": arguments.most_parameters, "options": options,
            "versions": json.loads((_SOURCE / "versions.json").read_text())["wheels"]}


if __name__ == "__main__":
    sys.exit(main())
