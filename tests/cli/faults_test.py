# SPDX-License-Identifier: Apache-2.0
"""Workers that crash, hang, exhaust memory or compute wrong outputs fail only their own cells."""

import os
import pathlib
import subprocess
import unittest

from ngb_program import NgbTest, kill

FAULTY_STUDY = """\
name: faults
models:
  - zoo: {{conv_block: {{width: 8, depth: 1, image_size: 16}}}}
compilers:
  - "null"
  - "null": {{options: {{{options}}}}}
reference: "null"
processes: 2
disturbance:
  max_wait_percent: 100
repetitions: 3
protocol: paper
{more}
"""


class Faults(NgbTest):
    def run_with(self, options, more=""):
        self.write("study.yaml", FAULTY_STUDY.format(options=options, more=more))
        return self.ngb("run", "study.yaml")

    def failures(self):
        return self.query("results/faults", "select kind, message from failure order by process_key")

    def assert_only_the_faulty_cell_failed(self, run, kind):
        self.assertEqual(run.returncode, 1, run.stderr)
        kinds = {row[0] for row in self.failures()}
        self.assertEqual(kinds, {kind})
        healthy = [cell for cell in self.show("results/faults")["cells"] if not cell["options"]]
        self.assertEqual(len(healthy), 1)
        self.assertIsNotNone(healthy[0]["metrics"]["throughput_median_per_s"]["value"])
        self.assertIn(kind.replace("_", " "), run.stdout.replace("_", " "))

    def test_a_crash_is_stored_with_its_signal(self):
        run = self.run_with("fault: crash, fault_phase: timed")
        self.assert_only_the_faulty_cell_failed(run, "crash")
        self.assertEqual(self.query("results/faults", "select distinct signal from failure"), [(11,)])

    def test_a_hang_ends_at_the_timeout(self):
        run = self.run_with("fault: hang, fault_phase: timed", "timeouts: {run_s: 1}\nattempts: 1")
        self.assert_only_the_faulty_cell_failed(run, "timeout")

    def test_memory_beyond_the_limit_ends_only_the_worker(self):
        run = self.run_with("fault: eat_memory, fault_phase: compile", "memory_limit: 300 MB\nattempts: 1")
        self.assert_only_the_faulty_cell_failed(run, "out_of_memory")

    def test_wrong_outputs_are_stored_as_inaccurate_without_a_speed(self):
        run = self.run_with("fault: wrong_output")
        self.assert_only_the_faulty_cell_failed(run, "inaccurate")
        faulty = [cell for cell in self.show("results/faults")["cells"] if cell["options"]]
        self.assertIsNone(faulty[0]["metrics"]["throughput_median_per_s"]["value"])

    def test_an_exit_without_a_result_is_stored_with_its_code(self):
        run = self.run_with("fault: exit, fault_phase: compile")
        self.assert_only_the_faulty_cell_failed(run, "exit")

    def test_a_fault_that_happens_once_is_retried_and_the_cell_completes(self):
        run = self.run_with("fault: crash, fault_phase: timed, fault_attempt: 1, fault_process: 0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([row[0] for row in self.failures()], ["crash"])

    def test_a_missing_toolchain_fails_its_cells_and_says_what_to_type(self):
        self.write(
            "study.yaml",
            "name: faults\nmodels:\n  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}\n"
            "compilers: ['null', onnxruntime]\nreference: 'null'\nprocesses: 1\nrepetitions: 3\n"
            "disturbance: {max_wait_percent: 100}\n",
        )
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("ngb toolchain install onnxruntime", run.stderr)
        self.assertEqual({row[0] for row in self.failures()}, {"toolchain_missing"})

    def test_a_full_disk_stops_the_run_and_keeps_what_was_measured(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small tmpfs needs root")
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", small]).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        study = FAULTY_STUDY.format(options="made_up_ns: 50000", more=f"min_repetition_ms: 0\noutput: {small / 'r'}")
        self.write("study.yaml", study.replace("processes: 2", "processes: 40").replace("repetitions: 3", "repetitions: 1000"))
        run = self.ngb("run", "study.yaml", timeout=1500)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertRegex(run.stderr, "o space left")
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        recorded = self.query(small / "r", "select count(*) from process")[0][0]
        again = self.ngb("run", "study.yaml", timeout=1500)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertGreater(recorded, 0)
        self.assertEqual(self.query(small / "r", "select count(*), count(distinct cell_key || '/' || process_index) from process where is_complete = 1"), [(80, 80)])

    def test_a_killed_client_leaves_no_process_and_the_next_run_resumes(self):
        self.write("study.yaml", FAULTY_STUDY.format(options="compile_ns: 200000000", more="").replace("processes: 2", "processes: 5"))
        run = self.start("run", "study.yaml")
        for line in run.stdout:
            if line.startswith("3 of 10 processes"):
                break
        agents = self.children_of(run.pid)
        self.assertEqual(len(agents), 1)
        kill(run.pid)
        run.wait()
        self.wait_for(lambda: not pathlib.Path(f"/proc/{agents[0]}").exists())
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        counts = self.query(
            "results/faults",
            "select count(*), count(distinct cell_key || '/' || process_index) from process where is_complete = 1",
        )
        self.assertEqual(counts, [(10, 10)])


if __name__ == "__main__":
    unittest.main()
