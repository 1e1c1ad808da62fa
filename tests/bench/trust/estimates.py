#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well `ngb plan` knows how long a study takes: ten studies, each planned and run twice.

    estimates.py NGB [--quick] [--json FILE] [--studies N]

The first time, the cache is new and each study is unlike those before it in some way (model, batch size, compiler, protocol): what
`ngb plan` says then rests on the table of usual times and on the studies before. The second time, the machine has run
that very study. The full form has networks and all installed compilers, and takes hours; --quick has small blocks and
those that compile in seconds. Estimate and time are compared as a factor of at least 1; the limits are 2 and 1.3.

Everything is measured in a new cache, which is removed at the end; toolchains are those of this machine."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import toolchains  # noqa: E402

LIMIT_FIRST, LIMIT_AGAIN = 2.0, 1.3

STUDY = """\
name: {name}
models:
{models}
compilers:
{compilers}
batch_sizes: {batch}
protocol: paper
processes: {processes}
repetitions: {repetitions}
reference: {reference}
disturbance: {{max_wait_percent: 100}}
output: {output}
{more}
"""

CONV = "{{conv_block: {{width: {}, depth: {}, image_size: {}}}}}"
MHA = "{{mha_block: {{embed: {}, depth: {}}}}}"
NULL = '"null": {options: {run_ns: 20000000, compile_ns: 300000000}}'
# What the two forms have in common is the kind of step from one study to the next: a new model, another batch size, other
# compilers, another protocol, compilations shared, everything together.
QUICK = [
    {"models": [CONV.format(16, 1, 32)], "compilers": ["onnxruntime", "openvino"]},
    {"models": [CONV.format(32, 2, 64), CONV.format(64, 2, 64)], "compilers": ["onnxruntime", "openvino"]},
    {"models": [CONV.format(32, 2, 64)], "compilers": ["onnxruntime", "openvino"], "batch": [1, 4, 16]},
    {"models": [CONV.format(16, 1, 32)], "compilers": [NULL], "reference": "none", "processes": 5},
    {"models": ["resnet18"], "compilers": ["onnxruntime", "openvino"], "processes": 5},
    {"models": [CONV.format(16, 1, 32)], "compilers": ["iree", "tvm", "xla"], "reference": "none"},
    {"models": [MHA.format(64, 1)], "compilers": ["iree", "tvm", "xla"], "reference": "none", "compile": "auto"},
    {"models": [CONV.format(32, 2, 64)], "compilers": ["identity", "onnxruntime"]},
    {"models": ["resnet50"], "compilers": ["onnxruntime", "openvino"], "repetitions": 10},
    {"models": [MHA.format(128, 2), CONV.format(16, 2, 32)], "compilers": ["identity", "onnxruntime", "xla"], "compile": "auto"},
]
FULL = [
    {"models": ["resnet18"], "compilers": ["onnxruntime", "openvino", "identity"]},
    {"models": ["resnet50", "convnext_tiny"], "compilers": ["onnxruntime", "openvino", "identity"]},
    {"models": ["resnet18", "deit3_small_patch16_224"], "compilers": ["onnxruntime", "openvino"], "batch": [1, 8]},
    {"models": [CONV.format(64, 4, 56), MHA.format(256, 2)], "compilers": ["onnxruntime", "openvino", "identity", "xla"]},
    {"models": ["resnet18"], "compilers": ["iree", "tvm", "xla"], "repetitions": 5},
    {"models": ["resnet50"], "compilers": ["iree", "xla"], "compile": "auto", "repetitions": 5},
    {"models": [CONV.format(64, 2, 56)], "compilers": ["aotinductor", "torch-compile", "torchscript"]},
    {"models": ["resnet18", "convnext_tiny"], "compilers": ["aotinductor", "torch-compile"], "compile": "auto"},
    {"models": ["swin_s3_tiny_224", "efficientnet_b3"], "compilers": ["onnxruntime", "openvino", "identity"], "batch": [1, 4]},
    {"models": ["resnet101", "deit3_base_patch16_224"], "compilers": ["onnxruntime", "openvino", "identity", "aotinductor"],
     "processes": 5, "compile": "auto"},
]


