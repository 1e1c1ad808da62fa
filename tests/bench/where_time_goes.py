#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From command to table: where every second goes.

    where_time_goes.py NGB [--processes N] [--repetitions N] [--new-references] [--script] …

Five models × batch 1, 8 × identity, onnxruntime, openvino on two threads, 20 repetitions in 5 fresh processes: at most
260 s, and 200 s with --processes 1. The reference outputs are there already, as they are for every study but the first;
--new-references makes them anew. With --script the same work is also done by a script in one process
(idioms/one_process.py), before and after: what the machine of today makes of it. The seconds are those of the stored
phases and of the instants when processes began and ended; what lies between two processes is the agent's and the models'."""

import argparse
import collections
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

import toolchains

MODELS = ("resnet50", "efficientnet_b3", "deit3_small_patch16_224", "swin_s3_tiny_224", "convnext_tiny")
COMPILERS = ("identity", "onnxruntime", "openvino")
SCRIPT = pathlib.Path(__file__).resolve().parent / "idioms/one_process.py"
LIMIT_S = {5: 260.0, 1: 200.0}
STUDY = """\
name: where
models: [{models}]
compilers: [{compilers}]
batch_sizes: {batch}
threads: {threads}
protocol: paper
processes: {processes}
repetitions: {repetitions}
output: {output}
"""
PROCESSES = """\
SELECT compiler, model_key, process.started_unix_ns / 1e9, process.wall_ns / 1e9, process_key
FROM process JOIN cell USING (cell_key) ORDER BY process.started_unix_ns"""
IMPORTS = """\
SELECT min(process_key), value / 1e9 FROM fact JOIN process USING (process_key) JOIN cell USING (cell_key)
WHERE name = 'import_ns' GROUP BY compiler, compiler_version"""
PHASES = "SELECT process_key, phase, wall_ns / 1e9 FROM phase"
TIMED = "SELECT sum(wall_ns) / 1e9 FROM repetition WHERE is_warm_up = ?"
FIRST = "SELECT sum(wall_ns) / 1e9 FROM repetition WHERE repetition_index = 0"  # in the check's phase


def run_study(arguments, folder, name, **changes):
    """Wall seconds, the instant when it began, and its results."""
    settings = {**vars(arguments), **changes}
    study, output = folder / f"{name}.yaml", folder / name
    study.write_text(STUDY.format(models=", ".join(f"zoo: {model}".join("{}") for model in settings["models"]),
                                  compilers=", ".join(settings["compilers"]), output=output,
                                  **{key: settings[key] for key in ("batch", "threads", "processes", "repetitions")}))
    began, start = time.time(), time.monotonic()
    done = subprocess.run([arguments.ngb.resolve(), "run", study], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - start, began, sqlite3.connect(output / "results.db")


def run_script(arguments):
    """Wall seconds of the script, and of its inference that counts."""
    newest = toolchains.newest(arguments.ngb.resolve())
    words = [arguments.threads, arguments.repetitions * arguments.processes, ",".join(map(str, arguments.batch)),
             *arguments.models]
    environment = {**os.environ, "ORT_DISABLE_TELEMETRY": "1", "OMP_NUM_THREADS": str(arguments.threads),
                   "PYTHONPATH": ":".join(newest[compiler]["site"] for compiler in COMPILERS)}
    start = time.monotonic()
    done = subprocess.run([newest["identity"]["python"], SCRIPT, *map(str, words)], check=True, capture_output=True,
                          text=True, env=environment)
    return time.monotonic() - start, float(done.stdout.split()[-1])


def seconds_by_part(wall_s, began, results):
    """In the order of time; the parts add up to the whole."""
    processes = results.execute(PROCESSES).fetchall()
    parts = collections.OrderedDict()
    parts["before the first process: plan, agent, imports, first model"] = processes[0][2] - began
    phases = collections.Counter()
    by_process = collections.Counter()
    for key, phase, seconds in results.execute(PHASES):
        phases[phase] += seconds
        by_process[key] += seconds
    imports = dict(results.execute(IMPORTS))  # paid before the first process of a compiler that Python hosts
    between, between_groups, importing = 0.0, 0.0, 0.0
    for (_, model, started, wall, _), (_, next_model, next_started, _, key) in zip(processes, processes[1:]):
        gap = next_started - (started + wall)
        imported = min(gap, imports.get(key, 0.0))
        importing += imported
        if model == next_model:
            between += gap - imported
        else:
            between_groups += gap - imported
    parts["imports of Python's compilers, once, unless they are in the row above"] = importing
    parts["between groups: the next model is written, its references found or made"] = between_groups
    parts["between processes of a group: recorded, and the next one begun"] = between
    parts["launching and leaving: of a process, what is no phase"] = sum(
        process[3] - by_process[process[4]] for process in processes)
    names = {"start": "start: the plugin is loaded", "open": "open: the compiler's library", "compile": "compile",
             "check": "check: inputs, the first inference's outputs compared"}
    for phase, name in names.items():
        parts[name] = phases[phase]
    (warm_s,), (timed_s,) = (results.execute(TIMED, (is_warm_up,)).fetchone() for is_warm_up in (1, 0))
    (first_s,) = results.execute(FIRST).fetchone()
    parts[names["check"]] -= first_s
    parts["inference that is warm-up, the first one above all"] = warm_s
    parts["inference that counts"] = timed_s
    parts["around the repetitions: pilot, probes, the series judged"] = (
        phases["warm_up"] + phases["timed"] + first_s - warm_s - timed_s)
    last = processes[-1]
    parts["after the last process: statistics, table"] = began + wall_s - (last[2] + last[3])
    return parts


def print_parts(parts, wall_s):
    print(f"| {'seconds':>8} | share | part |\n| --- | --- | --- |")
    for part, seconds in parts.items():
        print(f"| {seconds:8.2f} | {100 * seconds / wall_s:4.1f} % | {part} |")
    print(f"| {sum(parts.values()):8.2f} | 100 % | all, of {wall_s:.2f} s from command to table |")


def print_compilers(results):
    rows = results.execute(
        "SELECT compiler, phase, sum(phase.wall_ns) / 1e9, count(DISTINCT process_key) FROM phase "
        "JOIN process USING (process_key) JOIN cell USING (cell_key) GROUP BY compiler, phase").fetchall()
    order = ("start", "open", "compile", "check", "warm_up", "timed")
    print("\n| compiler | processes | " + " | ".join(f"{phase} s" for phase in order) + " |\n|" + " --- |" * 8)
    for compiler in sorted({row[0] for row in rows}):
        of = {row[1]: row for row in rows if row[0] == compiler}
        print(f"| {compiler} | {max(row[3] for row in of.values())} | "
              + " | ".join(f"{of[phase][2]:.2f}" for phase in order) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--compilers", nargs="+", default=COMPILERS)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--repetitions", type=int, help="in each process; default: 20 over all processes of a cell")
    parser.add_argument("--new-references", action="store_true")
    parser.add_argument("--script", action="store_true")
    arguments = parser.parse_args()
    arguments.repetitions = arguments.repetitions or max(1, 20 // arguments.processes)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        if not arguments.new_references:
            run_study(arguments, folder, "references", compilers=["identity"], processes=1, repetitions=1)
        scripts = [run_script(arguments)] if arguments.script else []
        wall_s, began, results = run_study(arguments, folder, "measured")
        scripts += [run_script(arguments)] if arguments.script else []
        print_parts(seconds_by_part(wall_s, began, results), wall_s)
        print_compilers(results)
    for script_s, counted_s in scripts:
        print(f"the script: {script_s:.2f} s, of which {counted_s:.2f} s inference that counts; "
              f"ours / the script: {wall_s / script_s:.3f}")
    limit = LIMIT_S.get(arguments.processes)
    if limit and (tuple(arguments.models), tuple(arguments.compilers)) == (MODELS, COMPILERS):
        print(f"\n{wall_s:.0f} s, limit {limit:.0f} s: {'within' if wall_s <= limit else 'OVER'}")


if __name__ == "__main__":
    main()
