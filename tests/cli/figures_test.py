# SPDX-License-Identifier: Apache-2.0
"""ngb report: the figures as specifications, data and images."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
import unittest

from ngb_program import BIN, NULL_STUDY, TOOLCHAINS, MeasuredTest, without_toolchains

# A second setting of the null compiler, and a compiler without a toolchain, whose cells fail.
STUDY = NULL_STUDY.replace(
    '  - "null"\n', '  - "null": {options: {made_up_ns: 100000}}\n  - "null": {label: other, options: {made_up_ns: 200000}}\n  - onnxruntime\n', 1
).replace("seed: 7\n", 'seed: 7\nbaseline: "null"\n').replace("processes: 3", "processes: 2")


class Figures(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        self.assertEqual(self.ngb("run", "study.yaml", "-o", "results", "--no-report").returncode, 1)

    def setUp(self):
        super().setUp()
        self.figures = self.folder / "report/figures"

    def report(self, *arguments):
        return self.ngb("report", "results", "-o", "report", *arguments)

    def rows(self, figure):
        with (self.figures / f"{figure}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_each_is_a_specification_with_its_data_beside_it(self):
        made = self.report()
        self.assertEqual(made.returncode, 0, made.stderr)
        specifications = sorted(path.name.removesuffix(".vl.json") for path in self.figures.glob("*.vl.json"))
        self.assertEqual(specifications, sorted(path.stem for path in self.figures.glob("*.csv")))
        self.assertIn("throughput_by_batch", specifications)
        self.assertIn(f"Figures: {len(specifications)} in report/figures\n", made.stdout)
        self.assertIn("tcr_by_model (the study gives no model raw_bytes and encoded_bytes)", made.stdout)
        for name in specifications:
            specification = json.loads((self.figures / f"{name}.vl.json").read_text())
            self.assertEqual(specification["$schema"], "https://vega.github.io/schema/vega-lite/v6.json")
            self.assertEqual(len(specification["datasets"]["rows"]), len(self.rows(name)), name)

    def test_the_data_are_the_numbers_of_show(self):
        self.report()
        shown = {(cell["model"], str(cell["batch"]), cell["compiler_label"]): cell for cell in self.show("results")["cells"]}
        rows = self.rows("throughput_by_batch")
        self.assertEqual(len(rows), len(shown))
        for row in rows:
            label = re.sub(r" [0-9][0-9.]*$", "", row["compiler"])  # without a version
            cell = shown[row["model"], row["batch"], label]
            value = cell["metrics"]["throughput_per_s"]
            self.assertEqual(float(row["throughput_per_s"]) if row["throughput_per_s"] else None, value["value"])
            self.assertEqual(row["state"], cell["status"])

    def test_a_failed_cell_is_a_row_with_its_reason(self):
        self.report()
        failed = [row for row in self.rows("speed_up_by_model_group") if row["compiler"].startswith("onnxruntime")]
        self.assertEqual({row["state"] for row in failed}, {"failed"})
        self.assertIn("toolchain_missing", failed[0]["reason"])

    def test_images_need_a_toolchain_and_the_error_says_which(self):
        refused = self.report("--figures", "svg")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn("ngb toolchain install figures", refused.stderr)
        self.assertFalse((self.folder / "report").exists())
        self.assertEqual(self.report("--figures", "gif").returncode, 2)

    def test_those_of_an_earlier_report_are_replaced_and_other_files_stay(self):
        self.report()
        (self.figures / "notes.txt").write_text("mine")
        (self.figures / "depth_mha.csv").write_text("of an earlier report")
        self.report()
        self.assertEqual((self.figures / "notes.txt").read_text(), "mine")
        self.assertFalse((self.figures / "depth_mha.csv").exists())

    def test_the_same_results_give_the_same_files(self):
        self.report()
        first = {path.name: path.read_bytes() for path in self.figures.iterdir()}
        self.report()
        self.assertEqual({path.name: path.read_bytes() for path in self.figures.iterdir()}, first)

    @unittest.skipIf(without_toolchains("figures"), without_toolchains("figures"))
    def test_images_are_drawn_without_a_warning(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        for kind, begin in ("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"):
            made = self.report("--figures", kind)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            images = list(self.figures.glob(f"*.{kind}"))
            self.assertEqual(len(images), len(list(self.figures.glob("*.vl.json"))))
            for image in images:
                self.assertTrue(image.read_bytes().startswith(begin), image)

    @unittest.skipIf(without_toolchains("figures"), without_toolchains("figures"))
    def test_on_a_terminal_it_says_what_takes_seconds(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        ours, terminal = pty.openpty()
        command = [BIN / "ngb", "report", "results", "-o", "report", "--figures", "svg"]
        made = subprocess.run(command, cwd=self.folder, env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        self.assertEqual(made.returncode, 0)
        said = os.read(ours, 10_000).decode().replace("\r", "")
        os.close(ours)
        figures = len(list(self.figures.glob("*.svg")))
        self.assertEqual(said, "ngb: reading the results\n"
                               f"ngb: drawing {figures} figures as svg\n")

    @unittest.skipIf(without_toolchains("figures"), without_toolchains("figures"))
    def test_a_panel_without_data_is_empty_and_moves_no_other(self):
        """Vega-Lite lays panels out one after the other: where one is missing, the next ones would take its place."""
        self.write("few.yaml", STUDY.replace("depth: [1, 2]", "depth: 2"))
        self.assertEqual(self.ngb("run", "few.yaml", "-o", "few", "--no-report").returncode, 1)
        made = self.ngb("report", "results", "few", "--as", "few:local=other", "-o", "report")
        self.assertEqual(made.returncode, 0, made.stderr)
        marks_of = """
import collections, json, sys, vl_convert
marks = collections.Counter()
def visit(item, place):
    if item.get("marktype") == "symbol" and item.get("role") == "mark":
        marks[place] += len(item["items"])
    for child in item.get("items", []):
        is_panel = item.get("name") == "cell"
        visit(child, f"{child['x'] > 0:d}{child['y'] > 0:d}" if is_panel else place)
visit(vl_convert.vegalite_to_scenegraph(json.load(sys.stdin))["scenegraph"], "")
print(json.dumps(marks))
"""
        site, = (TOOLCHAINS / "figures").glob("*/site")
        figure = (self.figures / "throughput_by_batch.vl.json").read_text()
        drawn = subprocess.run([sys.executable, "-c", marks_of], input=figure, capture_output=True, text=True,
                               env=self.environment | {"PYTHONPATH": str(site)}, check=True)
        # Column and row: both devices have the second model, and `other` lacks the first. Three compilers, two batch sizes.
        self.assertEqual(json.loads(drawn.stdout), {"00": 6, "10": 0, "01": 6, "11": 6})


if __name__ == "__main__":
    unittest.main()