def study_text(number, asked, output):
    more = f"compile: {asked['compile']}" if "compile" in asked else ""
    return STUDY.format(
        name=f"estimate{number}", models="\n".join(f"  - zoo: {model}" for model in asked["models"]),
        compilers="\n".join(f"  - {compiler}" for compiler in asked["compilers"]), batch=asked.get("batch", [1]),
        processes=asked.get("processes", 3), repetitions=asked.get("repetitions", 20),
        reference=asked.get("reference", "identity"), output=output, more=more)


def run_once(ngb, study, environment):
    planned = subprocess.run([ngb, "plan", study, "--json"], capture_output=True, text=True, env=environment)
    if planned.returncode != 0:
        raise SystemExit(f"{study}: {planned.stderr}")
    plan = json.loads(planned.stdout)
    begin = time.monotonic()
    done = subprocess.run([ngb, "run", study], capture_output=True, text=True, env=environment)
    actual_s = time.monotonic() - begin
    if done.returncode not in (0, 1):  # 1: a cell failed, which takes time as well
        raise SystemExit(f"{study}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return {"estimate_s": plan["estimate_s"], "actual_s": actual_s, "basis": plan["estimate_basis"],
            "failed_cells": done.returncode == 1,
            "factor": max(plan["estimate_s"] / actual_s, actual_s / plan["estimate_s"])}


def without_missing(asked, installed):
    """The study with those compilers that this machine has; None if it has none of them."""
    owner = dict.fromkeys(("aotinductor", "torch-compile", "torchscript", "eager-cpp"), "identity")
    here = [name for name in asked["compilers"] if '"null"' in name or owner.get(name, name) in installed]
    return {**asked, "compilers": here} if here else None


def print_summary(rows, limit_first):
    print(f"{'study':<12}{'time':>7}{'estimate s':>12}{'actual s':>10}{'factor':>8}  cells: same, version, batch, model, table")
    for row in rows:
        basis = row["basis"]["cells"]
        cells = ", ".join(str(basis[key]) for key in ("same", "other_version", "other_batch", "other_model", "table"))
        failed = "  (a cell failed)" if row["failed_cells"] else ""
        print(f"{row['study']:<12}{row['time']:>7}{row['estimate_s']:12.1f}{row['actual_s']:10.1f}{row['factor']:8.2f}  {cells}{failed}")
    is_good = True
    for when, limit in (("first", limit_first), ("again", LIMIT_AGAIN)):
        factors = [row["factor"] for row in rows if row["time"] == when]
        within = sum(factor <= limit for factor in factors)
        is_good = is_good and within == len(factors)
        print(f"{when}: {within} of {len(factors)} within {limit}; median {statistics.median(factors):.2f}, worst {max(factors):.2f}")
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--studies", type=int, default=10, help="only the first ones")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    ngb = arguments.ngb.resolve()
    installed = set(toolchains.newest(ngb))
    rows = []
    with tempfile.TemporaryDirectory(prefix="ngb-estimates-") as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "NGB_CACHE": str(folder / "cache")}
        for number, asked in enumerate((QUICK if arguments.quick else FULL)[:arguments.studies], 1):
            asked = without_missing(asked, installed)
            if asked is None:
                print(f"study {number}: none of its compilers is installed", file=sys.stderr)
                continue
            for when in ("first", "again"):
                study = folder / f"{number}-{when}.yaml"
                study.write_text(study_text(number, asked, folder / f"results-{number}-{when}"))
                row = {"study": f"study {number}", "time": when, **run_once(ngb, study, environment)}
                rows.append(row)
                print(f"study {number}, {when}: {row['estimate_s']:.1f} s estimated, {row['actual_s']:.1f} s", file=sys.stderr)
    is_good = print_summary(rows, LIMIT_FIRST)
    if arguments.json:
        arguments.json.write_text(json.dumps({"is_good": is_good, "rows": rows}, indent=1) + "\n")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
