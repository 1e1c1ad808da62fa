# SPDX-License-Identifier: Apache-2.0
"""Simulated studies whose truth is known, and how often what ngb says of them is true."""

import hashlib
import json
import math
import pathlib
import random
import shutil
import sqlite3
import tempfile

import made_up_results as made_up
import uneven_compiler as uneven
from made_up import Model
from noise import Compiler, Noise

QUIET = Noise(deviation=0.02)
# What befalls one side only: the baseline.
BY_REPETITION = {
    "one repetition in 20 × 3": Noise(slow_share=1 / 20, slow_factor=3),
    "log-normal σ .2": Noise(deviation=0, log_deviation=0.2),
    "normal": QUIET,
}
MODES = Noise(mode_share=0.2, mode_factor=1.3)
# Of percentiles.
BY_PROCESS = {
    "processes alike": Noise(deviation=0, log_deviation=0.2),
    "processes that differ by 10 %": Noise(process_deviation=0.1),
}


class Counted:
    """How many of so many were so."""

    def __init__(self):
        self.hits = self.all = 0

    def add(self, is_so):
        self.hits += bool(is_so)
        self.all += 1

    @property
    def percent(self):
        return 100 * self.hits / self.all

    def __str__(self):
        return f"{self.percent:.0f} % ({self.hits} of {self.all})"


class Folder:
    """A folder for one results folder, which goes at the end."""

    def __enter__(self):
        self._folder = tempfile.mkdtemp(dir=made_up.home())
        return pathlib.Path(self._folder) / "results"

    def __exit__(self, *error):
        shutil.rmtree(self._folder)


def two_sides(folder, draw, noises, models, rounds, speed_ups=None, drift=0.0):
    """Writes a study of two compilers, "old" and "new". What the machine does to a round befalls both; from round to round it
    wanders with that correlation. Returns {model: the true ratio}."""
    machine = {model: Compiler(draw, 1.0, Noise(deviation=0, process_deviation=0.02, correlation=drift)) for model in models}
    of_rounds = {}
    drawn = {}
    for model in models:
        for compiler, noise in noises.items():
            faster = (speed_ups or {}).get(model, 1.0) if compiler == "new" else 1.0
            drawn[compiler, model] = Compiler(draw, 10.0 / faster, noise)

    def times(compiler, model, number):
        if (model, number) not in of_rounds:
            of_rounds[model, number], = machine[model].process(repetitions=1)
        return drawn[compiler, model].process(of_rounds[model, number])

    made_up.study(folder, list(noises), models, rounds, times, baseline="old")
    return {model: drawn["new", model].per_s / drawn["old", model].per_s for model in models}


def coverage(noise, rounds, studies, models, seed=1, of_candidate=QUIET, drift=0.0):
    """How often the interval of a ratio holds the truth, and how often it does or the pair is undecided. `noise` is that of
    the baseline."""
    draw = random.Random(seed)
    holds, is_safe = Counted(), Counted()
    for _ in range(studies):
        with Folder() as folder:
            truth = two_sides(folder, draw, {"old": noise, "new": of_candidate}, [f"m{i}" for i in range(models)], rounds,
                              drift=drift)
            for pair in made_up.compared(folder, "old", "new"):
                ratio = pair["ratio"]
                is_held = ratio["low"] is not None and ratio["low"] <= truth[pair["model"]] <= ratio["high"]
                holds.add(is_held)
                is_safe.add(is_held or pair["verdict"] == "undecided")
    return holds, is_safe


