# SPDX-License-Identifier: Apache-2.0
"""Rounds that end when their question is decided, and budgets: with the null compiler, which is said to take as long as told."""

import json
import sqlite3
import time

from ngb_program import NgbTest

STUDY = """\
name: rounds
models:
  - zoo: {{conv_block: {{width: 8, depth: 1, image_size: 16}}}}
compilers:
  - "null": {{label: one, options: {{made_up_ns: 1000000}}}}
  - "null": {{label: two, options: {{made_up_ns: 2000000}}}}
  - "null": {{label: three, options: {{made_up_ns: 3000000}}}}
batch_sizes: {batch_sizes}
baseline: one
reference: none
disturbance: {{max_wait_percent: 100}}
repetitions: {repetitions}
protocol: paper
{more}
output: results
"""


class Rounds(NgbTest):
    def study(self, more="rounds: {max: 12}", batch_sizes="[1]", repetitions="5"):
        self.write("study.yaml", STUDY.format(more=more, batch_sizes=batch_sizes, repetitions=repetitions))

    def processes(self):
        """The indices of the completed processes of each cell, by compiler and batch size."""
        with sqlite3.connect(self.folder / "results" / "results.db") as database:
            rows = database.execute(
                "SELECT compiler_label, batch, process_index FROM process JOIN cell USING (cell_key) "
                "JOIN model USING (model_key) WHERE is_complete = 1 ORDER BY process_key").fetchall()
        database.close()
        found = {}
        for label, batch, index in rows:
            found.setdefault((label, batch), []).append(index)
        return found

    def test_end_when_the_answer_is_clear_and_the_run_is_complete(self):
        self.study()
        ran = self.ngb("run", "study.yaml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rounds = [len(indices) for indices in self.processes().values()]
        self.assertGreaterEqual(min(rounds), 3)
        self.assertEqual(rounds, [3, 3, 3])
        self.assertIn("3 cells: 3 measured", ran.stdout)
        self.assertIn("rounds end when their question is decided, after 3 to 12", ran.stdout)
        self.assertNotIn("incomplete", ran.stdout)
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("nothing left to measure", again.stderr)

    def test_that_are_many_show_the_interval_of_one_look(self):
        self.study()
        self.ngb("run", "study.yaml")
        cells = json.loads(self.ngb("show", "results", "--json").stdout)["cells"]
        two = next(cell for cell in cells if cell["compiler_label"] == "two")
        ratio = two["metrics"]["speed_up_ratio"]
        self.assertLess(ratio["low"], ratio["value"])
        self.assertLess(ratio["high"], 1)

    def test_of_another_rule_are_refused_in_the_same_folder(self):
        self.study()
        self.ngb("run", "study.yaml")
        self.study(more="rounds: {max: 14}")
        refused = self.ngb("run", "study.yaml")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("these results were measured under another protocol: rounds is", refused.stderr)

    def test_repetitions_are_fewer_where_they_take_long(self):
        self.study(more='processes: 1', repetitions="auto")
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        self.write("slow.yaml", STUDY.format(more="processes: 1", batch_sizes="[1]", repetitions="auto").replace(
            "made_up_ns: 3000000", "made_up_ns: 90000000").replace("output: results", "output: slow"))
        self.assertEqual(self.ngb("run", "slow.yaml").returncode, 0)
        with sqlite3.connect(self.folder / "slow" / "results.db") as database:
            counts = dict(database.execute(
                "SELECT compiler_label, count(*) FROM repetition JOIN process USING (process_key) "
                "JOIN cell USING (cell_key) WHERE is_warm_up = 0 GROUP BY cell_key").fetchall())
        database.close()
        self.assertEqual(counts, {"one": 20, "two": 20, "three": 10})

    def test_a_budget_measures_a_round_of_everything_first(self):
        self.study(batch_sizes="[1, 2]", more="processes: 1000")
        begin = time.monotonic()
        ran = self.ngb("run", "study.yaml", "--budget", "6s")
        self.assertLess(time.monotonic() - begin, 300)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("The budget of 6s is used up; to continue, run the same command again.", ran.stdout)
        counts = [len(indices) for indices in self.processes().values()]
        self.assertEqual(len(counts), 6)
        self.assertLessEqual(max(counts) - min(counts), 1)
        done = sum(counts)
        again = self.ngb("resume", "results", "--budget", "3s")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertGreater(sum(len(indices) for indices in self.processes().values()), done)

    def test_a_budget_that_is_too_short_for_one_round_says_so_and_loses_nothing(self):
        self.study()
        short = self.ngb("run", "study.yaml", "--budget", "0.001s")
        self.assertEqual(short.returncode, 3)
        self.assertIn("the budget of 0.001s was too short for one round: 3 cells have no result", short.stderr)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)

    def test_a_budget_that_is_no_duration_is_refused(self):
        self.study()
        refused = self.ngb("run", "study.yaml", "--budget", "soon")
        self.assertEqual(refused.returncode, 2)
        self.assertIn('--budget: "soon" is no duration; expected a time above 0, for example 90s, 10m, 2h',
                      refused.stderr)

    def test_a_gate_measures_until_it_is_decided(self):
        self.study(more="")
        failed = self.ngb("gate", "study.yaml", "--baseline", "one", "--candidate", "two", "-o", "sides")
        self.assertEqual(failed.returncode, 4, failed.stderr)
        with sqlite3.connect(self.folder / "sides" / "results.db") as database:
            rounds = database.execute("SELECT max(process_index) + 1 FROM process").fetchone()[0]
        database.close()
        self.assertGreaterEqual(rounds, 3)
        self.assertLess(rounds, 15)
