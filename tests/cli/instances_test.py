# SPDX-License-Identifier: Apache-2.0
"""Several instances of one compiler at once, on processors of their own."""

import json
import os
import unittest

from ngb_program import NgbTest

STUDY = """\
name: instances
models: [{zoo: {conv_block: {image_size: 8, depth: 1, width: 4}}}]
compilers:
  - "null": {options: {run_ns: 3000000}}
reference: none
processes: 1
repetitions: 10
disturbance: {max_wait_percent: 100}
instances: [1, 2]
"""


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one processor")
class Instances(NgbTest):
    def test_two_are_in_one_table_with_one_and_count_while_both_run(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("instances' gain", ran.stdout)
        cells = {cell["instances"]: cell for cell in self.show("results/instances")["cells"]}
        self.assertEqual({number: cell["compiler_label"] for number, cell in cells.items()},
                         {1: "null instances=1", 2: "null instances=2"})
        # An inference keeps a processor busy for 3 ms. Beside other work it takes longer, and two gain less than twice.
        self.assertLess(cells[2]["metrics"]["throughput_per_s"]["value"], 2 / 0.003)
        self.assertEqual(cells[1]["metrics"]["instances_gain_ratio"]["reason"], "measured with one instance")
        self.assertGreaterEqual(cells[2]["metrics"]["latency_p50_s"]["value"], 0.003)
        self.assert_pooled_from_what_is_stored(cells[2])
        self.assert_in_profile_and_choice(*(cells[number]["metrics"]["throughput_per_s"]["value"] for number in (1, 2)))
        self.assert_confirmed_from_one_queue()

    def assert_pooled_from_what_is_stored(self, cell):
        """Counts T once more: the inferences of each over their time, both together."""
        rows = self.query("results/instances", "select instance, is_warm_up, repetition.started_ns, repetition.wall_ns, "
                          "inferences from cell join process using (cell_key) join repetition using (process_key) "
                          "where instances = 2 order by instance, repetition_index")
        all_of = [[row[1:] for row in rows if row[0] == instance] for instance in (0, 1)]
        both = [[row[1:] for row in of if not row[0]] for of in all_of]
        for mine, other in zip(both, reversed(all_of)):
            for begin_ns, wall_ns, _ in mine:  # while one of these runs, the other instance repeats too
                self.assertGreaterEqual(begin_ns, min(begin for _, begin, _, _ in other))
                self.assertLessEqual(begin_ns + wall_ns, max(begin + wall for _, begin, wall, _ in other))
        self.assertGreaterEqual(min(map(len, both)), 3)
        counted = sum(sum(inferences for *_, inferences in of) / sum(wall_ns for _, wall_ns, _ in of) for of in both)
        self.assertAlmostEqual(cell["metrics"]["throughput_per_s"]["value"], 1e9 * counted, places=6)

    def assert_in_profile_and_choice(self, of_one, of_two):
        rows = json.loads(self.ngb("profile", "results/instances", "--format", "json").stdout)["rows"]
        self.assertEqual([row["instances"] for row in rows], [1, 2])
        self.assertAlmostEqual(rows[1]["instances_gain_ratio"]["value"], of_two / of_one, places=6)
        # More requests than one of the two cells answers; which one that is depends on what else the machine does.
        faster, slower = (2, 1) if of_two > of_one else (1, 2)
        asked = ("choose", "results/instances", "--latency", "p50=10s", "--load", f"{min(of_one, of_two) + abs(of_one - of_two) / 5:.1f}/s")
        chosen = json.loads(self.ngb(*asked, "--json").stdout)
        self.assertEqual([(each["instances"], each["fit"]) for each in chosen], [(faster, "open"), (slower, "fails")])
        self.assertEqual(chosen[0]["why"], "its speed has no interval: it needs two processes")

    def assert_confirmed_from_one_queue(self):
        # Requests for a sixth of the two processors, so that both instances answer them beside other work, too.
        confirmed = self.ngb("choose", "results/instances", "--latency", "p50=10s", "--load", "100/s", "--compiler",
                             "null instances=2", "--confirm", "--json", "-o", "confirmed")
        self.assertEqual(confirmed.returncode, 0, confirmed.stdout + confirmed.stderr)
        row = json.loads(confirmed.stdout)
        requests = row["confirmation"]["requests"]
        self.assertEqual((row["instances"], row["confirmation"]["held"]), (2, "held"))
        served = self.query("confirmed", "select instance, repetition.wall_ns, latency_ns from repetition join latency "
                            "using (process_key, repetition_index) where is_warm_up = 0 order by repetition_index")
        self.assertEqual(len(served), requests)
        self.assertEqual({instance for instance, *_ in served}, {0, 1}, "each instance serves requests")
        for _, wall, latency in served:
            self.assertGreaterEqual(latency, wall, "no inference begins before its request has arrived")

    def test_more_than_the_machine_has_processors_for_are_refused_with_line_key_and_numbers(self):
        processors = len(os.sched_getaffinity(0))
        self.write("study.yaml", STUDY.replace("instances: [1, 2]", f"instances: {processors + 1}"))
        planned = self.ngb("plan", "study.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertIn(f"study.yaml:9:12: instances: {processors + 1} instances of 1 thread need {processors + 1} processors, "
                      f"more than the {processors} that local lets a process use", planned.stderr)