def percentiles(noise, percent, rounds, models, seed=1):
    """How often the interval of a percentile of latency holds that of all processes that there could be."""
    draw = random.Random(seed)
    all_ms = sorted(ms for _ in range(20_000) for ms in Compiler(draw, 10.0, noise).process(repetitions=5))
    truth_s = all_ms[len(all_ms) * percent // 100] / 1000
    holds = Counted()
    with Folder() as folder:
        made_up.study(folder, ["identity"], [f"m{i}" for i in range(models)], rounds,
                      lambda compiler, model, number: Compiler(draw, 10.0, noise).process(repetitions=64))
        for cell in made_up.shown(folder)["cells"]:
            told = cell["metrics"][f"latency_p{percent}_s"]
            holds.add(told.get("low", 0) <= truth_s <= told.get("high", math.inf))
    return holds


def gate(slower, deviation, rounds, studies, models, seed=1):
    """How often `ngb gate` lets a study pass of whose models one is slower by that share, or none."""
    draw = random.Random(seed)
    passes = Counted()
    noise = Noise(process_deviation=deviation / 2**0.5)
    for _ in range(studies):
        with Folder() as folder:
            two_sides(folder, draw, {"old": noise, "new": noise}, [f"m{i}" for i in range(models)], rounds,
                      {"m0": 1 / (1 + slower)})
            done = made_up.started("gate", folder, "--baseline", "old", "--candidate", "new")
            if done.returncode not in (0, 4):
                raise AssertionError(done.stdout + done.stderr)
            passes.add(done.returncode == 0)
    return passes


def as_kept(text):
    """What the cache has of a text: the text's hash, and the text."""
    return hashlib.sha256(text.encode()).hexdigest() + "\n" + text


PLANNED_STUDY = """\
name: planned
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: ["null": {options: {run_ns: [1000, 2000]}}]
threads: 1
turns: 1
processes: ROUNDS
reference: none
"""


def difference_in_plan(rounds, deviation):
    """The difference that `ngb plan` says is found in half of the cells, on a machine whose rounds differ so much."""
    with sqlite3.connect(f"file:{made_up.newest_tables()}/results.db?mode=ro", uri=True) as database:
        environment, = database.execute("SELECT environment_hash FROM process").fetchone()
    cells = [{"name": "any", "inference_s": 0.01, "process_s": 1, "differences": [-deviation, 0, deviation]}]
    kept = made_up.home() / f".cache/ngraphbench/calibrations/{environment}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(as_kept(json.dumps({"version": 1, "environment_hash": environment, "threads": [
        {"threads": 1, "turns": 1, "measured_unix_ns": 0, "compiler": "null", "cells": cells}]})))
    file = made_up.home() / "planned.yaml"
    file.write_text(PLANNED_STUDY.replace("ROUNDS", str(rounds)))
    decidable, = json.loads(made_up.ngb("plan", file, "--json"))["decidable"]
    kept.unlink()
    return decidable["median_ratio"]


def calibrated(rounds, deviation, studies, seed=1):
    """How often a difference that `ngb plan` calls large enough is found by a comparison of two compilers on one model."""
    draw = random.Random(seed)
    difference = difference_in_plan(rounds, deviation)
    noise = Noise(deviation=0, process_deviation=deviation / 2**0.5)
    found = Counted()
    for _ in range(studies):
        with Folder() as folder:
            two_sides(folder, draw, {"old": noise, "new": noise}, ["m"], rounds, {"m": 1 + difference})
            pair, = made_up.compared(folder, "old", "new")
            found.add(pair["verdict"] == "faster")
    return found


IMAGE_SIZES = range(8, 136, 16)  # of eight models
INFERENCE_MS = 5.0


def gate_that_measures(slower, deviation, studies, most_rounds=15, seed=1):
    """How often `ngb gate`, which measures until it is decided, lets a study pass of whose eight models one is slower by that
    share, at all and with rounds left; and how many rounds it measured of the slower one on average. Their times
    are made up; the programs are the real ones."""
    draw = random.Random(seed)
    passes, passes_early, rounds = Counted(), Counted(), 0
    for number in range(studies):
        name = f"gate-{seed}-{number}"
        times = {label: {size: [INFERENCE_MS * math.exp(draw.gauss(0, deviation / 2**0.5)) for _ in range(most_rounds)]
                         for size in IMAGE_SIZES} for label in ("old", "new")}
        times["new"][IMAGE_SIZES[0]] = [each * (1 + slower) for each in times["new"][IMAGE_SIZES[0]]]
        study = uneven.write_study(
            name, [uneven.of_table(label, made_up.home() / f"{name}-{label}", times[label]) for label in times],
            models=uneven.models_of_sizes(IMAGE_SIZES), rounds={"until": "decided", "max": most_rounds}, baseline="old",
            warm_up=1, repetitions=4, min_repetition_ms=0)
        folder = made_up.home() / f"{name}-measured"
        done = made_up.started("gate", study, "--baseline", "old", "--candidate", "new", "--turns", "1", "--output", folder,
                               program=uneven.installation())
        if done.returncode not in (0, 4):
            raise AssertionError(done.stdout + done.stderr)
        measured = processes_of(folder, IMAGE_SIZES[0])
        passes.add(done.returncode == 0)
        passes_early.add(done.returncode == 0 and measured < most_rounds)
        rounds += measured
    return passes, passes_early, rounds / studies


def processes_of(folder, image_size):
    with sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True) as database:
        found, = database.execute("SELECT count(DISTINCT process_index) FROM process JOIN cell USING (cell_key) JOIN model "
                                  "USING (model_key) WHERE json_extract(recipe_json, '$.parameters.image_size') = ?",
                                  (image_size,)).fetchone()
    return found


