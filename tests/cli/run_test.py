# SPDX-License-Identifier: Apache-2.0
"""A study with the null compiler from command to table, and what happens when it is run again."""

import json
import os
import pathlib
import re
import signal
import sqlite3
import time
import unittest
import zipfile

from ngb_program import NgbTest, NULL_STUDY, TOOLCHAINS, without_toolchains

CELLS, PROCESSES = 4, 12


class Run(NgbTest):
    def start_slow_run(self, **how):
        self.write("study.yaml", NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 200000000}}'))
        return self.start("run", "study.yaml", **how)

    def wait_for_two_processes(self, run):
        for line in run.stdout:
            if line.startswith("2 of 12 processes"):
                break

    def test_a_study_ends_with_a_table_and_every_sample_in_the_file(self):
        self.write("study.yaml", NULL_STUDY)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("conv_block", run.stdout)
        self.assertIn("results/test", run.stdout)
        steady = "select count(*) from sample where is_warm_up = 0 group by cell_id, process_index"
        self.assertEqual(self.query("results/test", steady), [(5,)] * PROCESSES)
        self.assertEqual(len(self.show("results/test")["cells"]), CELLS)

    def test_results_of_a_clock_that_stood_at_1970_make_a_bundle(self):
        self.assertEqual(self.ngb("run", self.write("study.yaml", NULL_STUDY), "--no-report").returncode, 0)
        with sqlite3.connect(self.folder / "results/test/results.db") as database:
            database.execute("UPDATE run SET started_unix_ns = 10000000000")
        database.close()
        made = self.ngb("bundle", "results/test", "-o", "early.zip")
        self.assertEqual(made.returncode, 0, made.stderr)
        with zipfile.ZipFile(self.folder / "early.zip") as bundle:
            manifest = next(name for name in bundle.namelist() if name.endswith("manifest.json"))
            self.assertIn('"date": "1980-01-01"', bundle.read(manifest).decode())

    def test_running_a_study_again_measures_nothing_again(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        before = self.query("results/test", "select process_key, wall_ns from process order by 1")
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("nothing left to measure", again.stderr)
        self.assertEqual(self.query("results/test", "select process_key, wall_ns from process order by 1"), before)

    def test_adding_a_compiler_measures_only_its_own_cells(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        before = self.query("results/test", "select process_key, wall_ns from process order by 1")
        self.write("study.yaml", NULL_STUDY.replace('  - "null"\n', '  - "null"\n  - "null": {options: {made_up_ns: 50000}}\n'))
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        after = self.query("results/test", "select process_key, wall_ns from process order by 1")
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(len(after), 2 * PROCESSES)

    def test_a_study_that_asks_for_the_best_options_gets_them_with_their_margin(self):
        axis = NULL_STUDY.replace('- "null"', '- "null": {options: {made_up_ns: [2000000, 6000000]}}').replace("depth: [1, 2]",
                                                                                                  "depth: 1")
        self.write("study.yaml", axis + "best_options: true\n")
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.count("null made_up_ns=2000000  "), 2 + 2)  # two batch sizes in each of two tables
        self.assertRegex(run.stdout, r"\n  null made_up_ns=2000000  (2\.9|3\.0)\d* \[.*\]  over null made_up_ns=6000000\n")
        best = self.show("results/test")["best_options"]
        self.assertEqual([choice["winner"]["options"] for choice in best], [{"made_up_ns": 2000000}] * 2)
        self.write("study.yaml", axis.replace("seed: 7", "seed: 7\noutput: unasked"))
        self.assertNotIn("best options", self.ngb("run", "study.yaml").stdout)
        self.assertIn("best options", self.ngb("show", "unasked", "--best").stdout)

    def test_another_protocol_in_the_same_folder_is_refused_and_the_difference_named(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        self.write("study.yaml", NULL_STUDY.replace("repetitions: 5", "repetitions: 6"))
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 3)
        self.assertIn("repetitions", again.stderr)

    def processes(self, results="results/test"):
        return len(self.query(results, "select 1 from process where is_complete = 1"))

    def told(self, *arguments, code=0):
        ended = self.ngb("run", "study.yaml", "--no-report", *arguments)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def test_results_in_which_nothing_was_measured_take_an_edited_study(self):
        failing = NULL_STUDY.replace('- "null"', '- "null": {options: {fault: error, fault_phase: compile}}')
        self.write("study.yaml", failing)
        self.told(code=1)
        self.write("study.yaml", NULL_STUDY.replace("repetitions: 5", "repetitions: 6"))
        self.told(code=1)  # of the cells that the first study had, there is only the failure
        self.assertEqual(self.processes(), PROCESSES)
        self.assertEqual(self.query("results/test", "select value from protocol where key = 'repetitions'"), [("6",)])

    def test_again_sets_the_earlier_results_aside_and_measures_anew(self):
        self.write("study.yaml", NULL_STUDY)
        self.told()
        self.assertIn("to measure it anew, run: ngb run --again", self.told().stderr)
        self.write("study.yaml", NULL_STUDY.replace("repetitions: 5", "repetitions: 6"))  # be it another protocol
        for number in (1, 2):
            aside = self.folder / f"results/test-{number}"
            self.assertIn(f"the earlier results are in {aside} now; to compare: ngb compare {aside} ", self.told("--again").stderr)
            self.assertEqual(self.processes(), PROCESSES)
            self.assertEqual(self.processes(aside), PROCESSES)

    def test_a_part_of_a_study_is_measured_alone_and_the_rest_by_the_next_run(self):
        self.write("study.yaml", NULL_STUDY)
        self.told("--batch", "2", "--model", "conv_block width=8 depth=1 image_size=16")
        self.assertEqual(self.processes(), 3)
        self.assertIn("ngb: 128: the study has no such batch, expected one of: 1, 2", self.told("--batch", "128", code=2).stderr)
        self.assertIn("ngb: nul: the study has no such compiler, did you mean null?", self.told("--compiler", "nul", code=2).stderr)
        self.told()
        self.assertEqual(self.processes(), PROCESSES)

    def test_a_device_that_the_study_has_not_or_has_alone_cannot_be_left_out(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertIn("--without: the study has no device edge1; expected one of: local", self.told("--without", "edge1", code=2).stderr)
        self.assertIn("no device is left", self.told("--without", "local", code=2).stderr)

    def test_failed_cells_are_tried_again_alone(self):
        broken = '- "null": {label: broken, options: {fault: error, fault_phase: compile}}\n  - "null"'
        self.write("study.yaml", NULL_STUDY.replace('- "null"', broken))
        self.told("--batch", "1", code=1)
        attempts = "select count(*) from process where is_complete = 0 group by cell_key"
        before = self.query("results/test", attempts)
        self.assertEqual((len(before), self.processes()), (2, 6))
        self.told("--failed", code=1)
        self.assertEqual(self.query("results/test", attempts), [(2 * count,) for count, in before])
        self.assertEqual(self.processes(), 6, "no other cell was measured")

    def test_the_results_can_be_printed_in_another_format_on_a_stdout_without_words(self):
        self.write("study.yaml", NULL_STUDY)
        told = self.told("--format", "json")
        self.assertEqual(len(json.loads(told.stdout)["cells"]), CELLS)
        self.assertIn("Results: ", told.stderr)

    def test_as_much_is_said_as_is_asked_for(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(len(re.findall(r"^\d+ of 12 processes.* samples/s", self.told("-v").stderr, re.M)), PROCESSES)
        quiet = self.told("-q", "--again")
        self.assertEqual(re.sub("ngb: the earlier results are in .*\n", "", quiet.stderr), "")
        self.assertIn("4 cells: 4 measured", quiet.stdout)
        self.assertNotIn("Results: ", quiet.stdout)

    def test_ctrl_c_stops_cleanly_and_the_next_run_resumes(self):
        run = self.start_slow_run()
        self.wait_for_two_processes(run)
        run.send_signal(signal.SIGINT)
        rest = run.stdout.read()
        self.assertEqual(run.wait(300), 130)
        self.assertRegex(rest, r"ngb: stopped; [1-4] of 4 cells have a result so far, from \d+ processes, which are kept: ngb show results/test\n")
        self.assertIn("run the same command again", rest)
        recorded = len(self.query("results/test", "select 1 from process"))
        self.assertGreaterEqual(recorded, 2)
        self.assertLess(recorded, PROCESSES)
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(self.query("results/test", "select 1 from process")), PROCESSES)

    def test_values_are_kept_at_the_end_of_a_run_and_not_while_it_goes_on(self):
        count = "select count(distinct cell_key) from derived"
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        self.assertEqual(self.query("results/test", count), [(CELLS,)])
        self.assertGreater(self.query("results/test", "select count(*) from conclusion")[0][0], 0)
        self.write("study.yaml", NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 200000000}}'))
        run = self.start("run", "study.yaml", "--no-report")
        self.wait_for_two_processes(run)
        self.assertEqual(self.query("results/test", count), [(0,)])
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        self.assertEqual(run.wait(300), 130)

    def test_a_hang_up_does_not_end_a_run_started_by_nohup(self):
        run = self.start_slow_run(begun_by=["nohup"])
        self.wait_for_two_processes(run)
        run.send_signal(signal.SIGHUP)
        run.stdout.read()
        self.assertEqual(run.wait(300), 0)
        self.assertEqual(len(self.query("results/test", "select 1 from process")), PROCESSES)

    def test_a_results_folder_in_use_is_refused(self):
        run = self.start_slow_run()
        run.stdout.readline()
        second = self.ngb("run", "study.yaml")
        self.assertEqual(second.returncode, 3)
        self.assertIn("in use", second.stderr)
        self.assertIn(str(run.pid), second.stderr)
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        self.assertEqual(run.wait(300), 130)

    def test_a_read_only_results_folder_is_refused(self):
        if os.geteuid() == 0:
            self.environment["PATH"] = os.environ["PATH"]  # root can write everywhere, so use a folder that nobody can write to
            self.write("study.yaml", NULL_STUDY + "output: /proc/ngb-results\n")
        else:
            (self.folder / "results").mkdir(mode=0o500)
            self.write("study.yaml", NULL_STUDY)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 3)
        self.assertRegex(run.stderr, "cannot create folder|cannot write|read-only")

    def test_show_of_a_folder_without_results_says_so(self):
        shown = self.ngb("show", "nowhere")
        self.assertEqual(shown.returncode, 3)
        self.assertIn("nowhere", shown.stderr)

    def test_the_schema_is_json_and_names_the_null_compiler(self):
        schema = self.ngb("schema")
        self.assertEqual(schema.returncode, 0, schema.stderr)
        self.assertIn('"null"', schema.stdout)


