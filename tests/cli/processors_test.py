# SPDX-License-Identifier: Apache-2.0
"""A study's own processors: where its processes run, what the plan says, and what is refused before anything is measured."""

import os

from ngb_program import MeasuredTest

STUDY = """\
name: processors
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null": {options: {made_up_ns: 2000000}}
reference: none
processors: [[LAST], all, one_per_core]
processes: 1
repetitions: 5
warm_up: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
output: results
"""
HERE = sorted(os.sched_getaffinity(0))


def numbers_in(affinity):
    """The processors of "0,2-3"."""
    return [number for part in affinity.split(",") for first, _, last in [part.partition("-")]
            for number in range(int(first), int(last or first) + 1)]


class Processors(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY.replace("LAST", str(HERE[-1])))
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_of_a_study_are_where_its_processes_run(self):
        rows = dict(self.query("results", "SELECT cell.processors, fact.value FROM fact JOIN process USING (process_key) "
                                          "JOIN cell USING (cell_key) WHERE fact.name = 'affinity'"))
        self.assertEqual(numbers_in(rows[str(HERE[-1])]), [HERE[-1]])
        self.assertEqual(numbers_in(rows["all"]), HERE)
        self.assertLessEqual(set(numbers_in(rows["one_per_core"])), set(HERE))

    def test_of_a_word_are_named_by_the_plan(self):
        told = self.ngb("plan", "study.yaml")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("\nProcessors\n  all: processors ", told.stdout)

    def test_that_are_not_there_are_refused_with_file_line_and_key(self):
        self.write("bad.yaml", STUDY.replace("[[LAST], all, one_per_core]", "[4000]"))
        told = self.ngb("run", "bad.yaml", "--no-report")
        self.assertEqual(told.returncode, 2, told.stdout + told.stderr)
        self.assertIn("bad.yaml:7:13: processors: processor 4000 does not exist, or a process may not use it; list some of ",
                      told.stderr)
        self.write("few.yaml", STUDY.replace("[[LAST], all, one_per_core]", f"[{HERE[0]}]\nthreads: 2"))
        told = self.ngb("run", "few.yaml", "--no-report")
        self.assertEqual(told.returncode, 2, told.stdout + told.stderr)
        self.assertIn("few.yaml:7:13: processors: 2 threads need 2 processors, and ", told.stderr)

    def test_that_share_a_core_are_looked_for_by_the_doctor(self):
        told = self.ngb("doctor").stdout
        line = next(each for each in told.splitlines() if " cores " in each)
        self.assertRegex(line, "share a core|has one of its own")
