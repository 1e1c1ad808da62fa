# SPDX-License-Identifier: Apache-2.0
"""Settings that a study hands on to a compiler's library: part of the cell, stored, refused in the library's words."""

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