class Turns(NgbTest):
    """The study's `turns`: the processes of a round are there at the same time, and one of them runs."""

    STUDY = NULL_STUDY.replace('- "null"', '- "null": {options: {made_up_ns: [1000000, 2000000]}}').replace(
        "protocol: paper", "turns: 5")

    def test_are_told_with_what_they_leave_unknown(self):
        self.write("turns.yaml", self.STUDY)
        run = self.ngb("run", "turns.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        facts = self.query("results/test", "SELECT DISTINCT value FROM fact WHERE name = 'turns'")
        self.assertEqual(facts, [("5, with 1 other process",)])
        steal = self.query("results/test", "SELECT DISTINCT value, unknown_reason FROM reading WHERE quantity = 'steal' AND "
                           "moment = 'timed'")
        self.assertEqual(steal, [(None, "other processes had turns meanwhile")])
        waited = self.query("results/test", "SELECT count(*) FROM reading WHERE quantity = 'run_queue_wait' AND moment = 'timed' "
                            "AND value >= 0")
        processes = self.query("results/test", "SELECT count(*) FROM process")
        self.assertEqual(waited, processes)

    def test_leave_the_machine_to_the_first_process_of_each_cell_in_a_part_of_its_own(self):
        self.write("turns.yaml", self.STUDY)
        self.assertEqual(self.ngb("run", "turns.yaml").returncode, 0)
        alone = self.query("results/test", "SELECT process_index, count(*), count(DISTINCT cell_key) FROM phase JOIN process "
                           "USING (process_key) WHERE phase = 'alone' GROUP BY process_index")
        self.assertEqual(alone, [(0, 8, 8)])
        busy = self.query("results/test", "SELECT count(*), min(value) FROM reading WHERE quantity = 'alone_inference'")
        self.assertEqual(busy[0][0], 8)
        self.assertAlmostEqual(busy[0][1], 0.001, delta=0.000005)  # the null compiler's made_up_ns
        counted = self.query("results/test", "SELECT DISTINCT count(*) FROM repetition WHERE is_warm_up = 0 GROUP BY process_key")
        self.assertEqual(counted, [(5,)])

    def test_are_taken_unless_the_study_says_otherwise(self):
        for line, turns in (("", "20"), ("protocol: paper\n", "1")):
            self.write("study.yaml", self.STUDY.replace("turns: 5\n", line) + f"output: in-{turns}\n")
            self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
            stored = dict(self.query(f"in-{turns}", "SELECT key, value FROM protocol"))
            self.assertEqual(stored.get("turns", "1"), turns)

    def test_of_another_number_are_another_protocol(self):
        self.write("turns.yaml", self.STUDY)
        self.assertEqual(self.ngb("run", "turns.yaml").returncode, 0)
        self.write("alone.yaml", self.STUDY.replace("turns: 5", "turns: 1"))
        refused = self.ngb("run", "alone.yaml", "-o", "results/test")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn("turns is 5 in the results and not set in the study", refused.stderr)


class Allocator(NgbTest):
    """The study's `allocator` reaches the workers when they are started, because glibc reads its variables only then."""

    VARIABLES = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": "67108864", "MALLOC_TRIM_THRESHOLD_": "17179869184"}

    def allocator_variables_of(self, pid):
        try:
            entries = pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
        except OSError:
            return {}  # it has ended
        return {name: value for name, _, value in (entry.partition("=") for entry in entries) if name.startswith("MALLOC_")}

    def variables_of_workers(self, client):
        return [self.allocator_variables_of(worker) for agent in self.children_of(client.pid)
                for worker in self.children_of(agent)]

    def recorded_variables(self, results):
        return dict(self.query(results, "SELECT name, value FROM environment_entry WHERE name LIKE 'variable_MALLOC_%'"))

    def test_keeps_memory_by_default_in_the_environment_of_a_worker_and_of_the_results(self):
        usual = NULL_STUDY.replace("protocol: paper\n", "")
        self.write("slow.yaml", usual.replace('- "null"', '- "null": {options: {compile_ns: 60000000000}}'))
        client = self.start("run", "slow.yaml")
        self.wait_for(lambda: self.VARIABLES in self.variables_of_workers(client))
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(timeout=1500), 130)
        self.write("usual.yaml", usual + "output: usual\n")
        run = self.ngb("run", "usual.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("allocator:", run.stdout)
        self.assertEqual(self.recorded_variables("usual"),
                         {f"variable_{name}": value for name, value in self.VARIABLES.items()})

    def test_is_the_c_librarys_under_the_papers_protocol_and_the_table_says_so(self):
        self.write("paper.yaml", NULL_STUDY)
        run = self.ngb("run", "paper.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("\n  allocator: default\n", run.stdout)
        self.assertEqual(self.recorded_variables("results/test"), {})

    @unittest.skipIf(without_toolchains("identity"), without_toolchains("identity"))
    def test_that_keeps_memory_leaves_pytorch_without_page_faults_and_says_what_returning_it_costs(self):
        """By default a plain script in eager mode has 7,000 to 18,000 page faults an inference of this block, and a worker 2,400."""
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.write("block.yaml", """\
name: block
models: [{zoo: {conv_block: {width: 32, depth: 2}}}]
compilers: [identity]
reference: none
turns: 1
processes: 1
repetitions: 40
longer_look_s: 9
disturbance: {max_wait_percent: 100}
attempts: 9
""")
        run = self.ngb("run", "block.yaml", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stderr)
        readings = dict(self.query("results/block", "SELECT quantity, value FROM reading WHERE moment IN ('timed', 'after')"))
        (wall_s,), = self.query("results/block", "SELECT wall_ns / 1e9 FROM phase WHERE phase = 'timed'")
        # Some 10,000 pages are new in the first inferences of the phase.
        self.assertLess(readings["page_faults"] * wall_s / readings["inferences"], 600)
        if "returning_memory" not in readings:
            self.skipTest("other programs left no time for the longer look")
        if readings["run_queue_wait"] > 5:  # percent
            self.skipTest("other programs kept the process from its processor, so that its speeds say nothing of its memory")
        self.assertGreater(readings["returning_memory"], 1.3)  # each of seven activations is returned, of 1,568 pages

    def test_of_another_kind_is_another_protocol(self):
        self.write("steady.yaml", NULL_STUDY + "allocator: steady\n")
        self.assertEqual(self.ngb("run", "steady.yaml").returncode, 0)
        self.write("usual.yaml", NULL_STUDY)
        refused = self.ngb("run", "usual.yaml", "-o", "results/test")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn('allocator is "steady" in the results and not set in the study', refused.stderr)
