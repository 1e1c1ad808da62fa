# SPDX-License-Identifier: Apache-2.0
"""ngb show: its formats and filters, on results of the null compiler in which one cell has failed."""

import csv
import io
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from ngb_program import BIN, MeasuredTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STUDY = """\
name: shown
models:
  - zoo: {conv_block: {width: 8, depth: [1, 2], image_size: 16}}
compilers:
  - "null"
  - onnxruntime
batch_sizes: [1, 2]
reference: none
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
output: results
"""


class Show(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        self.run_of_it = self.ngb("run", "study.yaml")
        self.assertEqual(self.run_of_it.returncode, 1, self.run_of_it.stderr)

    def shown(self, *arguments):
        shown = self.ngb("show", "results", *arguments)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return shown.stdout

    def rows(self, *filters):
        text = self.shown("--format", "csv", *filters)
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def test_a_csv_has_the_values_of_the_json_or_their_reasons(self):
        rows = {row["cell_id"]: row for row in self.rows()}
        cells = json.loads(self.shown("--format", "json"))["cells"]
        self.assertEqual(set(rows), {cell["cell_id"] for cell in cells})
        for cell in cells:
            row = rows[cell["cell_id"]]
            self.assertNotIn(None, row)  # no more fields than columns
            for name in ("device", "model", "model_hash", "compiler", "compiler_version", "status"):
                self.assertEqual(row[name], cell[name])
            self.assertEqual(json.loads(row["options"]), cell["options"])
            self.assertEqual(row["failure_kind"], (cell["failure"] or {"kind": ""})["kind"])
            for name, metric in cell["metrics"].items():
                value = None if row[name] == "" else float(row[name])
                self.assertEqual(value, metric["value"], name)
                self.assertEqual(row[name + "_unknown_reason"], metric.get("reason", ""), name)
                if "low" in metric:
                    self.assertEqual(float(row[name + "_low"]), metric["low"])
        self.assertEqual({row["failure_kind"] for row in rows.values()}, {"", "toolchain_missing"})

    def test_the_readme_takes_its_table_from_what_is_printed(self):
        root = self.folder / "project"
        (root / "scripts").mkdir(parents=True)
        (root / "build/release").mkdir(parents=True)
        (root / "build/release/bin").symlink_to(BIN)
        shutil.copy(SOURCE / "scripts/readme-table", root / "scripts")
        readme = root / "README.md"
        begin, end = "<!-- quickstart table: begin -->", "<!-- quickstart table: end -->"
        readme.write_text(f"before\n{begin}\nan old one\n{end}\nafter\n")
        made = subprocess.run([sys.executable, root / "scripts/readme-table", self.folder / "results"], env=self.environment)
        self.assertEqual(made.returncode, 0)
        self.assertEqual(readme.read_text(), f"before\n{begin}\n```\n{self.shown().strip()}\n```\n{end}\nafter\n")
        self.assertEqual((SOURCE / "README.md").read_text("utf-8").count(begin), 1)

    def test_a_folder_without_results_gets_those_that_have_some(self):
        self.assertIn("there are no results here; these have some: results\n", self.ngb("show", ".").stderr)
        self.assertIn("there are no results here; name a folder that `ngb run` has written", self.ngb("show", "nowhere").stderr)

    def test_json_has_a_short_form(self):
        self.assertEqual(self.shown("--format", "json"), self.shown("--json"))
        both = self.ngb("show", "results", "--json", "--format", "csv")
        self.assertEqual(both.returncode, 2)

    def test_markdown_is_one_table_with_equally_many_fields_in_each_row(self):
        lines = self.shown("--format", "markdown").splitlines()
        self.assertEqual(len(lines), 2 + 8)
        fields = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
        self.assertEqual({len(each) for each in fields}, {len(fields[0])})
        self.assertTrue(all(set(each) <= set("-:") for each in fields[1]))
        self.assertEqual(fields[0][:6], ["device", "model", "batch", "threads", "precision", "compiler"])
        self.assertIn("failed: toolchain_missing in ", "\n".join(lines))

    def test_numbers_that_span_cells_are_printed_and_are_in_the_json(self):
        text = self.shown("--series")
        self.assertIn("cost of a block, s [95 %]: depth_cost_s_per_block", text)
        series = json.loads(self.shown("--json"))["series"]
        costs = [each for each in series["values"] if each["series"] == "depth_cost_s_per_block"]
        measured = [each for each in costs if each["value"] is not None]
        self.assertEqual([each["batch_sizes"] for each in measured], ["1", "2"])
        for cost in measured:
            self.assertEqual(len(cost["cell_ids"]), 2)
            self.assertLessEqual(cost["low"], cost["value"])
        failed = next(each for each in costs if each["compiler"].startswith("onnxruntime"))
        self.assertIn("toolchain_missing", failed["reason"])
        self.assertIn("depth_cost_s_per_block", {row["name"] for row in series["table"]})
        of_one_depth = json.loads(self.shown("--json", "--model", series["values"][0]["subject"]))["series"]["values"]
        self.assertLessEqual(len(of_one_depth), len(series["values"]))

    def test_findings_name_failures_to_act_on_and_say_what_was_not_measured(self):
        text = self.shown("--findings")
        self.assertRegex(text, r"To act on\n  onnxruntime.* on local has no result on 4 of 4 workloads: "
                               r"toolchain_missing \(4\)\.")
        self.assertRegex(text, r"\n28 claims are not measured by this study; --all says what each needs\.\n")
        self.assertIn("tvm was not measured beside a baseline", self.shown("--findings", "--all"))
        self.assertRegex(text.splitlines()[0], r"No result in \d+ of \d+ cells: onnxruntime .* \(toolchain_missing\)\.")
        conclusions = json.loads(self.shown("--json"))["conclusions"]
        self.assertEqual([each["kind"] for each in conclusions["findings"] if each["to_act_on"]], ["failures"])
        self.assertEqual({each["status"] for each in conclusions["claims"]}, {"not_measured"})
        self.assertEqual(conclusions["reversals"], [])

    def test_series_and_findings_are_texts_of_their_own(self):
        for arguments in (("--series", "--json"), ("--findings", "--format", "csv"), ("--series", "--findings")):
            wrong = self.ngb("show", "results", *arguments)
            self.assertEqual(wrong.returncode, 2, arguments)
            self.assertIn("excludes", wrong.stderr)

    def test_filters_apply_to_every_format(self):
        asked = ("--compiler", "null", "--batch", "2", "--device", "local", "--model", "conv_block")
        self.assertEqual([(row["compiler"], row["batch"]) for row in self.rows(*asked)], [("null", "2")] * 2)
        self.assertEqual(len(json.loads(self.shown("--json", *asked))["cells"]), 2)
        self.assertEqual(len(self.shown("--format", "markdown", *asked).splitlines()), 2 + 2)
        self.assertIn("\n2 cells: 2 measured\n", self.shown(*asked))
        self.assertEqual(len(self.rows("--batch", "1", "--batch", "2")), 8)

    def test_groups_and_styles_of_models_are_shown_filtered_and_changed_without_measuring(self):
        cells = json.loads(self.shown("--json", "--group", "conv_block", "--style", "convolutional"))["cells"]
        self.assertEqual([cell["model_group"] for cell in cells], ["conv_block"] * 8)
        self.assertEqual({cell["model_size"] for cell in cells}, {None})
        self.write("study.yaml", STUDY.replace("image_size: 16}}", "image_size: 16}}\n    group: mine\n    size: 2"))
        again = self.ngb("run", "study.yaml")
        self.assertIn("nothing left to measure", again.stderr)
        after = json.loads(self.shown("--json", "--group", "mine"))["cells"]
        self.assertEqual([cell["cell_id"] for cell in after], [cell["cell_id"] for cell in cells])
        self.assertEqual({cell["model_size"] for cell in after}, {2})
        with sqlite3.connect(self.folder / "results" / "results.db") as database:
            told = database.execute("SELECT DISTINCT model_group, model_style, model_size FROM model").fetchall()
        self.assertEqual(told, [("mine", "convolutional", 2)])
        wrong = self.ngb("show", "results", "--group", "mne")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean mine", wrong.stderr)

    def test_an_unknown_name_is_wrong_usage_and_gets_the_nearest(self):
        for arguments, near in ((("--compiler", "onxruntime"), "onnxruntime"), (("--device", "lcal"), "local"),
                                (("--format", "cvs"), "csv")):
            wrong = self.ngb("show", "results", *arguments)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(f"did you mean {near}", wrong.stderr)
        self.assertIn("expected one of: 1, 2", self.ngb("show", "results", "--batch", "64").stderr)

    def test_any_compiler_can_be_the_baseline(self):
        cells = json.loads(self.shown("--json"))["cells"]
        measured = [cell for cell in cells if cell["compiler"] == "null"]
        for cell in measured:
            self.assertEqual(cell["compute_device"], "cpu")
            self.assertEqual(cell["metrics"]["speed_up_ratio"],
                             {"value": None, "reason": "PyTorch eager (identity) was not measured here"})
        asked = json.loads(self.shown("--json", "--baseline", "null"))
        self.assertEqual(asked["baseline"], "null")
        for cell in asked["cells"]:
            if cell["compiler"] == "null":
                self.assertEqual(cell["metrics"]["speed_up_ratio"]["value"], 1)
                self.assertEqual(cell["baseline"]["cell_id"], cell["cell_id"])
        self.assertIn("speed-up over null [95 %]", self.shown("--all", "--baseline", "null"))
        wrong = self.ngb("show", "results", "--baseline", "nul")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean null", wrong.stderr)

    def test_the_study_names_the_baseline(self):
        self.write("study.yaml", STUDY.replace("output: results", 'output: other\nbaseline: "null"'))
        run = self.ngb("run", "study.yaml")
        self.assertIn("speed-up over null [95 %]", run.stdout)
        self.assertEqual(self.query("other", "select count(*) from derived where metric = 'speed_up_ratio' "
                                             "and value = 1"), [(4,)])

    def test_help_lists_the_formats(self):
        told = self.shown("--help")
        for name in ("text", "json", "csv", "markdown"):
            self.assertRegex(told, rf"\n  {name} +\w")

    def test_a_run_with_failed_cells_says_how_to_try_them_again(self):
        advice = [line for line in self.measured.run_of_it.stdout.splitlines() if "--retry-failed" in line]
        self.assertEqual(len(advice), 1)
        command = advice[0].replace(str(self.measured.folder), str(self.folder)).partition(": ngb ")[2].split()
        self.assertEqual(command[0], "resume")
        attempts = "select count(*) from failure"
        before = self.query("results", attempts)
        self.assertIn("nothing left", self.ngb("run", "study.yaml").stderr)
        self.assertEqual(self.query("results", attempts), before)
        again = self.ngb(*command)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertGreater(self.query("results", attempts), before)
