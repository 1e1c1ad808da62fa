# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: running studies with ngb, reading what was measured, asking for verdicts.

Every script is `NAME.py BUILD [--quick] [--output FOLDER] [--json FILE]`. BUILD is a build folder (build/release) with the
programs and bench/judge_pairs. Studies are kept in FOLDER (results/trust/NAME), so an interrupted script continues where
it stopped; --quick has a folder of its own. Each figure is printed as soon as it is known; --json writes all of them at
the end. Use an idle machine for anything but --quick."""

import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

NULL, USUAL = "null", "onnxruntime"
IN_TURNS = {"turns": 20, "min_repetition_ms": 10}
# Of --quick: other programs may run beside it, and nobody waits for them to end.
HURRIED = {"disturbance": {"max_wait_percent": 100, "attempts": 1, "wait_s": 0}}


class Bench:
    """One script's arguments, its results folder and its summary."""

    def __init__(self, name, description, **choices):
        """`choices` are options of this script alone, --KEY, of which one value or, by default, each is taken."""
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("build", type=pathlib.Path, help="build folder, such as build/release")
        parser.add_argument("--quick", action="store_true", help="a few cells only: shows that it works, proves nothing")
        parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("results/trust"))
        parser.add_argument("--json", type=pathlib.Path, help="write the summary to this file as well")
        parser.add_argument("--compilers", help="only these of the installed ones: NAME[,NAME…]")
        for key, values in choices.items():
            parser.add_argument("--" + key, choices=values, help="only this one")
        given = parser.parse_args()
        self.chosen = {key: [value for value in values if getattr(given, key) in (None, value)]
                       for key, values in choices.items()}
        self.only = given.compilers and given.compilers.split(",")
        self.name, self.quick, self.json = name, given.quick, given.json
        self.build = given.build.resolve()
        self.ngb = self.build / "bin/ngb"
        self.folder = (given.output / (name + "-quick" if given.quick else name)).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.figures = []

    def installed(self):
        """The names of the compilers that can measure here, of those that are asked for."""
        told = subprocess.run([self.ngb, "compilers", "--json"], check=True, capture_output=True, text=True).stdout
        return [row["name"] for row in json.loads(told)
                if row["installed"] and (not self.only or row["name"] in self.only)]

    def real_compiler(self):
        """onnxruntime, or the null compiler where that is not installed, which is printed."""
        if USUAL in self.installed():
            return USUAL
        print(f"{USUAL} is not installed: the null compiler is measured instead", flush=True)
        return NULL

    def measure(self, name, study, ngb=None):
        """Runs a study, or what is left of it. Returns its results folder."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        file, log, times, done = (folder.with_suffix(end) for end in (".study.json", ".log", ".seconds", ".done"))
        text = json.dumps({"name": name, "reference": "none", **(HURRIED if self.quick else {}),
                           **({} if "protocol" in study else {"turns": 1}), **study,
                           "output": str(folder)}, indent=1)
        if done.exists() and file.read_text() == text:
            return folder
        done.unlink(missing_ok=True)
        file.write_text(text)
        print(f"{self.name}: {name}: measuring; progress is in {log}", flush=True)
        begin = time.monotonic()
        with log.open("a") as output:
            ended = subprocess.run([ngb or self.ngb, "run", file], stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        before = float(times.read_text()) if times.exists() else 0
        times.write_text(str(before + time.monotonic() - begin))
        if ended.returncode not in (0, 1):  # 1: some cells failed, which the summary has to show
            raise SystemExit(f"{self.name}: ngb run ended with {ended.returncode}; {log} has the reason; the same command "
                             "continues")
        done.touch()
        return folder

    def seconds(self, folder):
        return float(folder.with_suffix(".seconds").read_text())

    def judge(self, studies, **rules):
        """The verdicts of each study: a list of cells, each a list of the log ratios of its rounds."""
        asked = json.dumps({"studies": studies, **rules})
        told = subprocess.run([self.build / "bench/judge_pairs"], input=asked, check=True, capture_output=True, text=True)
        return json.loads(told.stdout)["studies"]

    def figure(self, name, value, unit="", limit=None, reason="", is_met=None):
        """Adds a number to the summary and prints it. An unknown one is None and has a reason."""
        self.figures.append({"figure": name, "value": value, "unit": unit, "limit": limit, "reason": reason,
                             "is_met": is_met})
        shown = f"not measured: {reason}" if value is None else (
            f"{value:.4g} {unit}" if isinstance(value, float) else f"{value} {unit}").strip()
        print(f"  {name}: {shown}" + (f" (limit: {limit})" if limit is not None else "") +
              {True: ": met", False: ": NOT MET", None: ""}[is_met] +
              (f" ({reason})" if reason and value is not None else ""), flush=True)

    def end(self):
        """Writes the summary and ends the script."""
        print(f"{self.name}: ended{' (quick: proves nothing)' if self.quick else ''}")
        if self.json:
            self.json.write_text(json.dumps({"script": self.name, "quick": self.quick, "figures": self.figures}, indent=1))
        raise SystemExit(0)


def zoo(family, **parameters):
    return {"zoo": {family: parameters} if parameters else family}


def blocks(count):
    """Small models, whose processes are short: `count` of them, or as many as there are."""
    found = [zoo("conv_block", width=width, depth=depth, image_size=size)
             for size in (32, 64) for depth in (1, 2) for width in (8, 16, 32)]
    found += [zoo("mha_block", embed=embed, depth=depth, sequence=sequence)
              for sequence in (16, 32) for depth in (1, 2) for embed in (64, 128, 256)]
    found += [zoo("mobilenetv3_small_100"), zoo("conv_block", width=64, depth=1, image_size=32)]
    random.Random(1).shuffle(found)
    return found[:count]


def query(folder, sql):
    with contextlib.closing(sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


def speeds(folder):
    """{(model, batch, compiler, threads): {process: samples/s}}: the mean over a process's steady repetitions."""
    found = {}
    for *cell, process, speed in query(
            folder, "SELECT model, batch, compiler_label, threads, process_index, avg(1e9 * batch * inferences / wall_ns) "
            "FROM sample WHERE is_warm_up = 0 GROUP BY cell_id, process_index ORDER BY cell_id, process_index"):
        found.setdefault(tuple(cell), {})[process] = speed
    return found


