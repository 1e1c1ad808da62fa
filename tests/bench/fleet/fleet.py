# SPDX-License-Identifier: Apache-2.0
"""Shared by the benchmarks of fleets: puts an `ssh` of our own at the front of PATH, writes a study, runs and watches
`ngb run`."""

import dataclasses
import os
import pathlib
import sqlite3
import subprocess
import threading
import time

# A program named ssh, for which each host is a home folder on this machine.
LOCAL_SHELL = """\
#!/bin/sh
while [ "$1" != -- ]; do shift; done
mkdir -p "{folder}/hosts/$2"
HOME={folder}/hosts/$2 exec /bin/sh -c "$3"
"""
SIMULATOR = """\
#!/bin/sh
for command; do :; done
exec {simulator} "$command"
"""

STUDY = """\
name: fleet
models:
  - zoo: {{conv_block: {{width: 8, depth: {depths}, image_size: 8}}}}
compilers: [{compilers}]
batch_sizes: {batches}
reference: {reference}
processes: {processes}
disturbance:
  max_wait_percent: 100
repetitions: {repetitions}
devices:
{devices}
"""
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Run:
    """What one `ngb run` used. The figures are those of ngb alone, without the programs that it starts."""
    exit_code: int
    wall_s: float
    cpu_s: float
    children_cpu_s: float  # of the programs that it started and that have ended
    peak_mib: float
    recording_s: float  # from the first process that it reported to the last one
    recording_cpu_s: float
    torn_down: str  # its line about the teardown
    output: str  # the end of its output


class Fleet:
    """Runs the client with another program as ssh. `ssh` is the program's text, in which `words` replace the names in
    braces."""

    def __init__(self, folder, ngb, ssh, **words):
        self.folder = pathlib.Path(folder).resolve()
        self.ngb = pathlib.Path(ngb).resolve()
        self.results = self.folder / "results"
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "ssh").write_text(ssh.format(folder=self.folder, **words))
        (programs / "ssh").chmod(0o755)
        (self.folder / "home").mkdir()
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.folder / "home"),
                            "NGB_TOOLCHAINS": str(self.folder / "toolchains")}

    def write_study(self, *, devices, depths=1, batches=1, compilers=1, options="", reference='"null"', processes=1,
                    repetitions=20):
        """Writes a study of depths x batches x compilers cells on each device; the compilers are all `null`."""
        labels = [f'"null": {{label: null{i}, options: {{memory_bytes: {i}{options}}}}}' for i in range(compilers)]
        study = self.folder / "study.yaml"
        study.write_text(STUDY.format(
            depths=list(range(1, depths + 1)), batches=list(range(1, batches + 1)),
            compilers=", ".join("{" + label + "}" for label in labels), reference=reference, processes=processes,
            repetitions=repetitions, devices="\n".join(f"  - device{i}: {{ssh: host{i}}}" for i in range(devices))))
        return study

    def run(self, study):
        """Runs ngb run, into `results`. Its output goes to a file, so that it never waits for a reader."""
        words = self.folder / "words"
        with words.open("wb") as out:
            start = time.monotonic()
            process = subprocess.Popen([self.ngb, "run", study, "-o", self.results], cwd=self.folder, stdout=out,
                                       stderr=out, stdin=subprocess.DEVNULL, env=self.environment)
            watch = Watch(process.pid, words)
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            wall_s = time.monotonic() - start
            cpu_s, children_cpu_s = cpu_of(process.pid), cpu_of(process.pid, first=13)
            watch.end()
            exit_code = process.wait()
        with words.open("rb") as said:
            torn_down = next((line.decode().strip() for line in said if b"torn down" in line), "")
            said.seek(max(0, words.stat().st_size - 3000))
            output = said.read().decode(errors="replace")
        return Run(exit_code, wall_s, cpu_s, children_cpu_s, watch.peak_mib, watch.last_s - watch.first_s,
                   watch.last_cpu_s - watch.first_cpu_s, torn_down, output)

    def query(self, sql):
        with sqlite3.connect(f"file:{self.results}/results.db?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def lost_and_twice(self):
        """Returns how many planned processes are not recorded with all their repetitions, and how many are recorded
        twice."""
        [(planned,)] = self.query("SELECT sum(planned_processes) FROM cell")
        [(recorded,)] = self.query(
            "SELECT count(*) FROM (SELECT DISTINCT cell_key, process_index FROM process WHERE is_complete AND "
            "(SELECT count(*) FROM repetition WHERE repetition.process_key = process.process_key AND NOT is_warm_up) = "
            "(SELECT value FROM protocol WHERE key = 'repetitions'))")
        [(twice,)] = self.query("SELECT count(*) - count(DISTINCT cell_key || ' ' || process_index) FROM process "
                                "WHERE is_complete")
        return planned - recorded, twice


def cpu_of(pid, first=11):
    """Returns the seconds of processor time of a process, also after its end until it is waited for. first=13: those of
    its children."""
    after_name = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[first]) + int(after_name[first + 1])) / TICKS_PER_S


class Watch:
    """Polls ngb's memory and the size of the file of its output, until `end`. ngb prints a line for each process that
    it records; before the first and after the last of them it prints nothing for a while."""

    PAUSE_S = 0.02

    def __init__(self, pid, words):
        self.peak_mib = self.first_s = self.last_s = self.first_cpu_s = self.last_cpu_s = 0
        self._pid, self._words = pid, words
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()

    def end(self):
        self._is_over.set()
        self._thread.join()

    def _poll(self):
        said, is_measuring = 0, False
        with self._words.open("rb") as words:
            while not self._is_over.wait(self.PAUSE_S):
                self._read_memory()
                size = self._words.stat().st_size
                if size == said:
                    continue
                words.seek(max(said - 200, 0))
                is_of_process = b" processes" in words.read(size - said + 200)
                said = size
                if not is_of_process:
                    continue
                self.last_s, self.last_cpu_s = time.monotonic(), cpu_of(self._pid)
                if not is_measuring:
                    self.first_s, self.first_cpu_s = self.last_s, self.last_cpu_s
                    is_measuring = True

    def _read_memory(self):
        for line in pathlib.Path(f"/proc/{self._pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                self.peak_mib = int(line.split()[1]) / 1024
