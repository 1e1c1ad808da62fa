# SPDX-License-Identifier: Apache-2.0
"""Simulated studies whose truth is known, and how often what ngb says of them is true."""

import json
import math
import pathlib
import random
import shutil
import sqlite3
import tempfile
from statistics import NormalDist

import made_up_results as made_up
import uneven_compiler as uneven
from made_up import Model, Process
from noise import Compiler, Noise
from servers import closed_count, open_latencies, percentile

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
    """The difference that `ngb plan` says is found in half of the cells, on a machine whose rounds are known to differ so much."""
    with sqlite3.connect(f"file:{made_up.newest_tables()}/results.db?mode=ro", uri=True) as database:
        environment, = database.execute("SELECT environment_hash FROM process").fetchone()
    cells = [{"name": "any", "inference_s": 0.01, "process_s": 1, "differences": [-deviation, 0, deviation]}]
    kept = made_up.home() / f".cache/ngraphbench/calibrations/{environment}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"version": 1, "environment_hash": environment, "threads": [
        {"threads": 1, "turns": 1, "measured_unix_ns": 0, "compiler": "null", "cells": cells}]}))
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
    share; and how many rounds it measured on average of the slower one. Inferences sleep, so that the machine adds little."""
    draw = random.Random(seed)
    passes, rounds = Counted(), 0
    for number in range(studies):
        name = f"gate-{seed}-{number}"
        times = {label: {size: [INFERENCE_MS * math.exp(draw.gauss(0, deviation / 2**0.5)) for _ in range(most_rounds)]
                         for size in IMAGE_SIZES} for label in ("old", "new")}
        times["new"][IMAGE_SIZES[0]] = [each * (1 + slower) for each in times["new"][IMAGE_SIZES[0]]]
        study = uneven.write_study(
            name, [uneven.of_table(label, made_up.home() / f"{name}-{label}", times[label]) for label in times],
            models=uneven.models_of_sizes(IMAGE_SIZES), rounds={"until": "decided", "max": most_rounds}, baseline="old", warm_up=1,
            repetitions=4, min_repetition_ms=0)
        folder = made_up.home() / f"{name}-measured"
        done = made_up.started("gate", study, "--baseline", "old", "--candidate", "new", "--turns", "1", "--output", folder,
                               program=uneven.installation())
        if done.returncode not in (0, 4):
            raise AssertionError(done.stdout + done.stderr)
        passes.add(done.returncode == 0)
        rounds += processes_of(folder, IMAGE_SIZES[0])
    return passes, rounds / studies


def processes_of(folder, image_size):
    with sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True) as database:
        found, = database.execute("SELECT count(DISTINCT process_index) FROM process JOIN cell USING (cell_key) JOIN model "
                                  "USING (model_key) WHERE json_extract(recipe_json, '$.parameters.image_size') = ?",
                                  (image_size,)).fetchone()
    return found


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


def service_times(draw, mean_s):
    """Draws the seconds of inferences that vary by a tenth."""
    return lambda: mean_s * max(0.1, draw.gauss(1, 0.1))


# Milliseconds of inferences, of a server each.
SERVERS = {
    "steady": [10.0] * 64,
    "every eighth five times as long": ([8.0] * 7 + [40.0]) * 8,
    "a twentieth three times as long": ([9.0] * 19 + [27.0]) * 8,
    "log-normal σ .3": [10 * math.exp(0.3 * NormalDist().inv_cdf((i + 0.5) / 160)) for i in range(160)],
}


def write_servers(folder, draw):
    """A study of these servers, whose processes differ by 0.2 %. The order of a process's times is drawn."""
    def times(compiler, _model, _number):
        factor = draw.gauss(1, 0.002)
        return [factor * each for each in draw.sample(SERVERS[compiler], len(SERVERS[compiler]))]

    made_up.study(folder, list(SERVERS), ["m"], 5, times, baseline="steady")


def choice(folder, percent, limit_s, per_s):
    """What `ngb choose` says of each compiler: {label: its row}."""
    told = made_up.ngb("choose", folder, "--latency", f"p{percent}={limit_s:.9f}s", "--load", f"{per_s:.9f}/s", "--all",
                       "--json", codes=(0, 5))
    return {row["compiler_label"]: row for row in json.loads(told)}


def closed_per_s(server):
    """The answers of a second where each request waits for the answer before it."""
    return closed_count([each / 1000 for each in SERVERS[server]], 600) / 600


