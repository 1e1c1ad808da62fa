# SPDX-License-Identifier: Apache-2.0
"""threads: all and physical, from the study to the results file; more threads than there are."""

import json
import os
import pathlib
import sqlite3
import subprocess

from ngb_program import BIN, NgbTest

STUDY = """\
name: threads
models:
  - zoo: {conv_block: {width: 8, image_size: 16}}
threads: all
compilers:
  - "null": {label: usual}
  - "null": {threads: 1, label: one}
  - "null": {threads: physical, label: cores, options: {run_ns: 2000000}}
baseline: usual
reference: none
processes: 2
disturbance:
  max_wait_percent: 100
repetitions: 3
protocol: paper
output: results
"""


class Threads(NgbTest):
    def setUp(self):
        super().setUp()
        self.write("study.yaml", STUDY)
        self.processors = len(os.sched_getaffinity(0))

    def plan(self):
        planned = self.ngb("plan", "study.yaml", "--json")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        return json.loads(planned.stdout)

    def test_a_word_is_in_the_cell_and_the_number_that_it_meant_with_each_process(self):
        planned = self.plan()
        self.assertEqual([cell["threads"] for cell in planned["cells"]], ["all", 1, "physical"])
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        cells = json.loads(self.ngb("show", "results", "--json").stdout)["cells"]
        self.assertEqual([cell["cell_id"] for cell in cells], [cell["id"] for cell in planned["cells"]])
        self.assertEqual([cell["threads_asked"] for cell in cells], ["all", None, "physical"])
        self.assertEqual([cell["threads"] for cell in cells][:2], [self.processors, 1])
        self.assertIn(cells[2]["threads"], range(1, self.processors + 1))
        self.assertIsNotNone(cells[0]["metrics"]["speed_up_ratio"]["value"])
        with sqlite3.connect(self.folder / "results" / "results.db") as database:
            told = database.execute("SELECT compiler_label, cell.threads, threads_asked, min(process.threads), "
                                    "max(process.threads) FROM cell JOIN process USING (cell_key) GROUP BY cell_key")
            self.assertEqual(told.fetchall(),
                             [("usual", self.processors, "all", self.processors, self.processors), ("one", 1, None, 1, 1),
                              ("cores", cells[2]["threads"], "physical", cells[2]["threads"], cells[2]["threads"])])
        self.assertIn("nothing left to measure", self.ngb("run", "study.yaml").stderr)

    def test_the_same_study_means_the_same_cells_with_fewer_processors(self):
        before = [cell["id"] for cell in self.plan()["cells"]]
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        self.assertEqual([cell["id"] for cell in self.plan()["cells"]], before)

    def test_more_threads_than_processors_are_refused_with_their_line(self):
        too_many = self.processors + 1
        self.write("study.yaml", STUDY.replace("threads: 1,", f"threads: {too_many},"))
        for command in ("plan", "run"):
            wrong = self.ngb(command, "study.yaml")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(f'study.yaml:7:23: compilers[1].null.threads: {too_many} threads are more than the '
                          f'{self.processors} processors that local lets a process use', wrong.stderr)
        self.write("study.yaml", STUDY.replace("threads: all", "threads: most"))
        self.assertIn("study.yaml:4:10: threads: expected all, physical, or an integer from 1 to 4096, found most",
                      self.ngb("plan", "study.yaml").stderr)

    def test_the_doctor_says_of_a_pod_whether_its_processors_are_its_own(self):
        self.assertNotIn(" pod ", self.ngb("doctor").stdout)
        self.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1"
        told = self.ngb("doctor").stdout
        if self.processors == os.cpu_count():
            self.assertRegex(told, "pod +it shares its processors with whatever else runs on the node\n.*cpuManagerPolicy: static")
        if os.cpu_count() > 1:
            told = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), BIN / "ngb", "doctor"], env=self.environment,
                                  cwd=self.folder, capture_output=True, text=True).stdout
            self.assertRegex(told, "pod +its processors are its own")


class Quota(NgbTest):
    """In a control group that allows 0.6 processors, which a test makes where it may."""

    def setUp(self):
        super().setUp()
        for root, quota, value in (("cpu", "cpu.cfs_quota_us", "60000"), ("", "cpu.max", "60000 100000")):
            group = pathlib.Path("/sys/fs/cgroup") / root / f"ngb-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            if (group / quota).exists():
                (group / quota).write_text(value)
                self.members = group / "cgroup.procs"
                return
        self.skipTest("no control group for processors can be made here")

    def ngb_within(self, *arguments):
        """Runs ngb in the group, which is empty again when ngb and its agent have ended."""
        done = subprocess.run(["sh", "-c", 'echo $$ > "$1"; shift; exec "$@"', "sh", self.members, BIN / "ngb", *arguments],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=1500)
        self.wait_for(lambda: not self.members.read_text())
        return done

    def test_below_the_threads_is_said_by_plan_and_by_run(self):
        self.write("study.yaml", STUDY.replace("threads: all", "threads: 1").replace("threads: physical", "threads: 1"))
        said = ("a control group allows 0.6 processors and pauses programs that use more; this study's cells use up to 1: "
                "give it fewer `threads`, or raise the quota")
        self.assertIn("Quota: " + said, self.ngb_within("plan", "study.yaml").stdout)
        self.assertIn("ngb: " + said, self.ngb_within("run", "study.yaml").stderr)
