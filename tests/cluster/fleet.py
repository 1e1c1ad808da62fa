# SPDX-License-Identifier: Apache-2.0
"""What tests of studies on several hosts have in common."""

import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

for _folder in ("tests/cli", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / _folder))
import hosts as network  # noqa: E402
from lean_programs import lean_programs  # noqa: E402
from ngb_program import BIN, NULL_STUDY, NgbTest  # noqa: E402

PROCESSES = 12  # of each device in NULL_STUDY
PAUSE_S = 0.05  # between two looks at a results file or at the processes of all hosts, which cost milliseconds
PATIENCE_S = 400  # for what takes seconds on an idle machine: other tests run at the same time


class HostsTest(NgbTest):
    """A test on hosts that all tests of its class share; after each of them the hosts are what they were before it."""

    HOSTS = 3
    COMPILERS = ("null",)  # of the installation; (): all

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = lean_programs(BIN.parent, *cls.COMPILERS) / "bin/ngb"
        place = tempfile.mkdtemp(prefix="ngb-hosts-")
        cls.addClassCleanup(shutil.rmtree, place, ignore_errors=True)
        cls.hosts = network.Hosts(place, cls.HOSTS)
        cls.addClassCleanup(cls.hosts.remove)

    def setUp(self):
        super().setUp()
        self.environment["PATH"] += ":/usr/sbin:/sbin"
        self.addCleanup(self.hosts.reset)

    def devices_file(self):
        """The hosts as they are in a user's devices.yaml."""
        return "".join(line.replace("  - ", "", 1) + "\n" for line in self.hosts.devices().splitlines())


class DevicesTest(NgbTest):
    """A test of studies on several devices. It writes `study`."""

    def setUp(self):
        super().setUp()
        self.results = self.folder / "results" / "test"

    def use(self, devices):
        """`devices`: YAML, a line for each."""
        self.study = self.write("study.yaml",
                                NULL_STUDY.replace("repetitions: 5", "repetitions: 5\ndevices:\n" + devices))

    def slow(self, milliseconds):
        """Each process takes at least that long."""
        options = f'"null": {{options: {{compile_ns: {milliseconds * 1_000_000}}}}}'
        self.study.write_text(self.study.read_text().replace('"null"\nbatch', options + "\nbatch"))

    def query(self, sql):
        with sqlite3.connect(f"file:{self.results}/results.db?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def recorded(self):
        """Complete processes of each device that count: of the origin of rank 1 of each cell."""
        try:
            return dict(self.query("SELECT device, sum(processes) FROM origin JOIN cell USING (cell_key) "
                                   "WHERE rank = 1 GROUP BY device"))
        except sqlite3.OperationalError:
            return {}  # not begun

    def wait_until(self, is_so, patience_s=PATIENCE_S / 2, pause_s=PAUSE_S):
        give_up = time.monotonic() + patience_s
        while not is_so():
            self.assertLess(time.monotonic(), give_up, "waited too long")
            time.sleep(pause_s)

    def read_until(self, client, words):
        """Waits for the line of the client's output that has these words. Returns the output up to it."""
        said = ""
        for line in client.stdout:
            said += line
            if words in line:
                return said
        return self.fail(f"it never said {words!r}:\n{said}")

    def assert_recorded(self):
        """Every device has every process that counts, and of each origin once, each with its repetitions."""
        devices = [device for device, in self.query("SELECT DISTINCT device FROM run_device")]
        self.assertEqual(self.recorded(), {device: PROCESSES for device in devices})
        twice = self.query("SELECT cell_key, process_index, origin FROM process WHERE is_complete "
                           "GROUP BY 1, 2, 3 HAVING count(*) > 1")
        self.assertEqual(twice, [])
        short = self.query("SELECT process_key, count(*) FROM repetition JOIN process USING (process_key) "
                           "WHERE is_complete AND NOT is_warm_up GROUP BY 1 HAVING count(*) <> 5")
        self.assertEqual(short, [])


STAND_IN = pathlib.Path(__file__).resolve().parent / "kubectl_stand_in.py"


def use_stand_in(test, nodes="edge1 2\nedge2 2\n"):
    """Gives a test a kubectl whose pods are processes of this machine. Returns the folder that is its cluster."""
    cluster = test.folder / "cluster"
    (test.folder / "programs").mkdir()
    cluster.mkdir()
    test.write("programs/kubectl", f'#!/bin/sh\nexec "{sys.executable}" -S "{STAND_IN}" "$@"\n').chmod(0o755)
    test.write("cluster/nodes", nodes)
    test.environment["PATH"] = f"{test.folder}/programs:{test.environment['PATH']}"
    test.environment["KUBECTL_STAND_IN"] = str(cluster)
    return cluster


class FleetTest(DevicesTest, HostsTest):
    """A test of studies on such hosts."""

    def assert_quiet(self):
        """Nothing runs on any host; the last connection may take a moment to go."""
        for host in self.hosts.all:
            self.wait_until(lambda host=host: host.processes() == [])

    def assert_whole(self):
        """That, and nothing is kept or runs on any host."""
        self.assert_recorded()
        self.assert_quiet()
        for folder in [*(host.folder for host in self.hosts.all), self.folder / "shared"]:
            left = sorted(path.name for path in folder.glob("*")) if folder.exists() else []
            self.assertEqual([name for name in left if name not in ("toolchains", ".ngraphbench")], [], folder)


class DemonstrationTest(NgbTest):
    """A test of examples/cluster/demonstration, with a study of a few seconds."""

    def demonstrate(self, *options, hosts=3, off="edge2 is cut off"):
        self.environment["PATH"] += ":/usr/sbin:/sbin"
        self.environment["NGB_BIN"] = str(lean_programs(BIN.parent, "null") / "bin")
        slow = '"null": {options: {compile_ns: 700000000}}\nbatch'
        study = self.write("demonstration.yaml", NULL_STUDY.replace('"null"\nbatch', slow))
        script = pathlib.Path(__file__).resolve().parents[2] / "examples/cluster/demonstration"
        done = subprocess.run([sys.executable, script, "--pause", "1", *options, study], capture_output=True, text=True,
                              timeout=PATIENCE_S, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(off, done.stdout)
        self.assertIn(f"torn down: {hosts} of {hosts} verified", done.stdout, done.stderr)
        self.assertIn(f"{4 * hosts} cells: {4 * hosts} measured", done.stdout)
        self.assertIn("processes that are left on the hosts: 0", done.stdout)