def simulated_percentile(server, percent, per_s, draw, requests=100_000):
    """Of the latencies of that server, at which requests arrive at random."""
    times_s = [each / 1000 for each in SERVERS[server]]
    return percentile(open_latencies(lambda: draw.choice(times_s), per_s, requests, draw), percent)


def choices_beyond_the_limit(loads, percents=(50, 90), seed=1, requests=100_000, beyond=1.03):
    """Whether `ngb choose` says "holds" of each server whose simulated percentile is so many times the limit; at a load of 1
    and more, requests pile up, and the limit is an hour. Yields (server, load, percent, whether it says so)."""
    draw = random.Random(seed)
    with Folder() as folder:
        write_servers(folder, draw)
        for server in SERVERS:
            for load in loads:
                for percent in percents:
                    per_s = load * closed_per_s(server)
                    limit_s = simulated_percentile(server, percent, per_s, draw, requests) / beyond if load < 1 else 3600
                    yield server, load, percent, choice(folder, percent, limit_s, per_s)[server]["fit"] == "holds"


SERVED_STUDY = """\
name: served
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: ["null": {options: {run_ns: 1000000}}]
reference: none
protocol: paper
processes: 1
repetitions: 700
min_repetition_ms: 0
longer_look_s: 0
disturbance: {max_wait_percent: 100}
output: served
"""
SERVICE_S = 0.001  # of an inference of that study, on average


class Confirmations:
    """What `ngb choose --confirm` says of requests whose true percentile is known. Each load is measured once; then the times of
    its requests are replaced by simulated ones, and the same command, which finds its measurement complete, judges those."""

    def __init__(self, percent, load, seed=1):
        self._percent, self._per_s, self._draw = percent, load / SERVICE_S, random.Random(seed)
        if not (made_up.home() / "served").exists():
            (made_up.home() / "served.yaml").write_text(SERVED_STUDY)
            made_up.ngb("run", "served.yaml", "--no-report")
        self._measured = made_up.home() / f"served-{percent}-{load}"
        self._confirm(self._measured, 1.0)
        service = service_times(self._draw, SERVICE_S)
        self.truth_s = percentile(open_latencies(service, self._per_s, 400_000, self._draw), percent)

    def _confirm(self, folder, limit_s):
        done = made_up.started("choose", "served", "--latency", f"p{self._percent}={limit_s}s", "--load", f"{self._per_s}/s",
                               "--confirm", "-o", folder, "--json")
        if done.returncode not in (0, 4, 5):
            raise AssertionError(done.stdout + done.stderr)
        return json.loads(done.stdout)["confirmation"]

    def simulate(self):
        """What is said of one simulated measurement: of a limit that is far away, and of one 5 % below the true percentile."""
        with Folder() as folder:
            shutil.copytree(self._measured, folder)
            with sqlite3.connect(folder / "results.db") as database:
                for process, in database.execute("SELECT process_key FROM process WHERE is_complete").fetchall():
                    self._replace(database, process)
            database.close()
            return self._confirm(folder, 1000.0), self._confirm(folder, self.truth_s / 1.05)

    def _replace(self, database, process):
        rows = [index for index, in database.execute(
            "SELECT repetition_index FROM repetition WHERE process_key = ? AND NOT is_warm_up ORDER BY repetition_index",
            (process,))]
        service = service_times(self._draw, SERVICE_S)
        arrival = end = 1.0
        for index in rows:
            arrival += self._draw.expovariate(self._per_s)
            time = service()
            begin = max(arrival, end)
            end = begin + time
            database.execute("UPDATE repetition SET wall_ns = ?, started_ns = ? WHERE process_key = ? AND repetition_index = ?",
                             (round(1e9 * time), round(1e9 * begin), process, index))
            database.execute("UPDATE latency SET latency_ns = ? WHERE process_key = ? AND repetition_index = ?",
                             (round(1e9 * (end - arrival)), process, index))


def confirmations(percent, load, studies, seed=1):
    """How often the interval holds the true percentile; how often it does or nothing is said; and how often a limit is said
    to be held of which the true percentile is 5 % above."""
    simulated = Confirmations(percent, load, seed)
    holds, is_safe, wrongly_held = Counted(), Counted(), Counted()
    for _ in range(studies):
        said, of_near_limit = simulated.simulate()
        low, high = said["low_s"] or 0.0, said["high_s"] or float("inf")
        is_held = low <= simulated.truth_s <= high
        holds.add(is_held)
        is_safe.add(is_held or said["held"] == "open")
        wrongly_held.add(of_near_limit["held"] == "held")
    return holds, is_safe, wrongly_held
