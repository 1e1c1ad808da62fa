# SPDX-License-Identifier: Apache-2.0
"""killed.py NGB STUDY RESULTS: runs a study, kills (kill -9) the worker that holds the GPU after the first process, kills ngb
and all below it after half of the processes, and resumes. Exits with 0 if both were killed, nothing is left on the GPU, and
the results have each process once and one crash. GPU_HOLDS is what a process with the GPU has open or mapped."""
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time

HOLDS = os.environ.get("GPU_HOLDS", "/dev/nvidia")
_WAIT_S = 20  # for the next worker to open the GPU


def below(root):
    """Return the process and its descendants, parents first."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(path.read_text().rpartition(")")[2].split()[1]), []).append(int(path.parts[2]))
        except OSError:  # it has ended meanwhile
            pass
    found = [root]
    for pid in found:
        found += parents.get(pid, [])
    return found


def holds_gpu(pid) -> bool:
    try:
        links = [os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
        return any(HOLDS in link for link in links) or HOLDS in pathlib.Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


class Killer:
    """Kills one worker, and then everything."""

    def __init__(self):
        self.killed = []

    def see(self, ngb, done, total):
        if not self.killed:
            self._kill_worker(ngb)
        elif done >= total / 2 and len(self.killed) == 1:
            tree = below(ngb.pid)
            for pid in tree:
                _kill(pid)
            self.killed.append(f"ngb and {len(tree) - 1} processes below it after {done} of {total}")

    def _kill_worker(self, ngb):
        """Kill the last process with the GPU: a fork server, which comes before its children, may have it open, too."""
        end = time.monotonic() + _WAIT_S
        while time.monotonic() < end and ngb.poll() is None:
            workers = [pid for pid in below(ngb.pid)[1:] if holds_gpu(pid)]
            if workers:
                _kill(workers[-1])
                self.killed.append(f"the worker {workers[-1]}")
                return
            time.sleep(0.02)


def _kill(pid) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, see=None):
    """Run ngb, and call `see` with it and how many processes are done of how many, after each line that says that."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as ngb:
        for line in ngb.stdout:
            print(line.rstrip(), flush=True)
            told = re.match(r"(\d+) of (\d+) processes", line.strip())
            if told and see is not None:
                see(ngb, int(told[1]), int(told[2]))
        return ngb.wait()


def on_gpu() -> str:
    try:
        return subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader"],
                              capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def defects(results, killed):
    """Return what is not as it should be."""
    with sqlite3.connect(f"file:{results}/results.db?mode=ro", uri=True) as database:
        attempts = database.execute("SELECT cell_key, process_index, SUM(is_complete) FROM process GROUP BY 1, 2").fetchall()
        failures = database.execute("SELECT kind, COUNT(*) FROM failure GROUP BY 1").fetchall()
    found = [] if len(killed) == 2 else [f"only this was killed: {', '.join(killed) or 'nothing'}"]
    wrong = [f"{index} of cell {cell}" for cell, index, complete in attempts if complete != 1]
    found += [f"{len(wrong)} of {len(attempts)} processes are not complete once: {', '.join(wrong)}"] if wrong else []
    return found + ([] if failures == [("crash", 1)] else [f"the failures are {failures}, not one crash"])


def main(ngb, study, results):
    command, killer = [ngb, "run", study, "-o", results], Killer()
    print("ended by the signal", -run(command, killer.see))
    time.sleep(1)
    left = on_gpu()
    print("resumed: exit code", run(command))
    print("killed:", "; ".join(killer.killed))
    found = defects(results, killer.killed) + ([f"left on the GPU after the kill: {left}"] if left else [])
    print("; ".join(found) or "each process is there once, and nothing was left on the GPU")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