def measuring_gate(slower, deviation, studies, models, seed=1, most=15):
    """As `gate_that_measures`, without a device: of given rounds, those are read that one would have measured. How often the
    slower model passes, how often it does so although it has rounds left, and the mean number of its rounds."""
    draw = random.Random(seed)
    passes, left, all_rounds = Counted(), Counted(), 0
    names = [f"m{i}" for i in range(models)]
    for _ in range(studies):
        noise = Noise(deviation=0, process_deviation=deviation / 2**0.5)
        ms = {(side, model): [Compiler(draw, 10 * (1 + slower * ((side, model) == ("new", "m0"))), noise).process(repetitions=6)
                              for _ in range(most)] for side in ("old", "new") for model in names}
        speeds = [[[1000 / process[0] for process in ms[side, model]] for side in ("old", "new")] for model in names]
        rounds = dict(zip(names, made_up.measured_rounds(speeds, most), strict=True))
        with Folder() as folder:
            made_up.study(folder, ["old", "new"], names, most,
                          lambda side, model, number: ms[side, model][number] if number < rounds[model] else None,
                          protocol={"rounds": {"min": 3, "max": most, "until": "decided_against_baseline",
                                               "margin_percent": 3}}, baseline="old")
            done = made_up.started("gate", folder, "--baseline", "old", "--candidate", "new")
            if done.returncode not in (0, 4):
                raise AssertionError(done.stdout + done.stderr)
        passes.add(done.returncode == 0)
        left.add(done.returncode == 0 and rounds["m0"] < most)
        all_rounds += rounds["m0"]
    return passes, left, all_rounds / studies


def fastest_named(folder):
    """The compilers that may be the fastest of the only workload, as the answer's row has them."""
    row, = made_up.shown(folder)["conclusions"]["answer"]["rows"]
    return {name.split()[0] for name in row["may_be_fastest"]}


def race(compilers, faster, rounds, studies, seed=1, deviation=0.01):
    """How often the fastest of so many compilers, "c00", which is faster than the others by that share, is among those that the
    answer names; and how many it names on average."""
    draw = random.Random(seed)
    contains, named = Counted(), 0
    names = [f"c{i:02}" for i in range(compilers)]
    noise = Noise(process_deviation=deviation)
    for _ in range(studies):
        order = draw.sample(names, compilers)  # the place in the study must say nothing
        with Folder() as folder:
            drawn = {name: Compiler(draw, 10 / (1 + faster) if name == "c00" else 10, noise) for name in order}
            drawn["identity"] = Compiler(draw, 20, noise)
            made_up.study(folder, ["identity", *order], ["m"], rounds, lambda compiler, *_: drawn[compiler].process())
            found = fastest_named(folder)
            contains.add("c00" in found)
            named += len(found)
    return contains, named / studies


def blocks_of_equal_compilers(studies, rounds=5, seed=1):
    """Stacks of blocks in which nothing differs: how often the claim that depth raises BSR has an interval without 1, and how
    often it holds."""
    draw = random.Random(seed)
    misses, held = Counted(), Counted()
    models = [Model(f"conv_block width=8 depth={depth}", batch, "conv_block", {"depth": depth, "image_size": 16, "width": 8},
                    900 * depth) for depth in (1, 4) for batch in (1, 2, 4, 8, 16)]
    for _ in range(studies):
        with Folder() as folder:
            noise = Noise(process_deviation=0.02)
            drawn = {(compiler, model): Compiler(draw, 2.0 * model.batch * model.parameters["depth"], noise)
                     for compiler in ("identity", "openvino") for model in models}
            made_up.study(folder, ["identity", "openvino"], models, rounds,
                          lambda compiler, model, number: drawn[compiler, model].process(repetitions=6))
            for claim in made_up.shown(folder)["conclusions"]["claims"]:
                if claim["claim"] == "depth_raises_bsr":
                    low, high = claim["low"], claim["high"]
                    misses.add(not low <= 1 <= high)
                    held.add(claim["status"] == "holds")
    return misses, held


def highest_of_many(cells, speed_up, studies, rounds=5, seed=1):
    """How often the claim that the highest speed-up of openvino is above 5 holds, of so many cells that all have the same."""
    draw = random.Random(seed)
    held = Counted()
    noise = Noise(process_deviation=0.05 / 2**0.5)
    models = [f"m{i}" for i in range(cells)]
    for _ in range(studies):
        with Folder() as folder:
            drawn = {(compiler, model): Compiler(draw, 10 if compiler == "identity" else 10 / speed_up, noise)
                     for compiler in ("identity", "openvino") for model in models}
            made_up.study(folder, ["identity", "openvino"], models, rounds,
                          lambda compiler, model, number: drawn[compiler, model].process(repetitions=6))
            claim, = (each for each in made_up.shown(folder)["conclusions"]["claims"]
                      if each["claim"] == "openvino_gains_five_times")
            held.add(claim["status"] == "holds")
    return held
