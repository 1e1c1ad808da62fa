# SPDX-License-Identifier: Apache-2.0
"""Simulated studies whose truth is known, and how often what ngb says of them is true."""

import json
import pathlib
import random
import re
import shutil
import sqlite3
import tempfile

import made_up_results as made_up
from made_up import Model, Process
from noise import Compiler, Noise
from servers import open_latencies, percentile

QUIET = Noise(deviation=0.02)
# What befalls one side only: the baseline.
BY_REPETITION = {
    "one repetition in 20 × 3": Noise(slow_share=1 / 20, slow_factor=3),
    "log-normal σ .2": Noise(deviation=0, log_deviation=0.2),
    "normal": QUIET,
}
MODES = Noise(mode_share=0.2, mode_factor=1.3)


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


def two_sides(folder, draw, noises, models, rounds, speed_ups=None, round_deviation=0.02):
    """Writes a study of two compilers, "old" and "new". A round's factor befalls both. Returns {model: the true ratio}."""
    of_rounds = {}
    drawn = {}
    for model in models:
        for compiler, noise in noises.items():
            faster = (speed_ups or {}).get(model, 1.0) if compiler == "new" else 1.0
            drawn[compiler, model] = Compiler(draw, 10.0 / faster, noise)

    def times(compiler, model, number):
        if (model, number) not in of_rounds:
            of_rounds[model, number] = max(0.5, draw.gauss(1, round_deviation))
        return drawn[compiler, model].process(of_rounds[model, number])

    made_up.study(folder, list(noises), models, rounds, times, baseline="old")
    return {model: drawn["new", model].per_s / drawn["old", model].per_s for model in models}


def coverage(noise, rounds, studies, models, seed=1):
    """How often the interval of a ratio holds the truth, and how often it does or the pair is undecided. `noise` is that of
    the baseline."""
    draw = random.Random(seed)
    holds, is_safe = Counted(), Counted()
    for _ in range(studies):
        with Folder() as folder:
            truth = two_sides(folder, draw, {"old": noise, "new": QUIET}, [f"m{i}" for i in range(models)], rounds)
            for pair in made_up.compared(folder, "old", "new"):
                ratio = pair["ratio"]
                is_held = ratio["low"] is not None and ratio["low"] <= truth[pair["model"]] <= ratio["high"]
                holds.add(is_held)
                is_safe.add(is_held or pair["verdict"] == "undecided")
    return holds, is_safe


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


NAMES = re.compile(r"\bc\d\d\b")


def fastest_named(folder):
    """The compilers of the answer that may be the fastest: those that its sentences name before the word."""
    answer = made_up.shown(folder)["conclusions"]["answer"]
    sentences = [each for each in answer["sentences"] if "fastest" in each]
    if not sentences:
        raise AssertionError(f"no sentence about the fastest: {answer}")
    return {name for each in sentences for name in NAMES.findall(each.split("fastest")[0])}


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


def service_times(draw, deviation=0.1):
    """Draws the seconds of inferences of 10 ms."""
    return lambda: 0.01 * max(0.1, draw.gauss(1, deviation))


def choice(folder, percent, limit_s, per_s):
    """What `ngb choose` says of each compiler: {label: its row}."""
    told = made_up.ngb("choose", folder, "--latency", f"p{percent}={limit_s:.9f}s", "--load", f"{per_s:.9f}/s", "--all",
                       "--json", codes=(0, 5))
    return {row["compiler_label"]: row for row in json.loads(told)}


def simulated_percentile(times_ms, percent, per_s, seed=1, requests=20_000):
    """Of the latencies of a server with these service times, drawn anew, at which requests arrive at random."""
    draw = random.Random(seed)
    return percentile(open_latencies(lambda: draw.choice(times_ms) / 1000, per_s, requests, draw), percent)
