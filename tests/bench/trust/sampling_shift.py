#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent looks at the machine once a second while a cell is timed: does that shift a repetition of a millisecond?

    sampling_shift.py BUILD [--quick] [--output FOLDER] [--json FILE]

One process measures one small model for a minute. Meanwhile the agent is stopped (SIGSTOP) and continued again every two
seconds, so that neighbouring windows of the same process differ in nothing but the agent's sampling. A pair is the log
ratio of the mean time of a repetition in a window with sampling and in the next window without, or the other way round.
Processor time of the agent: tests/bench/sampling_cost.py."""

import contextlib
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from trust import Bench
from windows import LIMIT, WINDOW_S, Shift, write_study


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


def main():
    bench = Bench("sampling_shift", __doc__)
    study, folder, seconds = write_study(bench, "sampling")
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
    shift, name = Shift(folder, windows), "shift of a repetition by sampling"
    if shift.why_unknown():
        bench.figure(name, None, limit=LIMIT, reason=shift.why_unknown())
        bench.end()
    shift.report(bench, name, f"; a repetition takes {statistics.fmean(shift.mean_times_ns) / 1e6:.3f} ms")
    cost = subprocess.run([sys.executable, pathlib.Path(__file__).parents[1] / "sampling_cost.py", bench.ngb, "--seconds",
                           "10" if bench.quick else "60"], capture_output=True, text=True)
    shown = cost.stdout.strip()
    bench.figure("the agent's processor time", float(shown.split()[1]) if shown else None, "% of a core", limit="0.1 %",
                 reason=shown or cost.stderr.strip(), is_met=cost.returncode == 0 if shown else None)
    bench.end()


if __name__ == "__main__":
    main()
