#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which compiler takes which model? One study of the fifteen models, both blocks and models of one's own × every compiler
that is installed, and one table of what came of it, in which nothing is empty: outputs that agree and by how much, or the
stored reason; compile time, peak memory and throughput.

    matrix.py NGB [--model TEXT …] [--without-zoo] [--compiler TEXT …] [--batch N …] [--output FOLDER] …

TEXT is an entry of a study's list: --model 'onnx: mine.onnx' --compiler 'tvm: {options: {trials: 64}}'. It is a study as
any: interrupted, the same command goes on; with more models or compilers, only what is new is measured. --show prints the
table of what there is, --side-by-side a table for each figure with a column for each compiler, as docs/matrix.md has them.
--also FOLDER …: what was not measured here is taken from these results."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

ZOO = ("resnet18", "resnet50", "resnet101", "efficientnet_b3", "efficientnet_b4", "efficientnet_b5",
       "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin_s3_tiny_224",
       "swin_s3_small_224", "swin_s3_base_224", "convnext_tiny", "convnext_small", "convnext_base", "conv_block",
       "mha_block")
STUDY = """\
name: matrix
models:
{models}
compilers:
{compilers}
batch_sizes: {batch}
threads: {threads}
protocol: paper
processes: {processes}
compile: {compile}
repetitions: {repetitions}
attempts: 1
reference: {reference}
timeouts: {{compile_s: {compile_s}, run_s: {run_s}}}
max_transient_s: {max_transient_s}
tolerances: {{absolute: {absolute}, relative: 1e-3}}
output: {output}
"""
FIELDS = {"max_absolute_error": "Largest error against the identity", "compile_s": "Compile time, s",
          "compile_peak_bytes": "Peak memory of compiling, MB",
          "timed_peak_bytes": "Peak memory of inference, MB",
          "throughput_median_per_s": "Throughput, samples/s"}
HEADINGS = ("model", "batch", "compiler", "result", "max error", "compile s", "compile MB", "run MB", "samples/s")


def installed(ngb):
    told = json.loads(subprocess.run([ngb, "compilers", "--json"], check=True, capture_output=True, text=True).stdout)
    return [row["name"] for row in told if row["installed"]]


def as_list(entries):
    return "\n".join(f"  - {entry}" for entry in entries)


def number(name, value):
    if name.endswith("_bytes"):
        return f"{value / 1e6:.0f}"
    return f"{value:.1e}" if name == "max_absolute_error" and value != 0 else f"{value:.4g}"


def cells_of(ngb, folders):
    """One for each model, batch size and compiler: of the first folder in which it was measured, or else of the first."""
    found = {}
    for folder in folders:
        shown = subprocess.run([ngb, "show", folder, "--json"], check=True, capture_output=True, text=True).stdout
        for cell in json.loads(shown)["cells"]:
            key = cell["model"], cell["batch"], cell["compiler_label"]
            if key not in found or (cell["status"] == "measured" and found[key]["status"] != "measured"):
                found[key] = cell
    return found


def row_of(cell):
    """A field is a number, or why there is none."""
    failure = cell["failure"]
    result = cell["status"] if failure is None else f"{failure['kind']} in {failure['phase']}: {failure['message']}"
    fields = [number(name, metric["value"]) if metric["value"] is not None else metric["reason"]
              for name, metric in ((name, cell["metrics"][name]) for name in FIELDS)]
    words = [cell["model"], str(cell["batch"]), cell["compiler_label"], "ok" if result == "measured" else result, *fields]
    return [shortened(word.splitlines()[0].replace("|", "\\|")) for word in words]


def print_side_by_side(cells):
    """A cell without the figure has the kind of its failure, or, where it was not measured, its status."""
    rows = list(dict.fromkeys((model, batch) for model, batch, _ in cells))
    compilers = list(dict.fromkeys(compiler for _, _, compiler in cells))
    for field, title in FIELDS.items():
        print(f"\n## {title}\n\n| model | batch | " + " | ".join(compilers) + " |\n|" + " --- |" * (2 + len(compilers)))
        for row in rows:
            print("| " + " | ".join([row[0], str(row[1])] + [
                figure(cells.get((*row, compiler)), field) for compiler in compilers]) + " |")


def figure(cell, field):
    if cell is None:
        return "not asked for"
    value = cell["metrics"][field]["value"]
    return number(field, value) if value is not None else (cell["failure"] or {"kind": cell["status"]})["kind"]


def shortened(text, length=160):
    return text if len(text) <= length else text[:length - 1] + "…"


def print_table(cells):
    print("| " + " | ".join(HEADINGS) + " |\n|" + " --- |" * len(HEADINGS))
    for cell in cells.values():
        row = row_of(cell)
        assert all(row), f"an empty field: {row}"
        print("| " + " | ".join(row) + " |")
    counts = collections.Counter(cell["status"] for cell in cells.values())
    print(f"\n{len(cells)} cells: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--model", action="append", default=[], metavar="TEXT")
    parser.add_argument("--without-zoo", action="store_true", help="only the models of --model")
    parser.add_argument("--compiler", action="append", default=[], metavar="TEXT")
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--reference", default="identity", help="whose outputs are right; another one: another --output")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--compile", choices=("each", "once", "auto"), default="each", help="which processes of a cell compile")
    parser.add_argument("--compile-s", type=float, default=1800)
    parser.add_argument("--run-s", type=float, default=300)
    parser.add_argument("--absolute", type=float, default=1e-4, help="tolerance")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("results/matrix"))
    parser.add_argument("--show", action="store_true", help="measure nothing")
    parser.add_argument("--also", type=pathlib.Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--side-by-side", action="store_true")
    arguments = parser.parse_args()
    ngb, output = arguments.ngb.resolve(), arguments.output.resolve()
    if not arguments.show:
        models = ([] if arguments.without_zoo else [f"zoo: {name}" for name in ZOO]) + arguments.model
        output.mkdir(parents=True, exist_ok=True)
        study = output / "matrix.yaml"
        study.write_text(STUDY.format(
            models=as_list(models), compilers=as_list(arguments.compiler or installed(ngb)), batch=arguments.batch,
            threads=arguments.threads, processes=arguments.processes, compile=arguments.compile, repetitions=arguments.repetitions, compile_s=arguments.compile_s,
            reference=arguments.reference, run_s=arguments.run_s, max_transient_s=min(30, arguments.run_s / 4), absolute=arguments.absolute,
            output=output))
        done = subprocess.run([ngb, "run", study], stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1):  # 1: some cells failed, which is what the table is for
            sys.exit(done.returncode)
    (print_side_by_side if arguments.side_by_side else print_table)(cells_of(ngb, [output, *arguments.also]))


if __name__ == "__main__":
    main()
