# SPDX-License-Identifier: Apache-2.0
"""One ratio has one value and one interval, whichever output says it."""

import csv
import html.parser
import io
import itertools
import json
import math
import re

from ngb_program import NULL_STUDY, MeasuredTest

COMPILERS = ("one", "other", "third")
STUDY = NULL_STUDY.replace(
    '  - "null"\n', "".join(f'  - "null": {{label: {name}, options: {{{times}}}}}\n'
                         for name, times in zip(COMPILERS, ("run_ns: 20000", "run_ns: 30000", "made_up_ns: 45000"))), 1
).replace("seed: 7\n", "seed: 7\nbaseline: one\n")


def unrolled(column):
    """Returns a value for each cell from a column of the page's data, which has [value, how often] for repeated ones."""
    return [value for each in column for value in ([each[0]] * each[1] if isinstance(each, list) else [each])]


class DataOfPage(html.parser.HTMLParser):
    """Reads the JSON from which the page's scripts draw."""

    def __init__(self, text):
        super().__init__()
        self._is_data = False
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self._is_data = tag == "script" and dict(attributes).get("id") == "data"

    def handle_data(self, data):
        if self._is_data:
            self.text += data


class OneNumber(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        run = self.ngb("run", "study.yaml", "-o", "results", "--no-report")
        self.assertEqual(run.returncode, 0, run.stderr)

    def setUp(self):
        super().setUp()
        made = self.ngb("report", "results", "-o", "report")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.cells = self.show("results")["cells"]
        self.ratios = {}  # by the ids of the candidate's and the baseline's cell: (value, low, high) of `ngb compare`
        for candidate, baseline in itertools.permutations(COMPILERS, 2):
            for row in self.rows(self.compare(candidate, baseline, "csv")):
                self.ratios[row["candidate_cell_id"], row["baseline_cell_id"]] = self.numbers(row, "ratio", "ratio_low", "ratio_high")

    def compare(self, candidate, baseline, form):
        told = self.ngb("compare", "results", "--baseline", baseline, "--candidate", candidate, "--format", form)
        self.assertEqual(told.returncode, 0, told.stderr)
        return told.stdout

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def numbers(self, row, *names):
        return tuple(float(row[name]) for name in names)

    def data_of_page(self):
        return json.loads(DataOfPage((self.folder / "report/index.html").read_text()).text)

    def expect_equal(self, found, expected, within=1e-9):
        self.assertTrue(all(math.isclose(a, b, rel_tol=within) for a, b in zip(found, expected, strict=True)),
                        f"{found} is not {expected}")

    def test_every_pair_of_compilers_of_every_workload_is_compared_and_its_interval_is_no_point(self):
        self.assertEqual(len(self.cells), 12)
        self.assertEqual(len(self.ratios), 24)
        self.assertTrue(all(low < value < high for value, low, high in self.ratios.values()))

    def test_compare_has_the_same_in_json_as_in_csv(self):
        for candidate, baseline in itertools.permutations(COMPILERS, 2):
            for pair in json.loads(self.compare(candidate, baseline, "json"))["pairs"]:
                ratio = pair["ratio"]
                self.expect_equal((ratio["value"], ratio["low"], ratio["high"]),
                                  self.ratios[pair["candidate"]["cell_id"], pair["baseline"]["cell_id"]])

    def test_the_page_has_the_ratio_of_any_two_cells_of_a_workload(self):
        found = {}
        for cell, ratios in zip(self.cells, self.data_of_page()["ratios"], strict=True):
            for other, *ratio in ratios:
                found[cell["cell_id"], self.cells[other]["cell_id"]] = ratio
        self.assertEqual(found.keys(), self.ratios.keys())
        for pair, ratio in found.items():
            self.expect_equal(ratio, self.ratios[pair], within=1e-6)  # seven digits

    def test_both_sides_of_a_ratio_have_their_flags_in_every_output(self):
        flags = {cell["cell_id"]: set(cell["flags"]) for cell in self.cells}
        third = [cell["cell_id"] for cell in self.cells if cell["compiler_label"] == "third"]
        self.assertEqual([cell for cell, names in flags.items() if "made_up" in names], third)
        for row in self.rows(self.ngb("show", "results", "--format", "csv").stdout):
            raised = {name.removeprefix("flag_") for name, value in row.items() if name.startswith("flag_") and value}
            self.assertEqual(raised, flags[row["cell_id"]])
        data = self.data_of_page()
        self.assertEqual([set(data["flag_sets"][index]) for index in unrolled(data["cells"]["flags"])], list(flags.values()))
        for candidate, baseline in itertools.permutations(COMPILERS, 2):
            for row in self.rows(self.compare(candidate, baseline, "csv")):
                for side in ("candidate", "baseline"):
                    self.assertEqual(set(row[f"{side}_flags"].split()), flags[row[f"{side}_cell_id"]])
            for pair in json.loads(self.compare(candidate, baseline, "json"))["pairs"]:
                for side in (pair["candidate"], pair["baseline"]):
                    self.assertEqual(set(side["flags"]), flags[side["cell_id"]])

    def test_the_figures_have_the_ratio_to_the_fastest(self):
        for figure in ("ratio_to_best", "pareto_compile", "pareto_cpu"):
            rows = self.rows((self.folder / f"report/figures/{figure}.csv").read_text())
            ids = {(cell["model"], str(cell["batch"]), cell["compiler_label"]): cell["cell_id"] for cell in self.cells}
            by_workload = {}
            for row in rows:
                label = re.sub(r" [0-9][0-9.]*$", "", row["compiler"])  # without a version
                by_workload.setdefault((row["model"], row["batch"]), {})[ids[row["model"], row["batch"], label]] = row
            self.assertEqual(len(by_workload), 4)
            for workload in by_workload.values():
                best = next(cell for cell, row in workload.items() if float(row["ratio_to_best"]) == 1)
                for cell in workload.keys() - {best}:
                    self.expect_equal(self.numbers(workload[cell], "ratio_to_best", "low", "high"), self.ratios[cell, best])

    def test_show_has_the_speed_up_over_the_baseline_as_json_and_csv(self):
        csv_of = {row["cell_id"]: row for row in self.rows(self.ngb("show", "results", "--format", "csv").stdout)}
        first = {(cell["model"], cell["batch"]): cell["cell_id"] for cell in self.cells if cell["compiler_label"] == "one"}
        for cell in self.cells:
            baseline = first[cell["model"], cell["batch"]]
            if cell["cell_id"] == baseline:
                continue
            expected = self.ratios[cell["cell_id"], baseline]
            speed_up = cell["metrics"]["speed_up_ratio"]
            self.expect_equal((speed_up["value"], speed_up["low"], speed_up["high"]), expected)
            self.expect_equal(self.numbers(csv_of[cell["cell_id"]], "speed_up_ratio", "speed_up_ratio_low", "speed_up_ratio_high"),
                              expected)
