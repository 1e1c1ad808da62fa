#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `compile: auto` saves of a study, and where the rest of its time goes.

    compile_once.py NGB [--models NAME …] [--compilers NAME …] [--processes N] [--repetitions N] [--folder FOLDER]

One study, ResNet-18 with ten compilers and five processes each, is run with `compile: each` and with `compile: auto`,
reference outputs being there already. Prints for each compiler and phase the seconds of all its processes, of `each` and
of `auto`, and the ratio of both runs' time from command to table. The seconds are those of the stored phases, of the
instants when processes began and ended and, where a process is the first of its compiler, of its imports, which the
server of forked processes does once. With --folder, results are kept there, and runs that are there are only printed."""

import argparse
import collections
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

MODELS = ("resnet18",)
COMPILERS = ("identity", "torchscript", "eager-cpp", "onnxruntime", "openvino", "torch-compile", "aotinductor", "xla",
             "iree", "tvm")
MODES = ("each", "auto")
STUDY = """\
name: compile_once
models: [{models}]
compilers: [{compilers}]
batch_sizes: 1
threads: 2
protocol: paper
processes: {processes}
repetitions: {repetitions}
compile: {mode}
disturbance: {{attempts: 1, wait_s: 0, max_wait_percent: 100}}
output: {output}
"""
PHASES = ("start", "open", "compile", "load", "check", "warm_up", "timed")
PHASE_SECONDS = """\
SELECT compiler, phase, sum(phase.wall_ns) / 1e9, count(*)
FROM phase JOIN process USING (process_key) JOIN cell USING (cell_key) GROUP BY compiler, phase"""
PROCESSES = """\
SELECT compiler, process.started_unix_ns / 1e9, process.wall_ns / 1e9
FROM process JOIN cell USING (cell_key) ORDER BY process.started_unix_ns"""
SHARED = """\
SELECT DISTINCT compiler, value FROM fact JOIN process USING (process_key) JOIN cell USING (cell_key)
WHERE name = 'shared_compilation'"""


def run_study(arguments, folder, name, mode, **changes):
    """Seconds from command to table."""
    settings = {**vars(arguments), **changes}
    study = folder / f"{name}.yaml"
    study.write_text(STUDY.format(models=", ".join(f"zoo: {model}".join("{}") for model in settings["models"]),
                                  compilers=", ".join(settings["compilers"]), mode=mode, output=folder / name,
                                  processes=settings["processes"], repetitions=settings["repetitions"]))
    start = time.monotonic()
    done = subprocess.run([arguments.ngb.resolve(), "run", study, "--no-report"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - start


def seconds_by_compiler(results):
    """{compiler: {phase: seconds}}, with "between" for what passed before its processes and "other" for what in them is
    no phase."""
    seconds = collections.defaultdict(collections.Counter)
    for compiler, phase, wall_s, _ in results.execute(PHASE_SECONDS):
        seconds[compiler][phase] = wall_s
    ended = None
    in_processes = collections.Counter()
    for compiler, started, wall_s in results.execute(PROCESSES):
        if ended is not None:
            seconds[compiler]["between"] += started - ended
        in_processes[compiler] += wall_s
        ended = started + wall_s
    for compiler, wall_s in in_processes.items():
        seconds[compiler]["other"] = wall_s - sum(seconds[compiler][phase] for phase in PHASES)
    return seconds


def print_seconds(title, seconds):
    columns = (*PHASES, "other", "between")
    print(f"\n## {title}\n\n| compiler | " + " | ".join(columns) + " | all |\n|" + " --- |" * (len(columns) + 2))
    total = collections.Counter()
    for compiler, parts in sorted(seconds.items(), key=lambda row: -sum(row[1].values())):
        total.update(parts)
        print(f"| {compiler} | " + " | ".join(f"{parts[column]:.2f}" for column in columns)
              + f" | {sum(parts.values()):.1f} |")
    print("| all | " + " | ".join(f"{total[column]:.2f}" for column in columns) + f" | {sum(total.values()):.1f} |")


def print_ratios(of_mode):
    """One row for each compiler; what cannot gain is what takes longer to measure than to compile."""
    totals = {mode: {compiler: sum(parts.values()) for compiler, parts in seconds.items()}
              for mode, seconds in of_mode.items()}
    print("\n## Seconds with each, with auto, and their ratio\n\n| compiler | each | auto | ratio |\n| --- | --- | --- | --- |")
    rows = sorted(totals["each"], key=lambda compiler: -totals["auto"][compiler])
    for compiler in rows:
        each, auto = totals["each"][compiler], totals["auto"][compiler]
        print(f"| {compiler} | {each:.1f} | {auto:.1f} | {auto / each:.2f} |")
    for left_out in rows[:2]:
        each, auto = (sum(value for compiler, value in totals[mode].items() if compiler != left_out) for mode in MODES)
        print(f"| all but {left_out} | {each:.1f} | {auto:.1f} | {auto / each:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--compilers", nargs="+", default=COMPILERS)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = (arguments.folder or pathlib.Path(name)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        walls, seconds = {}, {}
        if not all((folder / f"{mode}.seconds").exists() for mode in MODES):
            run_study(arguments, folder, "references", "each", compilers=["identity"], processes=1, repetitions=1)
        for mode in MODES:
            told = folder / f"{mode}.seconds"
            if not told.exists():
                told.write_text(str(run_study(arguments, folder, mode, mode)))
            walls[mode] = float(told.read_text())
            results = sqlite3.connect(folder / mode / "results.db")
            seconds[mode] = seconds_by_compiler(results)
            print_seconds(f"compile: {mode}, {walls[mode]:.1f} s from command to table", seconds[mode])
            for compiler, fact in sorted(results.execute(SHARED)):
                print(f"{compiler}: {fact}")
        print_ratios(seconds)
    print(f"\nauto / each: {walls['auto']:.1f} s / {walls['each']:.1f} s = {walls['auto'] / walls['each']:.3f}")


if __name__ == "__main__":
    main()
