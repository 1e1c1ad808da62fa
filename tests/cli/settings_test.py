# SPDX-License-Identifier: Apache-2.0
"""Settings that a study hands on to a compiler's library: part of the cell, stored, refused in the library's words.
Several inferences in flight: in one table with one, with the latency of each."""

import json

from ngb_program import NgbTest

STUDY = """\
name: settings
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null"
  - "null": {settings: {none.level: [1, 2]}}
  - "null": {label: unknown, settings: {level: 1}}
reference: "null"
processes: 1
disturbance:
  max_wait_percent: 100
repetitions: 3
"""


class Settings(NgbTest):
    def test_are_part_of_the_cell_and_what_the_library_refuses_is_its_reason(self):
        self.write("study.yaml", STUDY)
        plain = json.loads(self.ngb("plan", "study.yaml", "--json").stdout)["cells"][0]["id"]
        self.ngb("run", "study.yaml")
        cells = {cell["compiler_label"]: cell for cell in self.show("results/settings")["cells"]}
        self.assertEqual([cell["settings"] for cell in cells.values()],
                         [{}, {"none.level": 1}, {"none.level": 2}, {"level": 1}])
        self.assertEqual(len({cell["cell_id"] for cell in cells.values()}), 4)
        self.write("plain.yaml", STUDY.replace("settings: {level: 1}", "options: {run_ns: 1}")
                   .replace("settings: {none.level: [1, 2]}", "threads: 2"))
        self.assertEqual(json.loads(self.ngb("plan", "plain.yaml", "--json").stdout)["cells"][0]["id"], plain)
        failure = cells["unknown"]["failure"]
        self.assertEqual(failure["kind"], "invalid_option")
        self.assertIn("setting level=1: null knows no such setting", failure["message"])
        self.assertEqual(self.query("results/settings", "select settings_json from cell order by cell_key"),
                         [("{}",), ('{"none.level":1}',), ('{"none.level":2}',), ('{"level":1}',)])

    def test_a_compilers_settings_are_shown_with_those_that_are_refused(self):
        shown = self.ngb("compilers", "openvino").stdout
        self.assertIn("settings, in a study as `openvino: {settings: {NAME: VALUE}}`", shown)
        self.assertIn("not INFERENCE_NUM_THREADS: threads", shown)
        listed = {row["name"]: row for row in json.loads(self.ngb("compilers", "--json").stdout)}
        self.assertEqual(listed["openvino"]["settings"]["reserved"]["PERFORMANCE_HINT"], "options.performance_hint")
        self.assertIsNone(listed["identity"]["settings"])


class InFlight(NgbTest):
    def test_several_are_in_one_table_with_one_and_their_latencies_are_stored(self):
        self.write("study.yaml", STUDY[: STUDY.index("compilers:")] + """\
compilers:
  - "null": {threads: 2, options: {run_ns: 3000000}, in_flight: [1, 4, auto]}
""" + STUDY[STUDY.index("reference:"):] + "min_repetition_ms: 60\n")  # of a few inferences, half would be the first that wait for none
        ran = self.ngb("run", "study.yaml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for label in ("null in_flight=1", "null in_flight=4", "null in_flight=auto"):
            self.assertIn(label, ran.stdout)
        cells = {cell["in_flight"]: cell for cell in self.show("results/settings")["cells"]}
        self.assertEqual(list(cells), ["1", "4", "auto"])
        # Four at a time on two threads: each waits for another one, then takes its 3 ms.
        self.assertGreater(cells["4"]["metrics"]["latency_p50_s"]["value"], 0.0055)
        self.assertGreaterEqual(cells["auto"]["metrics"]["latency_p50_s"]["value"], 0.003)
        kept = dict(self.query("results/settings", "select in_flight, count(latency_ns) from cell join process using "
                                                   "(cell_key) left join latency using (process_key) group by in_flight"))
        self.assertEqual(kept["1"], 0)
        self.assertGreaterEqual(kept["4"], 4 * 3)
        self.assertEqual(self.query("results/settings", "select value from fact where name = 'in_flight' order by value"),
                         [("2",), ("4",)])

    def test_a_compiler_that_runs_one_at_a_time_is_refused_with_line_and_key(self):
        self.write("study.yaml", STUDY.replace('  - "null"\n', "  - tvm: {in_flight: auto}\n", 1))
        planned = self.ngb("plan", "study.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertRegex(planned.stderr, r"study\.yaml:5:22: compilers\[0\]\.tvm\.in_flight: tvm runs one inference at a "
                                         "time; remove this key")
