# SPDX-License-Identifier: Apache-2.0
"""One process with repetitions of a millisecond, measured in windows with and without something that may shift them."""

import json
import math
import statistics
import time

from trust import NULL, query, zoo

WINDOW_S = 2.0
MOST_NOISE = 0.005  # two standard errors of the shift; above, nothing is said
EDGE_S = 0.1  # around a change, which does not count
FEWEST = 100  # repetitions of a window
LIMIT = "not told from 0"


def write_study(bench, name):
    """Returns (the study's file, its results folder, the seconds that its timed phase lasts at least)."""
    compiler, seconds = bench.real_compiler(), 16 if bench.quick else 120
    entry = {NULL: {"options": {"run_ns": 1_000_000}}} if compiler == NULL else compiler
    folder = bench.folder / f"run-{time.strftime('%Y%m%dT%H%M%S')}"
    study = bench.folder / "study.json"
    study.write_text(json.dumps({
        "name": name, "models": [zoo("conv_block", width=16, depth=1, image_size=32)], "compilers": [entry],
        "reference": "none", "threads": 1, "processes": 1, "warm_up": 100, "min_repetition_ms": 1,
        "repetitions": int((seconds + 6) * 1000),
        "disturbance": {"max_wait_percent": 100}, "output": str(folder)}))
    return study, folder, seconds


class Shift:
    """The log ratios of neighbouring windows, [(begin_unix_ns, end_unix_ns, is_with), …], of a measured study."""

    def __init__(self, folder, windows):
        repetitions = query(folder, "SELECT started_unix_ns + started_ns, repetition.wall_ns / inferences FROM repetition JOIN "
                            "process USING (process_key) WHERE is_warm_up = 0")
        means = [(_mean_time(repetitions, begin, end), is_with) for begin, end, is_with in windows]
        self.mean_times_ns = [each for each, _ in means if each]
        self.pairs = [math.log(one / other) * (1 if one_with else -1)
                      for (one, one_with), (other, _) in zip(means[::2], means[1::2]) if one and other]

    def why_unknown(self):
        """"" if there are enough pairs."""
        return "" if len(self.pairs) >= 3 else \
            f"only {len(self.pairs)} pairs of windows hold {FEWEST} repetitions on both sides"

    def report(self, bench, name, words):
        """Adds the figure; `words` follow its unit."""
        shift, half = statistics.fmean(self.pairs), 2 * statistics.stdev(self.pairs) / math.sqrt(len(self.pairs))
        bench.figure(name, 100 * math.expm1(shift),
                     f"% (± {100 * half:.3f}, two standard errors) in {len(self.pairs)} pairs of windows of {WINDOW_S:g} s"
                     f"{words}", limit=f"{LIMIT}, at ± 0.5 % or less",
                     is_met=abs(shift) <= half if half <= MOST_NOISE else None,
                     reason="" if half <= MOST_NOISE else "too noisy to tell: use an idle machine")


def _mean_time(repetitions, begin, end):
    """Of a repetition within the window, in ns; None if it holds too few."""
    times = [wall for started, wall in repetitions if begin + EDGE_S * 1e9 <= started < end - EDGE_S * 1e9]
    return statistics.fmean(times) if len(times) >= FEWEST else None
