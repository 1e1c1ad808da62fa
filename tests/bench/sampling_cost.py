#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of the agent while a cell is timed, in percent of a core: what watching the machine costs.

    sampling_cost.py NGB [--seconds S]

The null compiler keeps one processor busy, in repetitions of 100 ms. The agent's time is the kernel's count in nanoseconds
(/proc/PID/schedstat) over S seconds of the timed phase. Exits with 1 above LIMIT_PERCENT."""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

LIMIT_PERCENT = 0.1
STUDY = """\
name: sampling
models: [{{zoo: {{conv_block: {{width: 8, depth: 1, image_size: 16}}}}}}]
compilers: ["null": {{options: {{run_ns: 100000000}}}}]
reference: none
protocol: paper
processes: 1
repetitions: {repetitions}
warm_up: 1
disturbance: {{max_wait_percent: 100}}
output: {output}
"""


def child_of(pid, name):
    """Returns the child of that name, or None."""
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name:
            return int(child)
    return None


def cpu_ns(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ngb-sampling-") as folder:
        study, output = pathlib.Path(folder) / "study.yaml", pathlib.Path(folder) / "results"
        study.write_text(STUDY.format(repetitions=10 * (arguments.seconds + 10), output=output))
        environment = {**os.environ, "NGB_CACHE": f"{folder}/cache"}
        client = subprocess.Popen([arguments.ngb.resolve(), "run", study], stdout=subprocess.DEVNULL, env=environment)
        agent = None
        while agent is None:
            time.sleep(0.1)
            agent = child_of(client.pid, "ngb-agent")
        time.sleep(5)  # the model is written, the compiler has compiled, the timed phase has begun
        begin_ns, begin = cpu_ns(agent), time.monotonic()
        time.sleep(arguments.seconds)
        percent = 100 * (cpu_ns(agent) - begin_ns) / 1e9 / (time.monotonic() - begin)
        if client.wait() != 0:
            raise SystemExit(f"ngb run: exit {client.returncode}")
        with sqlite3.connect(output / "results.db") as results:
            readings, = results.execute("SELECT count(*) FROM reading WHERE moment = 'during'").fetchone()
    print(f"agent: {percent:.4f} % of a core while a cell is timed ({readings} readings taken), at most {LIMIT_PERCENT} %")
    raise SystemExit(percent > LIMIT_PERCENT)


if __name__ == "__main__":
    main()