def equal_sides(of_cell, seed):
    """Log ratios of processes 2r and 2r + 1 of a cell, with sides drawn at random; rounds without both are left out."""
    sign = random.Random(seed)
    found = []
    for process in sorted(of_cell):
        sides = sign.choice((1, -1))
        if process % 2 == 0 and process + 1 in of_cell:
            found.append(sides * math.log(of_cell[process + 1] / of_cell[process]))
    return found


def sides(baseline, candidate):
    """Log ratios of the rounds that two cells of one group have in common."""
    return [math.log(candidate[round] / baseline[round]) for round in sorted(baseline) if round in candidate]


def share(count, total):
    """In percent; None without any."""
    return 100 * count / total if total else None


def deviations(pairs):
    return [statistics.stdev(each) for each in pairs if len(each) >= 3]


def installation_with_slowed(bench):
    """A copy of the build's installation that has the compiler onnxruntime-slowed as well; returns its ngb."""
    folder = bench.build / "bench/installation"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    for program in ("ngb", "ngb-agent", "ngb-worker"):
        os.link(bench.build / "bin" / program, folder / "bin" / program)
    shutil.copytree(bench.build / "lib/ngraphbench", folder / "lib/ngraphbench", copy_function=os.link)
    shutil.copytree(bench.build / "bench/onnxruntime-slowed", folder / "lib/ngraphbench/compilers/onnxruntime-slowed")
    return folder / "bin/ngb"


@contextlib.contextmanager
def neighbours(count, busy_ratio):
    """Programs named `burner` that keep one processor each busy for that share of every 200 ms."""
    code = ("import time,ctypes;ctypes.CDLL(None).prctl(15,b'burner',0,0,0)\n"
            "while True:\n"
            f" end=time.monotonic()+0.2*{busy_ratio}\n"
            " while time.monotonic()<end: pass\n"
            f" time.sleep(0.2*{1 - busy_ratio})\n")
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(count)]
    try:
        yield started
    finally:
        for each in started:
            each.kill()
            each.wait()
