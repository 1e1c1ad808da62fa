#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent looks at the machine once a second while a cell is timed: does that shift a repetition of a millisecond?

    sampling_shift.py BUILD [--quick] [--output FOLDER] [--json FILE]

One process measures one small model for a minute. Meanwhile the agent is stopped (SIGSTOP) and continued again every two
seconds, so that neighbouring windows of the same process differ in nothing but the agent's sampling. A pair is the log
ratio of the mean time of a repetition in a window with sampling and in the next window without, or the other way round.
Processor time of the agent: tests/bench/sampling_cost.py."""

import contextlib
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from trust import NULL, Bench, query, zoo

WINDOW_S = 2.0
MOST_NOISE = 0.005  # two standard errors of the shift; above, nothing is said
EDGE_S = 0.1  # around a change, which does not count


def child_of(pid, name):
    """Returns the child of that name, or None."""
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name:
            return int(child)
    return None


def stop_and_continue(client, agent, seconds):
    """Returns [(begin_unix_ns, end_unix_ns, is_sampling), …]."""
    windows, is_sampling, end = [], True, time.monotonic() + seconds
    try:
        while time.monotonic() < end and client.poll() is None:
            os.kill(agent, signal.SIGCONT if is_sampling else signal.SIGSTOP)
            begin = time.time_ns()
            time.sleep(WINDOW_S)
            windows.append((begin, time.time_ns(), is_sampling))
            is_sampling = not is_sampling
    except ProcessLookupError:
        pass  # it has measured everything already; what was seen until then counts
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(agent, signal.SIGCONT)
    return windows


def mean_times(repetitions, windows):
    """The mean time of a repetition within each window, in ns; None if it holds too few."""
    found = []
    for begin, end, is_sampling in windows:
        times = [wall for started, wall in repetitions if begin + EDGE_S * 1e9 <= started < end - EDGE_S * 1e9]
        found.append((statistics.fmean(times) if len(times) >= 100 else None, is_sampling))
    return found


def main():
    bench = Bench("sampling_shift", __doc__)
    compiler, seconds = bench.real_compiler(), 16 if bench.quick else 120
    entry = {NULL: {"options": {"run_ns": 1_000_000}}} if compiler == NULL else compiler
    folder = bench.folder / f"run-{time.strftime('%Y%m%dT%H%M%S')}"
    study = bench.folder / "study.json"
    study.write_text(json.dumps({
        "name": "sampling", "models": [zoo("conv_block", width=16, depth=1, image_size=32)], "compilers": [entry],
        "reference": "none", "threads": 1, "processes": 1, "warm_up": 100, "min_repetition_ms": 1,
        "repetitions": int((seconds + 6) * 1000),
        "disturbance": {"max_wait_percent": 100}, "output": str(folder)}))
    client = subprocess.Popen([bench.ngb, "run", study], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    agent = None
    while agent is None and client.poll() is None:
        time.sleep(0.1)
        agent = child_of(client.pid, "ngb-agent")
    if agent is None:
        raise SystemExit("sampling_shift: ngb run ended before it measured; run it by hand: ngb run " + str(study))
    time.sleep(3)  # the model is written and compiled, the timed phase has begun
    windows = stop_and_continue(client, agent, seconds)
    if client.wait() != 0:
        raise SystemExit(f"sampling_shift: ngb run ended with {client.returncode}")
    repetitions = query(folder, "SELECT started_unix_ns + started_ns, repetition.wall_ns / inferences FROM repetition JOIN "
                        "process USING (process_key) WHERE is_warm_up = 0")
    means = mean_times(repetitions, windows)
    pairs = []
    for (one, one_sampling), (other, _) in zip(means[::2], means[1::2]):
        if one and other:
            pairs.append(math.log(one / other) * (1 if one_sampling else -1))
    if len(pairs) < 3:
        bench.figure("shift of a repetition by sampling", None, limit="not told from 0",
                     reason=f"only {len(pairs)} pairs of windows hold 100 repetitions on both sides")
        bench.end()
    shift, half = statistics.fmean(pairs), 2 * statistics.stdev(pairs) / math.sqrt(len(pairs))
    bench.figure("shift of a repetition by sampling", 100 * math.expm1(shift),
                 f"% (± {100 * half:.3f}, two standard errors) in {len(pairs)} pairs of windows of {WINDOW_S:g} s; a repetition "
                 f"takes {statistics.fmean(each for each, _ in means if each) / 1e6:.3f} ms", limit="not told from 0, at ± 0.5 % or less",
                 is_met=abs(shift) <= half if half <= MOST_NOISE else None,
                 reason="" if half <= MOST_NOISE else "too noisy to tell: use an idle machine")
    cost = subprocess.run([sys.executable, pathlib.Path(__file__).parents[1] / "sampling_cost.py", bench.ngb, "--seconds",
                           "10" if bench.quick else "60"], capture_output=True, text=True)
    shown = cost.stdout.strip()
    bench.figure("the agent's processor time", float(shown.split()[1]) if shown else None, "% of a core", limit="0.1 %",
                 reason=shown or cost.stderr.strip(), is_met=cost.returncode == 0 if shown else None)
    bench.end()


if __name__ == "__main__":
    main()
