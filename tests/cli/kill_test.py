# SPDX-License-Identifier: Apache-2.0
"""Killing the agent at random instants loses at most the running process: the table equals that of an undisturbed run."""

import random
import time

from ngb_program import NgbTest, NULL_STUDY, kill

KILLS = 10


class Kill(NgbTest):
    def structure(self, results):
        """Returns what must be equal: every (cell, process) with its number of steady repetitions."""
        return self.query(
            results,
            "select cell_id, process_index, sum(is_warm_up = 0) from sample group by 1, 2 order by 1, 2",
        )

    def test_ten_random_kills_of_the_agent_lose_and_repeat_nothing(self):
        study = NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 60000000, run_ns: 2000000}}')
        self.write("undisturbed.yaml", study + "output: undisturbed\n")
        self.assertEqual(self.ngb("run", "undisturbed.yaml").returncode, 0)
        expected = self.structure("undisturbed")
        self.assertEqual(len(expected), 12)

        chance = random.Random(20261121)
        for round_number in range(KILLS):
            with self.subTest(round=round_number):
                name = f"killed{round_number}"
                self.write("killed.yaml", study + f"output: {name}\n")
                run = self.start("run", "killed.yaml")
                agent = self.wait_for(lambda: self.children_of(run.pid))[0]
                time.sleep(chance.uniform(0, 1.5))  # the random instant
                kill(agent)
                run.stdout.read()
                if run.wait(300) != 0:
                    self.assertEqual(self.ngb("run", "killed.yaml").returncode, 0)
                self.assertEqual(self.structure(name), expected)
