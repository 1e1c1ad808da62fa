# SPDX-License-Identifier: Apache-2.0
"""What `ngb choose` says of servers that are simulated event by event, and what its `--confirm` says of requests whose true
percentile is known."""

import json
import math
import random
import shutil
import sqlite3
from statistics import NormalDist

import made_up_results as made_up
from servers import closed_count, open_latencies, percentile
from studies import Counted, Folder


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
    """How often an interval is given that holds the true percentile; how often it does or "open" is said; and how often a limit
    is said to be held of which the true percentile is 5 % above."""
    simulated = Confirmations(percent, load, seed)
    holds, is_safe, wrongly_held = Counted(), Counted(), Counted()
    for _ in range(studies):
        said, of_near_limit = simulated.simulate()
        is_open = said["held"] == "open" or said["low_s"] is None or said["high_s"] is None
        is_held = not is_open and said["low_s"] <= simulated.truth_s <= said["high_s"]
        holds.add(is_held)
        is_safe.add(is_held or is_open)
        wrongly_held.add(of_near_limit["held"] == "held")
    return holds, is_safe, wrongly_held
